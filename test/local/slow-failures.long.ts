/** Contract section 4: pages that keep the audit waiting, on both sides. They wait beside each other. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import type { BothFailed } from './both-fail.ts';

const pages = await startPages({ after });
const patient = await startService({ after }, {}, undefined, {
  audits: { limits: { page: { firstPaintMs: 3_000 } } },
});
const hasty = await startService({ after }, { LIGHTHOUSE_TIMEOUT: '4' });
const compare = (service: { url: string }, path: string) =>
  ask<BothFailed>(service, withQuery('/compare', { url: `${pages.url}${path}`, categories: 'performance' }));

// The page that paints nothing is given up by Lighthouse, the other one by the service.
const [blank, never] = await Promise.all([compare(patient, '/blank'), compare(hasty, '/never')]);

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
