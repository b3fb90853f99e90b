import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExperimentAnswer } from '../contract/experiments/answer.ts';
import { sayPrediction, sayVariant } from './experiment-words.ts';

type Variant = ExperimentAnswer['variants'][number];

const say = (status: Variant['status'], ends: [low: number, high: number], metric: ExperimentAnswer['metric']) =>
  sayVariant(
    { status, interval: { low: ends[0], high: ends[1], confidence: 0.9922 }, judged_pairs: 9 } as Variant,
    metric,
  ).replaceAll('\u00a0', ' ');

test('the sentence of a variant has its verdict, the metric, and the interval from the end nearest to zero', () => {
  assert.equal(
    say('better', [-1240, -1010], 'largest_contentful_paint'),
    'Better: Largest Contentful Paint is 1.0 s to 1.2 s lower than on the page (99.2 % interval, 9 pairs).',
  );
  assert.match(say('worse', [300, 400], 'speed_index'), /^Worse: Speed Index is 300 ms to 400 ms higher than/);
  assert.match(say('worse', [-12, -3], 'performance'), /is 3 points to 12 points lower than/);
  assert.match(say('better', [1001, 1002], 'first_contentful_paint'), /is 1\.0 s higher than/);
});

test('a prediction is said in the unit of the metric', () => {
  const toVariant = (difference: number | null) =>
    ({ prediction: { difference, result: 'x', reason: null } }) as Variant;
  assert.equal(sayPrediction(toVariant(12), 'performance'), 'Predicted: 12 points higher.');
  assert.equal(sayPrediction(toVariant(null), 'performance'), undefined);
});

test('an interval around zero has both of its ends, and too few pairs have none', () => {
  assert.match(
    say('undecided', [-120, 80], 'total_blocking_time'),
    /^Undecided: Total Blocking Time is between 120 ms lower and 80 ms higher than on the page/,
  );
  assert.equal(say('no_difference', [0, 1], 'performance').includes('0 points to 1 point higher'), true);
  assert.equal(
    sayVariant({ status: 'undecided', interval: null, judged_pairs: 2 } as Variant, 'speed_index'),
    'Undecided: too few pairs of loads were measured (2).',
  );
});
