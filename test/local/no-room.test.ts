/** A machine without room for an audit's files: local audits are unavailable, everything else goes on, and it mends itself. */
import assert from 'node:assert/strict';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { moveTemporaryFiles } from '../support/temporary-files.ts';

test('without disk space an audit is lighthouse_unavailable and the service is not ready, until there is space again', async t => {
  const folder = await moveTemporaryFiles(t);
  const pages = await startPages(t);
  const service = await startService(t);
  const audit = <Body>() =>
    ask<Body>(service, withQuery('/lighthouse', { url: `${pages.url}/good`, categories: 'seo' }));
  await rm(folder, { recursive: true });

  const { status, body } = await audit<Problem>();
  assert.deepEqual([status, body.code, body.retryable], [503, 'lighthouse_unavailable', true]);
  assert.match(body.detail, /no room for an audit/);
  assert.ok(!body.detail.includes(folder), 'no path of this machine');
  assert.equal((await ask<Health>(service, '/health/ready')).status, 503);
  assert.equal((await ask<Health>(service, '/health')).body.lighthouse.available, false);

  await mkdir(folder, { mode: 0o755 });
  const mended = await audit<Result>();
  assert.equal(mended.status, 200);
  assert.equal((await ask<Health>(service, '/health/ready')).status, 200);
  await service.close(0);
  assert.deepEqual(await readdir(folder), [], 'nothing is left of service and audits');
});
