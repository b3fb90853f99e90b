/** `cpu=calibrated`: the processor is slowed down by as much as the speed of the machine asks for, and both scores are told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSite } from '../../demo/site.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { toQuickAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';

test('a phone is calibrated and has both scores of one load; desktop is unchanged', async t => {
  const site = await startSite();
  t.after(() => site.close());
  // A benchmark of 800 calls for a CPU multiplier of 2.
  const service = await startService(t, {}, undefined, { audits: { ...toQuickAudits(), benchmarkIndex: 800 } });
  const measure = async (strategy: string) => {
    const query = { url: `${site.url}/faulty.html`, categories: 'performance', cpu: 'calibrated', strategy };
    const { status, body } = await ask<Result>(service, withQuery('/lighthouse', query));
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const phone = await measure('mobile');
  const { environment, metrics, scores, default_cpu: usual, warnings } = phone;
  assert.equal(environment.cpu_slowdown_multiplier, 2);
  assert.deepEqual(environment.calibration, { benchmark_index: 800, measurements: 3 });
  assert.equal(usual?.cpu_slowdown_multiplier, 4);
  assert.ok((usual?.performance ?? 101) <= (scores.performance ?? 0), JSON.stringify({ scores, usual }));
  const blocking = metrics.total_blocking_time.value ?? assert.fail();
  assert.ok((usual?.metrics.total_blocking_time ?? 0) > blocking, 'twice as slow, it blocks for longer');
  assert.match(warnings[0] ?? '', /^CPU throttling: 2×, calibrated from .* scores \d+\.$/);

  const desktop = await measure('desktop');
  assert.deepEqual([desktop.environment.cpu_slowdown_multiplier, desktop.environment.calibration], [1, undefined]);
  assert.equal(desktop.default_cpu, undefined);
  assert.match(desktop.warnings[0] ?? '', /^CPU throttling: 1×\. Desktop runs/);
});
