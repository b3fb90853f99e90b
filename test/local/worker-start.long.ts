/** A worker that cannot run as another user, and may do without: see worker-start.test.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startListening } from '../support/start-process.ts';
import { boundRoot, whyNoBoundRoot } from './bound-root.ts';

test('root that cannot become another user audits as root on loopback, without the sandbox, and says so', async t => {
  if (whyNoBoundRoot) return t.skip(whyNoBoundRoot);
  const pages = await startPages(t);
  const service = await startListening(t, { command: boundRoot });
  const target = withQuery('/lighthouse', { url: `${pages.url}/good`, categories: 'seo' });
  const { status, text } = await ask<Result>(service, target);
  assert.equal(status, 200, text.slice(0, 300));
  assert.equal((await ask<Health>(service, '/health')).body.lighthouse.sandbox, 'off');
  await service.output.waitFor(1, line => line.includes("WITHOUT Chromium's sandbox") && line.includes('EPERM'));
});
