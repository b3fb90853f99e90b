/** Contract section 4: a page that was measured, and then keeps the audit waiting. On both sides: slow-failures.long.ts. */
import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { type Scope, startService } from '../support/start-service.ts';

// A result expires when the test says so.
mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
const patient = await startService({ after }, {}, undefined, {
  audits: { limits: { page: { documentMs: 4_000 } } },
});
const hourMs = 3_600_000;

/** A page that is measured and stored, expires, and then stops answering. */
async function measureTwice(scope: Scope) {
  let isSilent = false;
  const site = await startLocalServer(scope, (_request, response) => {
    if (!isSilent) response.setHeader('content-type', 'text/html').end('<!doctype html><title>Up</title><h1>Up</h1>');
  });
  const psi = <Body>() =>
    ask<Body>(patient, withQuery('/psi', { url: `${site.url}/`, categories: 'seo', strategy: 'mobile' }));
  const first = await psi<Result>();
  isSilent = true;
  mock.timers.tick(2 * hourMs);
  return { first, second: await psi<Problem>() };
}

test("a page that does not answer within Lighthouse's time limit is page_timeout, and no stale result hides it", async t => {
  const { first, second } = await measureTwice(t);
  assert.deepEqual([first.status, first.body.cache?.status], [200, 'miss']);
  const { code, source, retryable, detail } = second.body;
  assert.deepEqual([second.status, code, source, retryable], [504, 'page_timeout', 'psi', true]);
  assert.match(detail, /did not respond or paint/);
});
