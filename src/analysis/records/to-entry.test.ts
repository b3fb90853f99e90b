import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildLocalResult } from '../../../test/web/reports.ts';
import { toResultFacts } from './to-entry.ts';

const factsOf = (disturbance: Parameters<typeof buildLocalResult>[0]) =>
  toResultFacts(buildLocalResult(disturbance), {
    place: { id: 'a', kind: 'result', groupId: null },
    measuring: {
      url: 'https://example.com/',
      strategy: 'mobile',
      profile: 'lighthouse',
      label: null,
      conditions: null,
    },
    machineId: 'm',
  });

test('facts of a disturbed load are the values without the disturbance, or the measured ones if those are unknown', () => {
  const measured = buildLocalResult({});
  const denied = ['total_blocking_time', 'largest_contentful_paint'] as const;
  const disturbance = { kinds: ['processor_wait' as const], denied: [...denied], total_blocking_time: 40 };
  const known = factsOf({ disturbed: true, disturbance: { ...disturbance, performance: 97 } });
  assert.deepEqual([known.scores.performance, known.metrics.total_blocking_time, known.disturbed], [97, 40, true]);
  const { value: paintMs } = measured.metrics.largest_contentful_paint;
  assert.equal(known.metrics.largest_contentful_paint, paintMs, 'its value without the disturbance is unknown');
  assert.equal(known.scores.seo, measured.scores.seo ?? null);
  const unknown = factsOf({ disturbed: true, disturbance: { ...disturbance, performance: null } });
  assert.equal(unknown.scores.performance, measured.scores.performance);
});
