/** The embedded analyser with a full queue: see embedded.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startPages } from '../support/sites/pages.ts';
import { until } from '../support/until.ts';
import { healthOf, startBusy } from './busy-service.ts';

const pages = await startPages({ after });

test("a full queue is queue_full with Retry-After for the rejected page, and does not affect the analyser's state", async t => {
  const { busy, measure, releaseSlot } = await startBusy(t, pages, { LIGHTHOUSE_QUEUE: '0' });
  for (const name of ['one', 'two', 'three', 'four']) {
    const { status, headers, body } = await measure(name);
    assert.deepEqual([status, body.code, body.source], [503, 'queue_full', 'psi']);
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal((await healthOf(busy)).psi.state, 'ok');
  }
  releaseSlot();
  await until(async () => (await healthOf(busy)).lighthouse.running === 0);
  const { status, body } = await measure('five');
  assert.equal(status, 200, body.detail);
});
