/** Workers that cannot be started: no audit is possible, the service says so, and it mends itself. More: worker-start.long.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startListening } from '../support/start-process.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';
import { boundRoot, whyNoBoundRoot } from './bound-root.ts';

const isReady = async (service: { url: string }) => (await ask<Health>(service, '/health/ready')).status === 200;

test('a system that temporarily refuses to start a process makes audits unavailable and readiness 503', async t => {
  if (process.platform !== 'linux') return t.skip('skipped: the limit of Linux for one variable is used');
  const pages = await startPages(t);
  const service = await startService(t, {}, undefined, { audits: { limits: { retryMs: 200 } } });
  const target = withQuery('/lighthouse', { url: `${pages.url}/good`, categories: 'seo' });
  assert.equal(await isReady(service), true);

  const { PATH } = process.env;
  t.after(() => {
    process.env.PATH = PATH;
  });
  process.env.PATH = `${PATH}:${'x'.repeat(200_000)}`;
  const { status, body } = await ask<Problem>(service, target);
  assert.deepEqual([status, body.code, body.retryable], [503, 'lighthouse_unavailable', true], body.detail);
  assert.match(body.detail, /E2BIG/);
  assert.equal(await isReady(service), false);

  process.env.PATH = PATH;
  await until(() => isReady(service));
  const mended = await ask<Result>(service, target);
  assert.equal(mended.status, 200);
  assert.ok((await ask<Health>(service, '/health')).body.lighthouse.sandbox !== 'unavailable');
});

test('root that cannot become another user has no audits if the sandbox is required, and is not ready', async t => {
  if (whyNoBoundRoot) return t.skip(whyNoBoundRoot);
  const service = await startListening(t, { command: boundRoot, environment: { CHROME_SANDBOX: 'on' } });
  const target = withQuery('/lighthouse', { url: 'http://127.0.0.1:1234/', categories: 'seo' });
  const { status, body } = await ask<Problem>(service, target);
  assert.deepEqual([status, body.code], [503, 'lighthouse_unavailable'], body.detail);
  assert.equal(await isReady(service), false);
  await service.output.waitFor(1, line => line.includes('cannot run as an unprivileged user'));
});
