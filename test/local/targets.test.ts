/** Contract sections 4 and 9: pages that are refused before any work. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Failure } from '../../src/contract/analysis/answers.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';

const strict = await startService({ after }, { TARGETS: 'public' });
const open = await startService({ after });

async function assertForbidden(service: { url: string }, url: string): Promise<void> {
  for (const [path, source] of [
    ['/psi', 'psi'],
    ['/lighthouse', 'lighthouse'],
  ] as const) {
    const { status, body } = await ask<Problem>(service, withQuery(path, { url, strategy: 'mobile' }));
    assert.deepEqual([status, body.code, body.source], [403, 'target_forbidden', source], `${path} ${url}`);
  }
  const { status, body } = await ask<Problem & Record<'psi' | 'lighthouse', Failure> & { comparison: null }>(
    service,
    withQuery('/compare', { url }),
  );
  assert.deepEqual([status, body.code, body.comparison], [403, 'target_forbidden', null]);
  assert.deepEqual([body.psi.error.source, body.lighthouse.error.source], ['psi', 'lighthouse']);
}

test('private pages are target_forbidden under TARGETS=public', async () => {
  for (const url of [
    'http://127.0.0.1:3000/',
    'http://localhost/',
    'http://10.0.0.1/',
    'http://[fd00::1]/',
    'http://2130706433/',
  ])
    await assertForbidden(strict, url);
});

test("the service's own port is target_forbidden under every setting", async () => {
  const { port } = new URL(open.url);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '127.1'])
    await assertForbidden(open, `http://${host}:${port}/health`);
});

test('metadata and link-local addresses are target_forbidden under every setting', async () => {
  for (const url of [
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/',
    'http://metadata.google.internal/',
  ])
    await assertForbidden(open, url);
});

test('the v5 endpoint rejects the same pages', async () => {
  for (const url of [`${open.url}/health`, 'http://169.254.169.254/']) {
    const { status } = await ask(open, withQuery('/pagespeedonline/v5/runPagespeed', { url }));
    assert.equal(status, 403, url);
  }
});
