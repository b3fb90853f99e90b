/** `runs=auto` on a real page: five real audits at least. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';

test('a page is measured until its scores are known to within two points, at most nine times', async t => {
  const pages = await startPages(t);
  const service = await startService(t);
  const { status, body } = await ask<Result>(
    service,
    withQuery('/lighthouse', { url: `${pages.url}/good`, categories: 'performance', runs: 'auto' }),
  );
  assert.equal(status, 200);
  const { completed = 0, score_interval: interval } = body.runs ?? assert.fail();
  assert.ok(completed >= 5 && completed <= 9, `${completed} runs`);
  assert.ok(interval && interval.confidence >= 0.9);
  assert.ok(completed === 9 || interval.high - interval.low <= 4);
});
