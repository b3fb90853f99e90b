/** Contract section 9: Chromium's sandbox, read off the kernel while an audit runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import { startFaultSite } from '../faults/fault-site.ts';
import { occupyNow } from '../leak/audits.ts';
import { descendantsOf, isRenderer, namespaceOf, statusOf, whyNoProcessTree } from '../leak/process-tree.ts';
import { startServiceProcess } from '../leak/service-process.ts';
import { ask } from '../support/asking/ask.ts';

test('the renderers of a running audit have seccomp and their own user namespace', async t => {
  if (whyNoProcessTree) return t.skip(whyNoProcessTree);
  const site = await startFaultSite(t);
  const service = await startServiceProcess(t);
  const { body } = await ask<Health>(service, '/health');
  if (body.lighthouse.sandbox !== 'on') return t.skip('skipped: this kernel does not let Chromium have its sandbox');
  const client = await occupyNow(service, site);
  const renderers = descendantsOf(service.pid).filter(isRenderer);
  assert.ok(renderers.length > 0);
  for (const renderer of renderers) {
    assert.equal(statusOf(renderer, 'Seccomp'), '2', 'a filter of system calls');
    assert.equal(statusOf(renderer, 'NoNewPrivs'), '1');
    assert.notEqual(namespaceOf(renderer, 'user'), namespaceOf({ pid: service.pid }, 'user'));
    assert.notEqual(namespaceOf(renderer, 'net'), namespaceOf({ pid: service.pid }, 'net'), 'no network of its own');
    assert.doesNotMatch(renderer.command, /--no-sandbox/);
  }
  client.leave();
});
