/** Several services on one database, as clients and operators see them. The remote analyser is a fake that counts. */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import { ask, post, withQuery } from '../support/ask.ts';
import { type FakePsi, startFakePsi, toLighthouseError } from '../support/fake-psi.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startListening } from '../support/start-process.ts';
import { startService } from '../support/start-service.ts';
import { createSilentLink } from './silent-link.ts';

const postgres = await startOwnPostgres({ after });

type Answered = { cache: { status: string }; error?: Problem };
type Service = { readonly url: string };

const toSettings = (fake: FakePsi, databaseUrl: string) => ({
  PSI_ENDPOINT: fake.endpoint,
  DATABASE_URL: databaseUrl,
  TARGETS: 'public',
});

async function startThree(t: TestContext, environment: Record<string, string> = {}) {
  const fake = await startFakePsi(t);
  const databaseUrl = await postgres.createDatabase();
  const start = () => startService(t, { ...toSettings(fake, databaseUrl), ...environment });
  const services = [await start(), await start(), await start()] as const;
  return { fake, databaseUrl, services };
}

const target = (name: string) => withQuery('/psi', { url: `https://example.com/${name}`, strategy: 'mobile' });
const get = (service: Service, name: string, init: RequestInit = {}) => ask<Answered>(service, target(name), init);
const statusOf = async (service: Service, name: string) => (await get(service, name)).body.cache.status;

/** Until another instance waits for what one has in flight. */
const whenFollowed = async (databaseUrl: string, count = 1): Promise<void> => {
  const isFollowed = 'SELECT count(*)::int AS count FROM rangelight_fleet.flights, jsonb_object_keys(followers)';
  while (Number((await postgres.query(databaseUrl, isFollowed))[0]?.count) < count);
};

test('a hundred equal requests over three services are one remote call', async t => {
  const { fake, databaseUrl, services } = await startThree(t);
  const release = fake.hold();
  const answers = Array.from({ length: 100 }, (_, index) => get(services[index % 3] ?? services[0], 'same'));
  await fake.calls.waitFor(1);
  await whenFollowed(databaseUrl, 2);
  release();
  const statuses = (await Promise.all(answers)).map(({ status, body }) => `${status} ${body.cache.status}`);
  assert.equal(fake.calls.all.length, 1);
  assert.equal(statuses.filter(status => status === '200 miss').length, 1);
  assert.ok(
    statuses.every(status => /^200 (miss|joined|hit)$/.test(status)),
    statuses.join(),
  );
});

test('a result of one is a hit of the others, until one of them clears the cache of all', async t => {
  const { fake, services } = await startThree(t);
  const [one, two, three] = services;
  assert.equal(await statusOf(one, 'a'), 'miss');
  assert.deepEqual([await statusOf(two, 'a'), await statusOf(three, 'a')], ['hit', 'hit']);
  assert.deepEqual((await post(two, '/cache/clear', {})).body, { cleared: 1 });
  // It hears of it at once, or looks within a second.
  let status = 'hit';
  while (status === 'hit') status = await statusOf(three, 'a');
  assert.equal(status, 'miss');
  assert.equal(fake.calls.all.length, 2);
});

test('what one measures while another clears is answered and not stored', async t => {
  const { fake, databaseUrl, services } = await startThree(t);
  const [one, two, three] = services;
  const release = fake.hold();
  const answer = get(two, 'a');
  await fake.calls.waitFor(1);
  await post(one, '/cache/clear', {});
  release();
  assert.equal((await answer).status, 200);
  assert.deepEqual(await postgres.query(databaseUrl, 'SELECT name FROM rangelight_fleet.cached_values'), []);
  assert.equal(await statusOf(three, 'a'), 'miss');
  assert.equal(fake.calls.all.length, 2);
});

test('a failure is told to the clients of all as what it is, after one call', async t => {
  const { fake, databaseUrl, services } = await startThree(t);
  fake.answerWith(() => toLighthouseError('Lighthouse returned error: NOT_HTML. The page provided is not HTML.'));
  const release = fake.hold();
  const answers = services.map(service => ask<Problem>(service, target('a')));
  await fake.calls.waitFor(1);
  await whenFollowed(databaseUrl, 2);
  release();
  const bodies = (await Promise.all(answers)).map(({ status, body }) => [status, body.code, body.source, body.detail]);
  assert.deepEqual(bodies, Array(3).fill(bodies[0]));
  assert.deepEqual(bodies[0]?.slice(0, 3), [502, 'page_not_html', 'psi']);
  assert.equal(fake.calls.all.length, 1);
});

test('a client that disconnects from one cancels nothing that a client of another waits for', async t => {
  const { fake, databaseUrl, services } = await startThree(t);
  const [one, two] = services;
  const release = fake.hold();
  const client = new AbortController();
  const left = get(one, 'a', { signal: client.signal });
  const [call] = await fake.calls.waitFor(1);
  const staying = get(two, 'a');
  await whenFollowed(databaseUrl);
  client.abort();
  await assert.rejects(left, { name: 'AbortError' });
  release();
  assert.equal((await staying).body.cache.status, 'joined');
  assert.ok(call);
  assert.equal(fake.calls.all.length, 1);
});

test('the call ends with the last client of all services', async t => {
  const { fake, databaseUrl, services } = await startThree(t);
  const [one, two] = services;
  fake.hold();
  const clients = [new AbortController(), new AbortController()] as const;
  const first = get(one, 'a', { signal: clients[0].signal });
  const [call] = await fake.calls.waitFor(1);
  const second = get(two, 'a', { signal: clients[1].signal });
  await whenFollowed(databaseUrl);
  for (const client of clients) client.abort();
  await Promise.allSettled([first, second]);
  await call?.abandoned;
});

test('pages count for a client wherever it asks for them', async t => {
  const { services } = await startThree(t, { RATE_LIMIT: '2' });
  const [one, two, three] = services;
  assert.deepEqual([(await get(one, 'a')).status, (await get(two, 'b')).status], [200, 200]);
  const refused = await ask<Problem>(three, target('c'));
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
});

test('no more remote calls at once than PSI_CONCURRENCY, over all services', async t => {
  const { fake, services } = await startThree(t, { PSI_CONCURRENCY: '2' });
  let running = 0;
  let most = 0;
  const full = Promise.withResolvers<void>();
  fake.answerWith(async () => {
    running += 1;
    most = Math.max(most, running);
    if (running === 2) full.resolve();
    await full.promise;
    running -= 1;
    return toLighthouseError('Lighthouse returned error: NOT_HTML. No.');
  });
  await Promise.all(services.flatMap((service, at) => [1, 2, 3].map(page => get(service, `${at}-${page}`))));
  assert.deepEqual([most, fake.calls.all.length], [2, 9]);
});

test('answers go on while the database is away, and are shared again when it is back', async t => {
  const { fake, services } = await startThree(t);
  const [one, two, three] = services;
  assert.equal(await statusOf(one, 'a'), 'miss');
  await postgres.stop();
  assert.equal(await statusOf(one, 'a'), 'hit');
  assert.equal(await statusOf(two, 'b'), 'miss');
  assert.equal(await statusOf(two, 'b'), 'hit');
  const cleared = await post<Problem>(three, '/cache/clear', {});
  assert.deepEqual([cleared.status, cleared.body.code], [503, 'results_unavailable']);
  await postgres.start();
  // Each service finds out by itself within a second or two.
  let found = 'miss';
  for (let page = 0; found !== 'hit'; page += 1) {
    await get(two, `shared-${page}`);
    found = await statusOf(three, `shared-${page}`);
  }
  assert.equal(await statusOf(three, 'a'), 'hit', 'what was stored before is there still');
  assert.ok(fake.calls.all.length > 0);
});

test('a service that is killed is found out, and one of those that wait takes over', async t => {
  const fake = await startFakePsi(t);
  const databaseUrl = await postgres.createDatabase();
  const { child, exited, url } = await startListening(t, { environment: toSettings(fake, databaseUrl) });
  const start = () => startService(t, toSettings(fake, databaseUrl));
  const services = [await start(), await start()] as const;
  const release = fake.hold();
  const lost = fetch(new URL(target('a'), url)).then(
    () => {},
    () => {},
  );
  await fake.calls.waitFor(1);
  const answers = [0, 1, 2, 3].map(index => get(services[index % 2] ?? services[0], 'a'));
  await whenFollowed(databaseUrl, 2);
  child.kill('SIGKILL');
  await Promise.all([exited, lost]);
  await fake.calls.waitFor(2);
  release();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  assert.deepEqual([statuses, fake.calls.all.length], [[200, 200, 200, 200], 2]);
});

test('answers go on while the database is silent, and are shared again when it speaks', async t => {
  const fake = await startFakePsi(t);
  const link = await createSilentLink(t, await postgres.createDatabase());
  const settings = { ...toSettings(fake, link.url), RATE_LIMIT: '1000' };
  const [one, two] = [await startService(t, settings), await startService(t, settings)];
  assert.equal(await statusOf(one, 'a'), 'miss');
  const release = fake.hold();
  const held = [get(one, 'held')];
  await fake.calls.waitFor(2);
  held.push(get(two, 'held'));
  link.fallSilent();
  const answers = [statusOf(one, 'a'), statusOf(one, 'b'), statusOf(two, 'c')];
  await fake.calls.waitFor(5);
  release();
  assert.deepEqual(await Promise.all(answers), ['hit', 'miss', 'miss']);
  assert.deepEqual(
    (await Promise.all(held)).map(({ status }) => status),
    [200, 200],
  );
  link.speak();
  let found = 'miss';
  for (let page = 0; found !== 'hit'; page += 1) {
    await get(one, `shared-${page}`);
    found = await statusOf(two, `shared-${page}`);
  }
});

test('the metrics of each say how many instances there are, and what their connections do', async t => {
  const { services } = await startThree(t);
  const readGauge = async ({ url }: Service, name: string) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const [, value] = new RegExp(`^rangelight_${name} (\\S+)$`, 'm').exec(text) ?? assert.fail(name);
    return Number(value);
  };
  for (const service of services) {
    // An instance hears of the others with its next sign of life.
    while ((await readGauge(service, 'fleet_instances')) !== 3);
    assert.equal(await readGauge(service, 'fleet_reachable'), 1);
    assert.ok((await readGauge(service, 'database_connections')) >= 1);
    assert.equal(await readGauge(service, 'database_waiting'), 0);
  }
});
