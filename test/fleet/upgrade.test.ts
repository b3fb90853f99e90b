/** A rolling upgrade: a version keeps using its tables while the next one migrates them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, type TestContext, test } from 'node:test';
import { fleetMigrations } from '../../src/fleet/migrations.ts';
import { toQueueName } from '../../src/fleet/queue/messages.ts';
import { postgresMigrations } from '../../src/storage/database/migrations.ts';
import { openPostgres } from '../../src/storage/database/postgres/postgres.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';
import { openInstance } from './fleet.ts';

const postgres = await startOwnPostgres({ after });

const rooms = [
  { schema: 'rangelight', steps: postgresMigrations },
  { schema: 'rangelight_fleet', steps: fleetMigrations },
];

/** Queries the database as a version with these tables does. */
function open(t: TestContext, url: string, schema: string, steps: readonly string[]) {
  const postgres = openPostgres({ url, schemas: [schema], maxConnections: 2 });
  t.after(() => postgres.close());
  const tables = { schema, steps, migrationLock: 1 };
  return (sql: string) => postgres.use(tables, async pool => (await pool.query(sql)).rows);
}

type Ask = ReturnType<typeof open>;

/** The columns of every table, as a version reads them that knows no others. */
const columnsOf = async (ask: Ask, schema: string) => {
  const sql = `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
    WHERE table_schema = '${schema}' ORDER BY table_name, column_name`;
  return (await ask(sql)).map(row => JSON.stringify(row));
};

for (const { schema, steps } of rooms)
  test(`${schema}: while the next version creates its tables, the previous one reads and writes its own`, async t => {
    assert.ok(steps.length > 1);
    for (let version = 1; version < steps.length; version += 1) {
      const url = await postgres.createDatabase();
      const older = open(t, url, schema, steps.slice(0, version));
      const columns = await columnsOf(older, schema);
      let isUpgraded = false;
      let written = 0;
      const write = async () => {
        await older(`INSERT INTO schema_state VALUES ('test-${written}', ${written})`);
        written += 1;
      };
      const writing = (async () => {
        while (!isUpgraded) await write();
        await write();
      })();
      await until(async () => written > 5);
      await open(t, url, schema, steps.slice(0, version + 1))('SELECT 1');
      isUpgraded = true;
      await writing;
      const now = new Set(await columnsOf(older, schema));
      assert.deepEqual(
        columns.filter(column => !now.has(column)),
        [],
      );
      // Another instance of the earlier version starts in the meantime.
      const another = open(t, url, schema, steps.slice(0, version));
      const [row] = await another("SELECT count(*)::int AS count FROM schema_state WHERE name LIKE 'test-%'");
      assert.equal(row.count, written);
    }
  });

/** Inserts an audit as an instance of another version does, into its own queue. */
const insertAudit = (id: string, queue: string, owner: string): string => `
  INSERT INTO rangelight_fleet.audits (id, queue, owner, client, is_batch, turn, queued_at)
  VALUES ('${id}', '${queue}', '${owner}', 'c', 0, 0, 0)`;

const otherQueues = ['audits.v1.any', 'audits.t1.any'];

test('a queued audit of another version waits for its workers, and delays no other', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', targets: 'any', slots: 1 });
  const api = await openInstance(t, url, { role: 'api', targets: 'any' });
  for (const queue of otherQueues) {
    assert.notEqual(toQueueName('any'), queue);
    await postgres.query(url, insertAudit(randomUUID(), queue, 'other'));
  }
  const asked = api.ask('https://page.test/known');
  (await worker.pool.audits.waitFor(1))[0]?.finish();
  assert.equal((await asked).value.url, 'https://page.test/known');
  assert.equal(worker.pool.audits.all.length, 1);
  const rows = await postgres.query(url, 'SELECT queue, worker FROM rangelight_fleet.audits ORDER BY queue');
  assert.deepEqual(
    rows,
    otherQueues.toSorted().map(queue => ({ queue, worker: null })),
  );
});

test('an instance of another version that dies is removed with its audits', async t => {
  const url = await postgres.createDatabase();
  await openInstance(t, url);
  for (const queue of otherQueues) {
    await postgres.query(
      url,
      `INSERT INTO rangelight_fleet.instances (id, role, version, queue, slots, seen_at)
      VALUES ('dead ${queue}', 'all', '1', '${queue}', 2, 0);
      ${insertAudit(randomUUID(), queue, `dead ${queue}`)}`,
    );
  }
  await until(async () => (await postgres.query(url, 'SELECT 1 FROM rangelight_fleet.audits')).length === 0);
});
