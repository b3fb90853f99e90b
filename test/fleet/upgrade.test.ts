/** A rolling upgrade: a program goes on with its tables while the next one brings them up to date. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, type TestContext, test } from 'node:test';
import { createFleetDatabase } from '../../src/fleet/database.ts';
import { fleetMigrations } from '../../src/fleet/migrations.ts';
import { bossTables, createBoss, queueSchema } from '../../src/fleet/queue/boss.ts';
import { type AuditJob, toQueueName } from '../../src/fleet/queue/job.ts';
import { createGuardedPool, type GuardedPool } from '../../src/results/postgres/guarded-pool.ts';
import { postgresMigrations } from '../../src/results/postgres/migrations.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';
import { openInstance, toRequest } from './fleet.ts';

const postgres = await startOwnPostgres({ after });

const rooms = [
  { schema: 'rangelight', steps: postgresMigrations },
  { schema: 'rangelight_fleet', steps: fleetMigrations },
];
const limits = { maxConnections: 2, connectTimeoutMs: 3000, statementTimeoutMs: 5000, busyTimeoutMs: 2000 };

function open(t: TestContext, url: string, schema: string, steps: readonly string[]): GuardedPool {
  const pool = createGuardedPool({ url, tables: { schema, steps, migrationLock: 1 }, ...limits });
  t.after(() => pool.close());
  return pool;
}

const ask = ({ use }: GuardedPool, sql: string) => use(async pool => (await pool.query(sql)).rows);

/** Every table with its columns, as a program reads them that knows no others. */
const columnsOf = async (pool: GuardedPool, schema: string) => {
  const sql = `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
    WHERE table_schema = '${schema}' ORDER BY table_name, column_name`;
  return (await ask(pool, sql)).map(row => JSON.stringify(row));
};

for (const { schema, steps } of rooms)
  test(`${schema}: while the next version makes its tables, the one before reads and writes in its own`, async t => {
    assert.ok(steps.length > 1);
    for (let version = 1; version < steps.length; version += 1) {
      const url = await postgres.createDatabase();
      const older = open(t, url, schema, steps.slice(0, version));
      const columns = await columnsOf(older, schema);
      let isUpgraded = false;
      let written = 0;
      const write = async () => {
        await ask(older, `INSERT INTO schema_state VALUES ('test-${written}', ${written})`);
        written += 1;
      };
      const writing = (async () => {
        while (!isUpgraded) await write();
        await write();
      })();
      await until(async () => written > 5);
      await ask(open(t, url, schema, steps.slice(0, version + 1)), 'SELECT 1');
      isUpgraded = true;
      await writing;
      const now = new Set(await columnsOf(older, schema));
      assert.deepEqual(
        columns.filter(column => !now.has(column)),
        [],
      );
      // Another one of the version before starts meanwhile.
      const another = open(t, url, schema, steps.slice(0, version));
      const [row] = await ask(another, "SELECT count(*)::int AS count FROM schema_state WHERE name LIKE 'test-%'");
      assert.equal(row.count, written);
    }
  });

test('an audit of a newer kind waits for a worker that knows it, and keeps none of the others waiting', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', targets: 'any', slots: 1 });
  const api = await openInstance(t, url, { role: 'api', targets: 'any' });
  const database = createFleetDatabase({ url });
  const boss = await createBoss(database, () => {});
  t.after(async () => {
    await boss.close();
    await database.close();
  });
  const known = toQueueName('any');
  const newer = known.replace('.v1.', '.v2.');
  assert.notEqual(newer, known);
  const queue = await boss.openQueue<AuditJob>(newer);
  const data = { owner: 'x', client: '', request: toRequest('https://page.test/newer'), wantsProgress: false };
  const job = { id: randomUUID(), data: { ...data, isExclusive: false, keepArtifacts: false } };
  await queue.send(database.query, { ...job, priority: 1_000_000, expireInSeconds: 60 });
  const asked = api.ask('https://page.test/known');
  (await worker.pool.audits.waitFor(1))[0]?.finish();
  assert.equal((await asked).value.url, 'https://page.test/known');
  assert.equal(worker.pool.audits.all.length, 1);
  assert.deepEqual(
    (await queue.fetch(database.query, 1)).map(({ id }) => id),
    [job.id],
  );
});

test('the schema of the queue is named after the tables that the installed pg-boss makes', async t => {
  const url = await postgres.createDatabase();
  await openInstance(t, url);
  const [row] = await postgres.query(url, `SELECT version FROM ${queueSchema}.version`);
  assert.equal(
    row?.version,
    bossTables,
    'another pg-boss: change bossTables, so that older instances keep their tables',
  );
});

for (const version of [bossTables - 1, bossTables + 1])
  test(`tables of the queue of version ${version} stop a start, stay as they are, and work on for whoever has them open`, async t => {
    const url = await postgres.createDatabase();
    const running = await openInstance(t, url);
    await postgres.query(url, `UPDATE ${queueSchema}.version SET version = ${version}`);
    await assert.rejects(openInstance(t, url), {
      code: 'newer_database',
      message: new RegExp(
        `schema ${queueSchema}\\) have version ${version}; this Rangelight works with version ${bossTables}`,
      ),
    });
    assert.deepEqual(await postgres.query(url, `SELECT version FROM ${queueSchema}.version`), [{ version }]);
    const asked = running.ask();
    (await running.pool.audits.waitFor(1))[0]?.finish();
    assert.equal((await asked).value.url, toRequest().url);
  });

test('an instance with another pg-boss that dies is removed with its audits', async t => {
  const url = await postgres.createDatabase();
  const audits = `rangelight_fleet.audits`;
  await openInstance(t, url);
  await postgres.query(
    url,
    `INSERT INTO rangelight_fleet.instances (id, role, version, queue, slots, seen_at) VALUES ('dead', 'all', '2', 'audits.b99.v1.any', 2, 0);
    INSERT INTO ${audits} (id, queue, owner, client, is_batch, turn, queued_at)
      VALUES ('${randomUUID()}', 'audits.b99.v1.any', 'dead', 'c', 0, 1, 0)`,
  );
  await until(async () => (await postgres.query(url, `SELECT 1 FROM ${audits}`)).length === 0);
});
