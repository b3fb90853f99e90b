/**
 * Specification 4.2.1 and contract section 2, with one URL; batch.test.ts covers batches. These tests start no browser.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, post } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';

const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint });
const url = 'https://example.com/';
type Both = { url: string; strategy: string; mobile: Result; desktop: Result };

test('POST /psi with url answers like GET /psi', async () => {
  const asked = await ask<Result>(service, `/psi?url=${url}&strategy=mobile&categories=seo&detailed=yes`);
  const posted = await post<Result>(service, '/psi', { url, strategy: 'mobile', categories: ['seo'], detailed: true });
  assert.equal(posted.status, 200);
  assert.deepEqual({ ...posted.body, cache: null }, { ...asked.body, cache: null });
});

test('strategy on POST /psi defaults to both', async () => {
  const { status, body } = await post<Both>(service, '/psi', { url });
  assert.equal(status, 200);
  assert.deepEqual([body.strategy, body.mobile.strategy, body.desktop.strategy], ['both', 'mobile', 'desktop']);
});

test('POST /psi returns Age and Cache-Status', async () => {
  await post(service, '/psi', { url, strategy: 'desktop' });
  const { headers } = await post(service, '/psi', { url, strategy: 'desktop' });
  assert.match(headers.get('age') ?? '', /^\d+$/);
  assert.match(headers.get('cache-status') ?? '', /^Rangelight; hit; ttl=\d+$/);
});

test('POST /psi ignores a query', async () => {
  const { body } = await post<Result>(service, '/psi?url=nonsense&strategy=tablet', { url, strategy: 'mobile' });
  assert.equal(body.strategy, 'mobile');
});
