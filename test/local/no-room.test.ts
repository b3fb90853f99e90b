/** A machine without room for an audit's files: local audits are unavailable, everything else goes on, and it mends itself. */
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Health, Problem } from '../../src/http/schemas.ts';
import type { Report } from '../../src/report/report.ts';
import { ask, withQuery } from '../ask.ts';
import { startPages } from '../pages.ts';
import { startService } from '../start-service.ts';

/** This process's folder for temporary files, which the test may take away; every file of tests has its own process. */
async function moveTemporaryFiles(t: TestContext): Promise<string> {
  const { TMPDIR } = process.env;
  const folder = await mkdtemp(join(tmpdir(), 'no-room-'));
  // The worker's user must be able to pass.
  await chmod(folder, 0o755);
  process.env.TMPDIR = folder;
  t.after(async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

test('without room for its files an audit is lighthouse_unavailable and readiness is off, until there is room again', async t => {
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
  const mended = await audit<Report>();
  assert.equal(mended.status, 200);
  assert.equal((await ask<Health>(service, '/health/ready')).status, 200);
  await service.close(0);
  assert.deepEqual(await readdir(folder), [], 'nothing is left of service and audits');
});
