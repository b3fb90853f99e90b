import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEntry } from '../../../test/support/builders/entry.ts';
import { createOwnSchedule } from '../../../test/support/surroundings/own-schedule.ts';
import { type FaultCode, StoreFaultError } from '../database/fault.ts';
import type { SqlDatabase } from '../database/sql.ts';
import { createResultStore } from './create-store.ts';
import type { StoreEvent } from './fault.ts';

/** Creates a database that accepts every write, unless the test sets a fault. */
function createFakeDatabase() {
  const written: string[] = [];
  const state: { fault?: FaultCode; refused?: string; writes: number } = { writes: 0 };
  const check = (): void => {
    if (state.fault) throw new StoreFaultError(state.fault, `It is ${state.fault}.`);
  };
  const database: SqlDatabase = {
    engine: 'sqlite',
    location: 'fake',
    open: async () => check(),
    packedRows: async () => new Uint8Array(),
    async rows() {
      check();
      return [[written.length, 0]];
    },
    async write(statements) {
      state.writes += 1;
      check();
      const id = String(statements[0]?.values[0]);
      if (id === state.refused) throw new StoreFaultError('not_acceptable', 'A constraint failed.');
      if (statements.length === 2) written.push(id);
      return statements.map(() => 1);
    },
    usedBytes: async () => 0,
    reclaim: async () => false,
    close: async () => {},
  };
  return { database, written, state };
}

function createOwnStore(backlogBytes = 1_000_000) {
  const { database, written, state } = createFakeDatabase();
  const events: StoreEvent[] = [];
  const { schedule, runNext, runUntil } = createOwnSchedule();
  const store = createResultStore({ database, schedule, backlogBytes, onEvent: event => events.push(event) });
  return { store, written, state, events, runNext, runUntil };
}

test('during a fault only the retries write', async () => {
  const { store, written, state, runNext, runUntil } = createOwnStore();
  await store.open();
  state.fault = 'locked';
  const entries = Array.from({ length: 5 }, () => buildEntry());
  for (const entry of entries) assert.equal((await store.keep(entry)).kept, false);
  await assert.rejects(store.cache.set('key', new Uint8Array(1)), { code: 'locked' });
  assert.equal(state.writes, 1);
  await runNext();
  assert.equal(state.writes, 2);
  delete state.fault;
  await runUntil(() => store.status().isWritable);
  assert.deepEqual(
    written,
    entries.map(({ id }) => id),
  );
});

test('the size of waiting entries is limited, and one without room is reported as not waiting', async () => {
  const { store, state } = createOwnStore(250_000);
  state.fault = 'disk_full';
  await store.open();
  const full = { coding: 'zstd', bytes: new Uint8Array(100_000) };
  const waiting: boolean[] = [];
  for (let count = 0; count < 4; count += 1) {
    const kept = await store.keep(buildEntry({ full }));
    waiting.push(!kept.kept && kept.isWaiting);
  }
  assert.deepEqual(waiting, [true, true, false, false]);
  assert.equal(store.status().waiting, 2);
});

test('an entry that the database rejects does not block the others', async () => {
  const { store, written, state, events, runUntil } = createOwnStore();
  await store.open();
  state.fault = 'unavailable';
  const [refused, good] = [buildEntry(), buildEntry()];
  for (const entry of [refused, good]) await store.keep(entry);
  delete state.fault;
  state.refused = refused.id;
  await runUntil(() => store.status().isWritable);
  assert.deepEqual(written, [good.id]);
  assert.deepEqual(
    events.filter(({ event }) => event === 'dropped'),
    [{ event: 'dropped', id: refused.id, reason: 'A constraint failed.' }],
  );
  assert.equal(store.status().waiting, 0);
});

test('waiting entries are written on closing, if the database allows it', async () => {
  const { store, written, state } = createOwnStore();
  await store.open();
  state.fault = 'locked';
  const entry = buildEntry();
  await store.keep(entry);
  delete state.fault;
  await store.close();
  assert.deepEqual(written, [entry.id]);
});

test('an entry that is removed while it waits is not written', async () => {
  const { store, written, state, runUntil } = createOwnStore();
  await store.open();
  state.fault = 'locked';
  const [one, page] = [buildEntry(), buildEntry({ url: 'https://example.com/page' })];
  for (const entry of [one, page]) await store.keep(entry);
  await assert.rejects(store.forget(one.id), { code: 'locked' });
  await assert.rejects(store.forgetUrl(page.url), { code: 'locked' });
  delete state.fault;
  await runUntil(() => store.status().isWritable);
  assert.deepEqual(written, []);
});

test('a failed sweep returns its reason and does not throw', async () => {
  const { store, state } = createOwnStore();
  await store.open();
  state.fault = 'read_only';
  const { fault } = await store.sweep({ keepDays: 1, keepBytes: 1, keepArtifactBytes: 1 });
  assert.equal(fault?.code, 'read_only');
});

test('an answer does not wait for a silent server, and its entry is written later', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { database, written } = createFakeDatabase();
  const { schedule, runUntil } = createOwnSchedule();
  const silent = Promise.withResolvers<void>();
  const waits = Promise.withResolvers<void>();
  const store = createResultStore({
    schedule,
    database: {
      ...database,
      engine: 'postgres',
      async write(statements) {
        waits.resolve();
        await silent.promise;
        return database.write(statements);
      },
    },
  });
  const entry = buildEntry();
  const keeping = store.keep(entry);
  await waits.promise;
  t.mock.timers.tick(5000);
  const kept = await keeping;
  assert.ok(!kept.kept && kept.isWaiting && kept.fault.code === 'unavailable');
  silent.resolve();
  await runUntil(() => store.status().isWritable && store.status().waiting === 0);
  assert.ok(written.includes(entry.id));
});
