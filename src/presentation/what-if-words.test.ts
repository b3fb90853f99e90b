import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildWhatIf } from '../../test/support/builders/what-if.ts';
import { firstStep, sayBreakPoint, sayCondition, sayError, sayFirstStep } from './what-if-words.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('an error has its quantiles and its basis, or is called unmeasured', () => {
  assert.equal(sayError(null), 'Predicted, error not measured yet.');
  const points = { median: 1.2, p90: 4, p95: 6.5 };
  assert.equal(
    sayError({ pairs: 24, pages: 6, points, is_preliminary: true }),
    'Predicted, with an error of 1.2 points (median), 4 (p90), 6.5 (p95); preliminary, 24 measured changes.',
  );
  assert.match(
    sayError({ pairs: 24, pages: 6, points, is_preliminary: true }, 'fixes'),
    /24 measured changes\. It is that of one fix alone; that of several together is not measured\.$/,
  );
  const whole = sayError({ pairs: 1, pages: 1, points: { ...points, median: 1 }, is_preliminary: false });
  assert.match(whole, /an error of 1 point \(median\).*; 1 measured change\.$/);
});

test('break points name the slowest CPU and network, also at either end', () => {
  const { map, settings } = buildWhatIf();
  assert.deepEqual(map.break_points.map(sayBreakPoint).map(plain), [
    'On the same network, predicted below 90 even without CPU slowdown. With the same CPU slowdown, predicted below 90 even on the fastest network.',
    'On the same network, predicted 50 or more up to a CPU slowdown of 6.3×. With the same CPU slowdown, predicted 50 or more on networks down to 300 ms round trip, 700 kbit/s.',
  ]);
  const [, low] = map.break_points;
  assert.ok(low);
  assert.equal(
    plain(sayBreakPoint({ ...low, slowest_cpu: 20, is_slowest_cpu_tried: true, is_slowest_network_tried: true })),
    'On the same network, predicted 50 or more at every CPU slowdown up to 20×. With the same CPU slowdown, predicted 50 or more on every network down to 300 ms round trip, 700 kbit/s.',
  );
  assert.equal(plain(sayCondition(settings)), '1.2× CPU slowdown, 150 ms round trip, 1,638 kbit/s');
});

test('the first step is the first fix, unless it gains next to nothing', () => {
  const whatIf = buildWhatIf();
  const step = firstStep(whatIf) ?? assert.fail();
  assert.equal(
    sayFirstStep(step, whatIf.fixes.error),
    'First to fix: Improve image delivery (predicted +9.4 points, error not measured yet).',
  );
  assert.match(sayFirstStep({ ...step, points: 1 }, null), /\(predicted \+1 point, error not/);
  assert.match(sayFirstStep(step, whatIf.third_parties.error), /error 1\.2 \(median\), 6\.5 \(p95\)\)\.$/);
  const steps = whatIf.fixes.steps.map(fix => ({ ...fix, points: 0.3 }));
  assert.equal(firstStep({ ...whatIf, fixes: { ...whatIf.fixes, steps } }), undefined);
  assert.equal(firstStep({ ...whatIf, fixes: { ...whatIf.fixes, steps: [] } }), undefined);
});
