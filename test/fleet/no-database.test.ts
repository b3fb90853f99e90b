import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';
import { type Instance, openInstance } from './fleet.ts';

const postgres = await startOwnPostgres({ after });

const whenReachable = ({ analyser }: Instance): Promise<void> => until(() => analyser.fleet().isReachable);

test('while the database is down, a machine with slots uses them, and one without says so', async t => {
  const url = await postgres.createDatabase();
  const all = await openInstance(t, url);
  const api = await openInstance(t, url, { role: 'api' });
  const worker = await openInstance(t, url, { role: 'worker' });
  await postgres.stop();
  const here = all.ask('https://page.test/here');
  (await all.pool.audits.waitFor(1))[0]?.finish();
  // The audit ran outside the fleet's queue, which counts the attempts.
  assert.equal((await here).value.attempt, undefined);
  await assert.rejects(api.ask(), {
    code: 'queue_unavailable',
    retryAfterSeconds: 10,
    message: /^The queue of the fleet cannot be used now/,
  });
  await until(() => !api.analyser.status().available && !all.analyser.fleet().isReachable);
  assert.equal(worker.pool.audits.all.length, 0);
  await postgres.start();
  await Promise.all([all, api, worker].map(whenReachable));
  const there = api.ask('https://page.test/there');
  const taken = await Promise.race([all.pool.audits.waitFor(2), worker.pool.audits.waitFor(1)]);
  taken.at(-1)?.finish();
  assert.equal((await there).value.attempt, 1);
});

test('an audit that ends during a short database outage is delivered afterwards', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const api = await openInstance(t, url, { role: 'api' });
  const asked = api.ask();
  const [audit] = await worker.pool.audits.waitFor(1);
  await postgres.stop();
  audit?.finish();
  await until(() => worker.log.some(({ event }) => event === 'a result waits for the database'));
  await postgres.start();
  assert.equal((await asked).value.attempt, 1);
  assert.equal(worker.pool.audits.all.length, 1);
});

test('an audit that a long outage ended is tried again afterwards', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const api = await openInstance(t, url, { role: 'api', patience: { databaseMs: 60_000, workersMs: 60_000 } });
  const asked = api.ask();
  await worker.pool.audits.waitFor(1);
  await postgres.stop();
  await until(() => worker.log.some(({ event }) => event === 'an audit of the fleet was abandoned'));
  await postgres.start();
  (await worker.pool.audits.waitFor(2))[1]?.finish();
  assert.equal((await asked).value.attempt, 2);
});

test('a request that waited too long for the database runs on this machine, or fails', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker', slots: 1 });
  const patience = { databaseMs: 100, workersMs: 60_000 };
  const api = await openInstance(t, url, { role: 'api', patience });
  const asked = api.ask();
  const refused = assert.rejects(asked, { code: 'queue_unavailable' });
  await worker.pool.audits.waitFor(1);
  const all = await openInstance(t, url, { patience, slots: 0 });
  const own = all.ask('https://page.test/own');
  await until(() => all.analyser.fleet().waiting > 0);
  await postgres.stop();
  await refused;
  (await all.pool.audits.waitFor(1))[0]?.finish();
  assert.equal((await own).value.url, 'https://page.test/own');
  await postgres.start();
});

test('an instance starts without the database, and joins the fleet when it is available', async t => {
  const url = await postgres.createDatabase();
  await postgres.stop();
  const opening = openInstance(t, url);
  await postgres.start();
  const all = await opening;
  await whenReachable(all);
  const asked = all.ask();
  (await all.pool.audits.waitFor(1))[0]?.finish();
  assert.equal((await asked).value.url, 'https://page.test/');
});

test('without a machine that audits, the request fails after a while', async t => {
  const url = await postgres.createDatabase();
  const api = await openInstance(t, url, { role: 'api', patience: { databaseMs: 15_000, workersMs: 100 } });
  await assert.rejects(api.ask(), { code: 'queue_unavailable', message: /^No machine of the fleet runs audits now/ });
});
