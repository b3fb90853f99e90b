/** The machine's benchmark: run by Lighthouse once a minute, and written where Lighthouse would have written it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSite } from '../../demo/site.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { usualAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';

type Measured = Result & { lighthouse_result: { environment: { benchmarkIndex: number } } };

test('the second audit uses the benchmark of the first throughout its result, and says when it was taken', async t => {
  const site = await startSite();
  t.after(() => site.close());
  const service = await startService(t, {}, undefined, { audits: usualAudits });
  const measure = async () => {
    const query = { url: `${site.url}/good.html`, categories: 'seo' };
    const { status, body } = await ask<Measured>(service, withQuery('/lighthouse', query));
    assert.equal(status, 200);
    return body;
  };
  const [first, second] = [await measure(), await measure()];
  assert.ok(first.environment.benchmark_index);
  assert.equal(second.environment.benchmark_index, first.environment.benchmark_index);
  assert.equal(second.lighthouse_result.environment.benchmarkIndex, first.environment.benchmark_index);
  assert.equal(second.environment.benchmark_taken_at, first.environment.benchmark_taken_at);
  assert.ok((first.environment.benchmark_taken_at ?? '') <= first.fetched_at);
  assert.deepEqual([second.environment.benchmark_concurrent_audits, second.environment.concurrent_audits], [0, 0]);
});
