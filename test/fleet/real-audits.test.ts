/** Real audits: an instance without a browser answers, and two processes audit for it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Comparison } from '../../src/contract/analysis/comparison.ts';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startListening } from '../support/start-process.ts';
import { startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { readUntil } from '../support/until.ts';

type Both = { psi: Result; lighthouse: Result; comparison: Comparison };

const postgres = await startOwnPostgres({ after });
const pages = await startPages({ after });
const DATABASE_URL = await postgres.createDatabase();
const shared = { DATABASE_URL, TARGETS: 'any' };
/** The path of the browser does not exist. */
const api = await startService({ after }, { ...shared, ROLE: 'api', CHROME_PATH: '/nowhere/chrome' });
const environment = { ...shared, ROLE: 'worker', LIGHTHOUSE_CONCURRENCY: '1' };
const workers = await Promise.all([1, 2].map(() => startListening({ after }, { environment })));
const audit = <Body>(path: string, query: Record<string, string> = {}) =>
  ask<Body>(api, withQuery(path, { url: `${pages.url}/good`, ...query }));

test('two concurrent audits run on the two machines, and report that it was the first attempt', async () => {
  const query = { categories: 'seo', strategy: 'mobile' };
  const answers = await Promise.all([audit<Result>('/lighthouse', query), audit<Result>('/lighthouse', query)]);
  for (const { status, body, text } of answers) {
    assert.equal(status, 200, text);
    assert.deepEqual([body.source, body.environment.attempts], ['lighthouse', 1]);
  }
  for (const { url } of workers) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    assert.match(metrics, /^rangelight_audit_duration_seconds_count\{outcome="ok"\} 1$/m, metrics);
  }
});

test('/compare audits the load again on the machine that has its artifacts', async () => {
  const { status, body, text } = await audit<Both>('/compare', { categories: 'performance', strategy: 'mobile' });
  assert.equal(status, 200, text);
  assert.equal(body.comparison.re_audits.status, 'done', JSON.stringify(body.comparison.re_audits));
  assert.deepEqual([body.psi.environment.attempts, body.lighthouse.environment.attempts], [1, 1]);
});

test('a failed page has the same failure as on one machine', async () => {
  const target = withQuery('/lighthouse', { url: `${pages.url}/503`, categories: 'seo', strategy: 'mobile' });
  const { status, body } = await ask<Problem>(api, target);
  assert.deepEqual([status, body.code, body.page_status], [502, 'page_error', 503], JSON.stringify(body));
});

test('/health reports the fleet, and a worker serves nothing else', async () => {
  // The count is some seconds old, so an audit that has just ended may still be included.
  const { body } = await readUntil(
    () => ask<Health>(api, '/health/ready'),
    ({ body }) => body.fleet?.running === 0,
  );
  assert.deepEqual([body.status, body.lighthouse.browser], ['ok', null]);
  assert.ok(body.fleet);
  const { instance, members, ...fleet } = body.fleet;
  assert.match(instance, /^[\w-]{36}$/);
  assert.deepEqual(fleet, { role: 'api', database: 'ok', instances: 3, parallel_limit: 2, running: 0, queued: 0 });
  assert.deepEqual(
    members?.map(({ role, parallel_limit: limit, running }) => [role, limit, running]),
    [
      ['api', 0, 0],
      ['worker', 1, 0],
      ['worker', 1, 0],
    ],
  );
  for (const worker of workers) {
    const health = (await (await fetch(`${worker.url}/health/ready`)).json()) as Health;
    assert.deepEqual([health.status, health.fleet?.role], ['ok', 'worker']);
    for (const path of ['/', '/lighthouse?url=http://page.test', '/openapi.json', '/results'])
      assert.equal((await fetch(`${worker.url}${path}`)).status, 404, path);
  }
});
