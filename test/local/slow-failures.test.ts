/** Contract section 4: pages that keep the audit waiting. They wait beside each other. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Failure, Problem } from '../../src/http/schemas.ts';
import { ask, withQuery } from '../ask.ts';
import { startPages } from '../pages.ts';
import { startService } from '../start-service.ts';

type BothFailed = Problem & { psi: Failure; lighthouse: Failure };

const pages = await startPages({ after });
const patient = await startService({ after });
const hasty = await startService({ after }, { LIGHTHOUSE_TIMEOUT: '4' });
const compare = (service: { url: string }, path: string) =>
  ask<BothFailed>(service, withQuery('/compare', { url: `${pages.url}${path}`, categories: 'performance' }));

// A page that paints nothing takes Lighthouse 30 s.
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
