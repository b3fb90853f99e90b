import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSide } from '../../test/support/builders/side.ts';
import type { Result } from '../contract/result/result.ts';
import { sayCertainty, sayRepeatedCertainty, sayUncertainty, toRangeHead } from './range.ts';

type Runs = NonNullable<Result['runs']>;

const spread = (min: number, median: number, max: number) => ({ min, median, max, spread: max - min });
const runsOf = (fields: Partial<Runs>): Runs => ({
  requested: 3,
  completed: 3,
  selected: 3,
  selected_by: 'median_run',
  scores: {},
  metrics: {},
  ...fields,
});
const resultOf = (fields: Partial<Result>): Result => ({ ...buildSide({ source: 'lighthouse' }).result, ...fields });
const usual = { results: 12, from: '', to: '', scores: { performance: spread(84, 87, 90) }, metrics: {} };

test('the shown run is called the median run, not the median, which another run may have', () => {
  const runs = runsOf({ scores: { performance: spread(80, 84, 88) } });
  const result = resultOf({ scores: { performance: 88 }, runs });
  assert.equal(sayCertainty(result), 'median run of 3, 80 to 88');
  assert.match(sayUncertainty(result) ?? '', /^3 runs: performance 80 to 88, median 84\. Run 3 is shown/);
});

test('each request of several runs shows their number, whatever they scored', () => {
  const say = (fields: Partial<Runs>, scores: Result['scores'] = {}) =>
    sayCertainty(resultOf({ scores, runs: runsOf(fields) }));
  assert.equal(say({ completed: 5, selected: 1, selected_by: 'first_run' }), 'run 1 of 5');
  assert.equal(say({ completed: 1, requested: 5, selected_by: 'only_run' }), 'one run of 5');
  assert.equal(say({ counted: 2 }, { performance: null }), 'median run of 2 undisturbed of 3');
  assert.equal(sayRepeatedCertainty(resultOf({ runs: runsOf({ requested: 1, completed: 1 }) })), undefined);
  assert.equal(sayRepeatedCertainty(resultOf({})), undefined);
});

test('if only one of several runs was undisturbed, the usual range of the page stands in', () => {
  const runs = runsOf({ completed: 5, requested: 5, counted: 1, scores: { accessibility: spread(90, 90, 91) } });
  const result = resultOf({ scores: { performance: 86, accessibility: 90 }, runs, spread: usual });
  assert.equal(sayCertainty(result), 'median run of 1 undisturbed of 5, usually 84 to 90');
  assert.match(
    sayUncertainty(result) ?? '',
    /^5 runs, 1 of them undisturbed\. .*is usually 84 to 90 \(12 results before\)/,
  );
  assert.equal(toRangeHead(result), 'range');
});

test('the score without a disturbance is compared with the usual range, and an unknown one is not', () => {
  const disturbed = (performance: number | null) =>
    sayUncertainty(
      resultOf({
        scores: { performance: 62 },
        spread: usual,
        disturbed: true,
        disturbance: { kinds: ['processor_wait'], denied: [], performance, total_blocking_time: null },
      }),
    ) ?? '';
  for (const performance of [85, 82, 92, null])
    assert.match(disturbed(performance), /usually 84 to 90 \(12 results before\)\.$/);
  assert.match(disturbed(80), /This result, 80, is outside that range\.$/);
});
