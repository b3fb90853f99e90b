/** Contract section 4: pages that keep the audit waiting, on both sides. They wait beside each other. */
import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import type { Failure } from '../../src/contract/analysis/answers.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';

type BothFailed = Problem & { psi: Failure; lighthouse: Failure };

// A result expires when the test says so.
mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
const pages = await startPages({ after });
const patient = await startService({ after }, {}, undefined, {
  audits: { limits: { page: { firstPaintMs: 3_000, documentMs: 4_000 } } },
});
const hasty = await startService({ after }, { LIGHTHOUSE_TIMEOUT: '4' });
const hourMs = 3_600_000;
const compare = (service: { url: string }, path: string) =>
  ask<BothFailed>(service, withQuery('/compare', { url: `${pages.url}${path}`, categories: 'performance' }));

/** A page that is measured and stored, expires, and then stops answering. */
async function measureTwice() {
  let isSilent = false;
  const site = await startLocalServer({ after }, (_request, response) => {
    if (!isSilent) response.setHeader('content-type', 'text/html').end('<!doctype html><title>Up</title><h1>Up</h1>');
  });
  const psi = <Body>() =>
    ask<Body>(patient, withQuery('/psi', { url: `${site.url}/`, categories: 'seo', strategy: 'mobile' }));
  const first = await psi<Result>();
  isSilent = true;
  mock.timers.tick(2 * hourMs);
  return { first, second: await psi<Problem>() };
}

// The page that paints nothing, and the one that answers nothing, are given up by Lighthouse; the other by the service.
const [blank, never, stopped] = await Promise.all([
  compare(patient, '/blank'),
  compare(hasty, '/never'),
  measureTwice(),
]);

test('a page that does not answer in the time of Lighthouse is page_timeout, and no stale result hides it', () => {
  const { first, second } = stopped;
  assert.deepEqual([first.status, first.body.cache?.status], [200, 'miss']);
  const { code, source, retryable, detail } = second.body;
  assert.deepEqual([second.status, code, source, retryable], [504, 'page_timeout', 'psi', true]);
  assert.match(detail, /did not answer or load/);
});

test('a page that paints nothing is page_blank', () => {
  const { status, body } = blank;
  assert.equal(status, 502);
  assert.deepEqual([body.psi.error.code, body.lighthouse.error.code], ['page_blank', 'page_blank']);
  assert.deepEqual([body.psi.error.lighthouse_code, body.lighthouse.error.lighthouse_code], ['NO_FCP', 'NO_FCP']);
});

test('a page that never answers is lighthouse_timeout after LIGHTHOUSE_TIMEOUT', () => {
  const { status, body } = never;
  assert.equal(status, 504);
  for (const source of ['psi', 'lighthouse'] as const) {
    const { code, retryable, detail } = body[source].error;
    assert.deepEqual([code, retryable], ['lighthouse_timeout', true], source);
    assert.match(detail, /within 4 s/);
  }
});
