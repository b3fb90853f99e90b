/**
 * What one instance has seen of the remote analyser, known to all: failures in a row count together, and who is backed
 * off from is the same everywhere. The state is one row; each instance has a copy, by which it decides without asking.
 */
import type { BackOff, BackOffState } from '../../analysers/psi/back-off.ts';
import type { FleetDatabase } from '../database.ts';
import type { Notices } from '../notices.ts';
import { numberIn, textIn } from './payload.ts';
import type { Pulse } from './pulse.ts';
import type { Reach } from './reach.ts';

type Parts = { database: FleetDatabase; notices: Notices; reach: Reach; pulse: Pulse };

export type SharedBackOffs = {
  share(name: string, create: () => BackOff): BackOff;
  close(): void;
};

type Change = (backOff: BackOff) => void;

const topic = 'back-off';
/** As long as the database is away. */
const maxUnwritten = 100;

type Stored = { version: number; state: BackOffState };

const toStored = (row: Record<string, unknown> | undefined): Stored | undefined =>
  row && { version: Number(row.version), state: row.state as BackOffState };

async function readState(database: FleetDatabase, name: string, knownVersion: number): Promise<Stored | undefined> {
  const { rows } = await database.query('SELECT version, state FROM back_offs WHERE name = $1 AND version <> $2', [
    name,
    knownVersion,
  ]);
  return toStored(rows[0]);
}

/** With the row locked, so that what two instances have seen at once counts twice. */
const changeState = (
  database: FleetDatabase,
  name: string,
  scratch: BackOff,
  changes: readonly Change[],
): Promise<Stored> =>
  database.transaction(async rows => {
    await rows({
      sql: 'INSERT INTO back_offs (name, version, state) VALUES (?, 1, ?) ON CONFLICT DO NOTHING',
      values: [name, JSON.stringify(scratch.read())],
    });
    const [row] = await rows({
      sql: 'SELECT version, state FROM back_offs WHERE name = ? FOR UPDATE',
      values: [name],
    });
    scratch.load(row?.[1] as unknown as BackOffState);
    for (const change of changes) change(scratch);
    const next = { version: Number(row?.[0]) + 1, state: scratch.read() };
    await rows({
      sql: 'UPDATE back_offs SET version = ?, state = ? WHERE name = ?',
      values: [next.version, JSON.stringify(next.state), name],
    });
    return next;
  });

export function createSharedBackOffs({ database, notices, reach, pulse }: Parts): SharedBackOffs {
  const stops: (() => void)[] = [];

  function share(name: string, create: () => BackOff): BackOff {
    const local = create();
    let version = 0;
    /** What was seen here and is not in the database yet. */
    let unwritten: readonly Change[] = [];
    let writing: Promise<void> | undefined;

    const adopt = (stored: Stored | undefined): void => {
      // What is not written yet comes with the state that its own change reads.
      if (!stored || unwritten.length > 0 || stored.version === version) return;
      version = stored.version;
      local.load(stored.state);
    };

    const writeOnce = async (): Promise<void> => {
      const changes = unwritten;
      const stored = await reach.ask(() => changeState(database, name, create(), changes));
      unwritten = unwritten.slice(changes.length);
      adopt(stored);
      await notices.publish(topic, { name, version: stored.version });
    };

    /** What cannot be written now is tried again with the next beat, or the next change. */
    const write = (): Promise<void> => {
      writing ??= (async () => {
        while (unwritten.length > 0) await writeOnce();
      })().finally(() => {
        writing = undefined;
      });
      return writing;
    };

    const note = (change: Change): void => {
      unwritten = [...unwritten, change].slice(-maxUnwritten);
      write().catch(() => {});
    };

    const look = async (): Promise<void> => {
      if (unwritten.length > 0) await write();
      adopt(await reach.ask(() => readState(database, name, version)));
    };

    stops.push(
      pulse.add(look),
      notices.subscribe(topic, payload => {
        if (textIn(payload, 'name') === name && numberIn(payload, 'version') !== version) void look().catch(() => {});
      }),
    );

    return {
      ...local,
      answered(origin) {
        const isClear = local.isClear(origin);
        local.answered(origin);
        // The usual answer costs no statement.
        if (!isClear) note(backOff => backOff.answered(origin));
      },
      failed(failure) {
        const before = JSON.stringify(local.read());
        const error = local.failed(failure);
        if (JSON.stringify(local.read()) !== before) note(backOff => void backOff.failed(failure));
        return error;
      },
    };
  }

  return {
    share,
    close: () => {
      for (const stop of stops) stop();
    },
  };
}
