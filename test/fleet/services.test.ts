/** Several services on one database, as clients and operators see them. The remote analyser is a fake. */
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { PsiCall } from '../support/analysers/fake-psi.ts';
import { ask, post } from '../support/asking/ask.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { inTime, readUntil, until } from '../support/until.ts';
import { get, type Service, startThree, statusOf, target, untilShared } from './three-services.ts';

const postgres = await startOwnPostgres({ after });

test('a hundred equal requests to three services are at most one remote call of each', async t => {
  const { fake, services } = await startThree(t, postgres);
  const release = fake.hold();
  const answers = services.flatMap(service => Array.from({ length: 34 }, () => get(service, 'same')));
  await fake.calls.waitFor(3);
  release();
  const statuses = (await Promise.all(answers)).map(({ status, body }) => `${status} ${body.cache.status}`);
  assert.equal(fake.calls.all.length, 3);
  assert.equal(statuses.filter(status => status === '200 miss').length, 3);
  assert.ok(
    statuses.every(status => /^200 (miss|joined|hit)$/.test(status)),
    statuses.join(),
  );
});

test('a result of one service is a cache hit on the others, until one clears the cache', async t => {
  const { fake, services } = await startThree(t, postgres);
  const [one, two, three] = services;
  assert.equal(await statusOf(one, 'a'), 'miss');
  assert.deepEqual([await statusOf(two, 'a'), await statusOf(three, 'a')], ['hit', 'hit']);
  assert.deepEqual((await post(two, '/cache/clear', {})).body, { cleared: 1 });
  // The other service gets the notice at once, or checks within a second.
  const status = await readUntil(
    () => statusOf(three, 'a'),
    each => each !== 'hit',
  );
  assert.equal(status, 'miss');
  assert.equal(fake.calls.all.length, 2);
});

test('a measurement during a clear on another service is answered and not stored', async t => {
  const { fake, databaseUrl, services } = await startThree(t, postgres);
  const [one, two, three] = services;
  const release = fake.hold();
  const answer = get(two, 'a');
  await fake.calls.waitFor(1);
  await post(one, '/cache/clear', {});
  release();
  assert.equal((await answer).status, 200);
  assert.deepEqual(await postgres.query(databaseUrl, 'SELECT name FROM rangelight.cached_values'), []);
  assert.equal(await statusOf(three, 'a'), 'miss');
  assert.equal(fake.calls.all.length, 2);
});

test('each service reports every reachable instance, only to clients of the service', async t => {
  const { services } = await startThree(t, postgres, { API_KEYS: 'a-key-of-the-service' });
  const read = async (headers: Record<string, string>) => {
    const { body } = await ask<Health>(services[0], '/health', { headers });
    return body.fleet ?? assert.fail();
  };
  const members = async () => (await read({ 'x-api-key': 'a-key-of-the-service' })).members ?? [];
  await until(async () => (await members()).length === 3);
  for (const { name, role, running, parallel_limit: limit } of await members())
    assert.deepEqual([name, role, running, limit > 0], [hostname(), 'all', 0, true]);
  assert.equal((await read({})).members, undefined);
  assert.equal((await read({ 'x-api-key': 'another' })).members, undefined);
});

test('pages count for a client on any instance', async t => {
  const { services } = await startThree(t, postgres, { RATE_LIMIT: '2' });
  const [one, two, three] = services;
  assert.deepEqual([(await get(one, 'a')).status, (await get(two, 'b')).status], [200, 200]);
  const refused = await ask<Problem>(three, target('c'));
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
});

test('services divide PSI_CONCURRENCY among them', async t => {
  const { fake, services } = await startThree(t, postgres, { PSI_CONCURRENCY: '6' });
  const isPage = ({ params }: PsiCall) => params.has('url');
  for (const service of services)
    await until(async () => (await ask<Health>(service, '/health')).body.fleet?.instances === 3);
  const release = fake.hold();
  const answers = Promise.all(services.flatMap((service, at) => [1, 2, 3].map(page => get(service, `${at}-${page}`))));
  await inTime(fake.calls.waitFor(6));
  const barrier = fetch(fake.endpoint);
  await fake.calls.waitFor(7);
  assert.equal(fake.calls.all.filter(isPage).length, 6);
  release();
  await Promise.all([answers, barrier]);
});

test('answers continue while the database is down, and are shared again afterwards', async t => {
  const { fake, services } = await startThree(t, postgres);
  const [one, two, three] = services;
  assert.equal(await statusOf(one, 'a'), 'miss');
  await postgres.stop();
  assert.equal(await statusOf(one, 'a'), 'hit');
  assert.equal(await statusOf(two, 'b'), 'miss');
  assert.equal(await statusOf(two, 'b'), 'hit');
  const cleared = await post<Problem>(three, '/cache/clear', {});
  assert.deepEqual([cleared.status, cleared.body.code], [503, 'results_unavailable']);
  await postgres.start();
  // Each service notices the recovery by itself within a second or two.
  await untilShared(two, three);
  assert.equal(await statusOf(three, 'a'), 'hit', 'what was stored before is there still');
  const isOfFirst = ({ params }: PsiCall) => params.get('url') === 'https://example.com/a';
  assert.equal(fake.calls.all.filter(isOfFirst).length, 1);
});

test('a trace stored on another machine is a 404 that says so', async t => {
  const { databaseUrl, services } = await startThree(t, postgres);
  const { id } = (await get(services[0], 'kept')).body as unknown as { id: string };
  const detailOf = async (part: string) => {
    const { status, body } = await ask<Problem>(services[1], `/results/${id}/${part}`);
    assert.deepEqual([status, body.code], [404, 'result_not_found']);
    return body.detail;
  };
  assert.match(
    await detailOf('trace'),
    /^No trace of this result is stored\..* another machine than the requested one/,
  );
  const row = `INSERT INTO rangelight.artifacts (id, machine_id, bytes, kept_at) VALUES ('${id}', 'box-7', 1, 0)`;
  await postgres.query(databaseUrl, row);
  for (const part of ['trace', 'network-log'])
    assert.match(await detailOf(part), /is on the disk of another machine, with the machine_id box-7\./);
});

test('the metrics of each service have the number of instances and the state of their connections', async t => {
  const { services } = await startThree(t, postgres);
  const readGauge = async ({ url }: Service, name: string) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const [, value] = new RegExp(`^rangelight_${name} (\\S+)$`, 'm').exec(text) ?? assert.fail(name);
    return Number(value);
  };
  for (const service of services) {
    // An instance learns of the others at its next heartbeat.
    await until(async () => (await readGauge(service, 'fleet_instances')) === 3);
    assert.equal(await readGauge(service, 'fleet_reachable'), 1);
    assert.ok((await readGauge(service, 'database_connections')) >= 1);
    assert.equal(await readGauge(service, 'database_waiting'), 0);
  }
});
