/** The shared parts of instances, without the services around them. */
import type { FleetDatabase } from '../../src/fleet/database.ts';
import { createNotices, type Notices } from '../../src/fleet/notices.ts';
import { createSharedState, type SharedState } from '../../src/fleet/shared/shared-state.ts';
import type { Scope } from '../support/start-service.ts';
import { until } from '../support/until.ts';
import { openFleetDatabase } from './fleet.ts';

/** Notices that all get lost. */
const deaf: Notices = {
  subscribe: () => () => {},
  publish: async () => {},
  onReconnect: () => () => {},
  whenListening: async () => {},
  isListening: false,
  close: async () => {},
};

export type Instance = SharedState & {
  /** Whether the last query to the database succeeded. */
  readonly isThere: boolean;
  /** Checks the database now, without waiting for the next heartbeat. */
  look(): Promise<void>;
  /** The number of statements so far; a transaction counts as one. */
  statements(): number;
  /** Settles when the database answers. */
  whenThere(): Promise<void>;
};

function countStatements(database: FleetDatabase): { counted: FleetDatabase; statements: () => number } {
  let count = 0;
  const counting =
    <Args extends unknown[], T>(work: (...args: Args) => T) =>
    (...args: Args): T => {
      count += 1;
      return work(...args);
    };
  const { rows, query } = database;
  const transaction: FleetDatabase['transaction'] = work => {
    count += 1;
    return database.transaction(work);
  };
  return {
    counted: { ...database, rows: counting(rows), query: counting(query), transaction },
    statements: () => count,
  };
}

/** @param hears whether notices arrive; if false, all are lost */
export async function openInstances(
  scope: Scope,
  url: string,
  count: number,
  { ttlMs = 60_000, staleMs = 0, hears = true, now = Date.now } = {},
): Promise<readonly Instance[]> {
  const open = async (_: unknown, index: number): Promise<Instance> => {
    const database = openFleetDatabase({ url });
    const { counted, statements } = countStatements(database);
    const notices = hears ? createNotices(database) : deaf;
    const shared = createSharedState({
      database: counted,
      notices,
      instance: `instance ${index}`,
      cache: { maxBytes: 1_000_000, ttlMs, staleMs, now },
    });
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closing ??= shared.close().then(async () => {
        await notices.close();
        await database.close();
      });
      return closing;
    };
    scope.after(close);
    const { availability } = database;
    const look = availability.beat;
    await look();
    await notices.whenListening();
    const whenThere = () => until(async () => look().then(() => availability.isThere), { pauseMs: 0 });
    return {
      ...shared,
      close,
      statements,
      look,
      whenThere,
      get isThere() {
        return availability.isThere;
      },
    };
  };
  return Promise.all(Array.from({ length: count }, open));
}
