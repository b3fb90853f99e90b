/** The endpoints and metrics of each role, and jobs while no instance audits. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JobAnswer, JobFacts } from '../../src/contract/jobs/job.ts';
import { asyncHeaders, followToEnd } from '../jobs/jobs.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { createSimulatedPool } from '../support/audits/simulated-pool.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { inTime, until } from '../support/until.ts';

const postgres = await startOwnPostgres({ after });

const start = (scope: Scope, DATABASE_URL: string, ROLE: string, pool = createSimulatedPool({ durationMs: 1 })) =>
  startService(scope, { DATABASE_URL, ROLE, TARGETS: 'any' }, undefined, ROLE === 'api' ? {} : { pool });

const readMetrics = async ({ url }: { url: string }) => (await fetch(`${url}/metrics`)).text();

const namesIn = (metrics: string): ReadonlySet<string> =>
  new Set([...metrics.matchAll(/^# TYPE rangelight_(\S+)/gm)].map(([, name = '']) => name));

test('each role counts its own work, and all roles the fleet', async t => {
  const url = await postgres.createDatabase();
  const rows = [
    { role: 'api', slots: false, jobs: true },
    { role: 'worker', slots: true, jobs: false },
    { role: 'all', slots: true, jobs: true },
  ];
  const services = await Promise.all(rows.map(({ role }) => start(t, url, role)));
  for (const [at, { role, slots, jobs }] of rows.entries()) {
    const service = services[at] ?? assert.fail();
    const names = namesIn(await readMetrics(service));
    assert.deepEqual([names.has('audit_slots'), names.has('job_pages_unfinished')], [slots, jobs], role);
    assert.ok(names.has('fleet_audits_queued') && names.has('http_request_duration_seconds'), role);
    // Two machines with a slot each, counted at the next heartbeat of this instance.
    await until(async () => /^rangelight_fleet_audit_slots 2$/m.test(await readMetrics(service)));
  }
});

test('a worker serves no client: no analysis, no job, no stored result', async t => {
  const worker = await start(t, await postgres.createDatabase(), 'worker');
  const statusOf = async (method: string, path: string) => (await fetch(worker.url + path, { method })).status;
  for (const path of [
    '/',
    '/psi?url=http://page.test',
    '/jobs',
    '/jobs/1',
    '/schedules',
    '/results',
    '/docs',
    '/llms.txt',
  ])
    assert.equal(await statusOf('GET', path), 404, path);
  for (const path of ['/psi', '/schedules', '/cache/clear']) assert.equal(await statusOf('POST', path), 404, path);
  for (const path of ['/health', '/health/ready', '/metrics']) assert.equal(await statusOf('GET', path), 200, path);
});

test('an instance without slots enqueues every analysis, and a machine that starts later runs it', async t => {
  const url = await postgres.createDatabase();
  const api = await start(t, url, 'api');
  const page = { url: 'http://page.test/', categories: 'performance', strategy: 'mobile' };
  const get = (path: string) => ask<JobFacts>(api, withQuery(path, page), { headers: asyncHeaders });
  const post = (body: object) =>
    ask<JobFacts>(api, '/psi', {
      method: 'POST',
      headers: { ...asyncHeaders, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, categories: ['performance'], strategy: 'mobile' }),
    });
  const urls = [1, 2, 3].map(at => `http://page.test/${at}`);
  const asked = await Promise.all([
    ...['/psi', '/lighthouse', '/compare'].map(get),
    post({ url: 'http://page.test/posted' }),
    post({ urls }),
  ]);
  assert.deepEqual(
    asked.map(({ status }) => status),
    [202, 202, 202, 202, 202],
  );
  await until(async () => /^rangelight_job_pages_unfinished 7$/m.test(await readMetrics(api)));
  assert.equal((await fetch(`${api.url}/health/ready`)).status, 503);
  await start(t, url, 'worker');
  for (const { body } of asked) {
    const last = (await followToEnd(api, body.id)).at(-1);
    assert.equal(last?.event, 'result', JSON.stringify(last));
  }
  const kept = await ask<JobAnswer>(api, `/jobs/${asked[2]?.body.id}`);
  assert.ok(kept.body.pages[0]?.links.comparison);
});

test('the pages of a list use the slots of all machines', async t => {
  const url = await postgres.createDatabase();
  const pools = [1, 2, 3].map(() => createSimulatedPool({ slots: 1 }));
  const services = await Promise.all(pools.map(pool => start(t, url, 'all', pool)));
  for (const service of services)
    await until(async () => /^rangelight_fleet_audit_slots 3$/m.test(await readMetrics(service)));
  const body = { urls: [1, 2, 3].map(at => `http://page.test/${at}`), categories: ['performance'], strategy: 'mobile' };
  const headers = { ...asyncHeaders, 'content-type': 'application/json' };
  await ask(services[0] ?? assert.fail(), '/psi', { method: 'POST', headers, body: JSON.stringify(body) });
  for (const { audits } of pools) {
    const [audit] = await inTime(audits.waitFor(1));
    // The fleet has given it a slot, so the queue of the machine must not refuse it.
    assert.equal(audit?.options.isAdmitted, true);
  }
});

test('a job whose page waits for a slot can be cancelled, and the page is not audited', async t => {
  const url = await postgres.createDatabase();
  const api = await start(t, url, 'api');
  const target = withQuery('/lighthouse', { url: 'http://page.test/cancelled', categories: 'performance' });
  const { body: asked } = await ask<JobFacts>(api, target, { headers: asyncHeaders });
  const count = 'SELECT count(*)::int AS count FROM rangelight_fleet.audits';
  const untilQueued = (wanted: number) => until(async () => (await postgres.query(url, count))[0]?.count === wanted);
  await untilQueued(1);
  const { body: ended } = await ask<JobFacts>(api, `/jobs/${asked.id}`, { method: 'DELETE' });
  assert.equal(ended.state, 'cancelled');
  await untilQueued(0);
  const pool = createSimulatedPool({ durationMs: 1 });
  await start(t, url, 'worker', pool);
  const next = withQuery('/lighthouse', { url: 'http://page.test/next', categories: 'performance' });
  assert.equal((await ask(api, next)).status, 200);
  assert.deepEqual(
    pool.audits.all.map(({ request }) => request.url),
    ['http://page.test/next'],
  );
});
