/**
 * A database whose processes are stopped and not ended: connections stay open, new ones are taken by the kernel, and
 * nothing is answered. Worse than one that is gone, because only the clock tells.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';
import { countWaiting, whenFleet } from './chaos.ts';
import { type InstanceProcess, startInstance } from './instances.ts';

type Body = { code?: string; id?: string; cache?: { status: string }; environment?: { attempts?: number } };
type Told = { status: number; body: Body; ms: number };

/** A request that takes longer counts as hanging. */
const hangsMs = 30_000;

const postgres = await startOwnPostgres({ after });
const fake = await startFakePsi({ after });
const databaseUrl = await postgres.createDatabase();
const environment = { PSI_ENDPOINT: fake.endpoint, SHUTDOWN_GRACE: '1' };
const start = (role: 'api' | 'all' | 'worker') => startInstance({ after }, databaseUrl, role, environment);
const [api, all, worker] = await Promise.all([start('api'), start('all'), start('worker')]);
const instances = [api, all, worker];
await whenFleet(api, ({ instances }) => instances === 3);

async function tell({ url }: InstanceProcess, path: string, init: RequestInit = {}): Promise<Told> {
  const since = performance.now();
  const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(hangsMs) });
  const body = (await response.json()) as Body;
  return { status: response.status, body, ms: Math.round(performance.now() - since) };
}

const remote = (name: string) => withQuery('/psi', { url: `https://example.com/${name}`, strategy: 'mobile' });
const local = (name: string) =>
  withQuery('/lighthouse', { url: `http://page.test/${name}`, categories: 'performance', strategy: 'mobile' });

const words = ({ status, body }: Told) => [status, body.code ?? body.cache?.status ?? 'result'].join(' ');

test('nothing hangs while the database is frozen, and work resumes automatically', async t => {
  const kept = await tell(all, local('kept'));
  assert.equal(words(kept), '200 result');
  assert.equal(words(await tell(all, remote('cached'))), '200 miss');
  postgres.freeze();
  const asked: Record<string, Promise<Told>> = {
    'cached, all': tell(all, remote('cached')),
    'remote, all': tell(all, remote('a')),
    'remote, api': tell(api, remote('b')),
    'local, all': tell(all, local('own')),
    'local, api': tell(api, local('nowhere')),
    'kept result, all': tell(all, `/results/${kept.body.id}`),
    'kept results, api': tell(api, '/results'),
    'job, api': tell(api, remote('job'), { headers: { prefer: 'respond-async' } }),
    'jobs, all': tell(all, '/jobs'),
    'clear, api': tell(api, '/cache/clear', { method: 'POST' }),
  };
  const told = Object.fromEntries(
    await Promise.all(Object.entries(asked).map(async ([name, answer]) => [name, await answer] as const)),
  );
  t.diagnostic(
    Object.entries(told)
      .map(([name, each]) => `${name}: ${words(each)} after ${each.ms} ms`)
      .join('; '),
  );
  assert.deepEqual(Object.fromEntries(Object.entries(told).map(([name, each]) => [name, words(each)])), {
    'cached, all': '200 hit',
    'remote, all': '200 miss',
    'remote, api': '200 miss',
    'local, all': '200 result',
    'local, api': '503 queue_unavailable',
    'kept result, all': '503 results_unavailable',
    'kept results, api': '503 results_unavailable',
    'job, api': '503 jobs_unavailable',
    'jobs, all': '503 jobs_unavailable',
    'clear, api': '503 results_unavailable',
  });
  // Once the outage is known, no request waits for long.
  await Promise.all(instances.map(instance => whenFleet(instance, ({ database }) => database === 'down')));
  const ready = await Promise.all(instances.map(instance => tell(instance, '/health/ready')));
  assert.deepEqual(
    ready.map(({ status }) => status),
    [503, 200, 503],
  );
  const again = await Promise.all([tell(all, local('again')), tell(api, local('again'))]);
  assert.deepEqual(again.map(words), ['200 result', '503 queue_unavailable']);
  t.diagnostic(`once it is known: ${again.map(({ ms }) => ms).join(' and ')} ms`);

  postgres.thaw();
  const since = performance.now();
  await Promise.all(
    instances.map(instance => whenFleet(instance, ({ database, instances }) => database === 'ok' && instances === 3)),
  );
  const after = await tell(api, local('after'));
  t.diagnostic(`recovered after ${Math.round(performance.now() - since)} ms`);
  assert.deepEqual([after.status, after.body.environment?.attempts], [200, 1], JSON.stringify(after.body));
  await until(async () => (await countWaiting(all)) === 0 && (await countWaiting(api)) === 0);
  for (const { body } of [kept, ...Object.values(told), ...again])
    if (body.id) assert.equal((await tell(api, `/results/${body.id}`)).status, 200, body.id);
});

test('an instance that gets SIGTERM while the database is frozen stops', async t => {
  postgres.freeze();
  const since = performance.now();
  for (const { child } of instances) child.kill('SIGTERM');
  assert.deepEqual(await Promise.all(instances.map(({ exited }) => exited)), [0, 0, 0]);
  t.diagnostic(`all three after ${Math.round(performance.now() - since)} ms`);
});
