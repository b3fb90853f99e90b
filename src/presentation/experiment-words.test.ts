import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildExperiment } from '../../test/support/builders/experiment.ts';
import type { ExperimentAnswer } from '../contract/experiments/answer.ts';
import {
  sayChanges,
  sayDisturbed,
  sayLoads,
  sayPrediction,
  sayVariant,
  toAxis,
  toPairRows,
  toPairsPlot,
} from './experiment-words.ts';

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

test('a prediction has the unit of its metric', () => {
  const toVariant = (difference: number | null) =>
    ({ prediction: { difference, result: 'x', reason: null } }) as Variant;
  assert.equal(sayPrediction(toVariant(12), 'performance'), 'Predicted: 12 points higher.');
  assert.equal(sayPrediction(toVariant(0.2), 'speed_index'), 'Predicted: no difference.');
  assert.equal(sayPrediction(toVariant(null), 'performance'), undefined);
});

test('an interval whose ends are displayed as zero is the same, and no end is zero lower', () => {
  for (const ends of [
    [0, 0],
    [-0.2, 0.3],
  ] as const)
    assert.match(
      say('no_difference', [...ends], 'total_blocking_time'),
      /^No difference: Total Blocking Time is the same as on the page \(99\.2 % interval, 9 pairs\)\.$/,
    );
  assert.match(say('undecided', [-0.2, 80], 'total_blocking_time'), /is 0 ms to 80 ms higher than on the page/);
  assert.match(say('no_difference', [0, 0.04], 'performance'), /Performance is the same as on the page/);
});

test('disturbed loads are counted, with every possible reason', () => {
  assert.equal(sayDisturbed(0, 'page'), undefined);
  assert.equal(sayDisturbed(1, 'page'), '1 load of the page was disturbed: it waited for a CPU, or painted late.');
  assert.equal(sayDisturbed(3, 'variant'), '3 of its loads were disturbed: they waited for a CPU, or painted late.');
});

test('an interval around zero has both ends, and too few pairs have none', () => {
  assert.match(
    say('undecided', [-120, 80], 'total_blocking_time'),
    /^Undecided: Total Blocking Time is between 120 ms lower and 80 ms higher than on the page/,
  );
  assert.equal(say('no_difference', [0, 1], 'performance').includes('0 points to 1 point higher'), true);
  assert.equal(
    sayVariant({ status: 'undecided', interval: null, judged_pairs: 2 } as Variant, 'speed_index'),
    'Undecided: Too few pairs of loads were measured (2).',
  );
});

const experiment = buildExperiment();
const [blocking = assert.fail(), preloading = assert.fail()] = experiment.variants;

test('each change of a variant is a phrase, and unchanged parts are omitted', () => {
  assert.deepEqual(sayChanges(preloading, experiment), ['Preload: https://harbour.example/hero.jpg (image)']);
  const changed: Variant = {
    ...blocking,
    url: 'https://preview.example/',
    strategy: 'desktop',
    replace: [
      { url: 'https://a.test/a.js', with: 'https://a.test/b.js', body: null },
      { url: 'https://a.test/c.js', with: null, body: { bytes: 3000, sha256: '' } },
    ],
    headers: ['x-build'],
    recipes: [{ name: 'font-display', url: null, value: null }],
    throttling: { rtt_ms: 150, throughput_kbps: 1600, cpu_slowdown_multiplier: 4 },
  };
  assert.deepEqual(
    sayChanges(changed, experiment).map(text => text.replaceAll('\u00a0', ' ')),
    [
      'Another page: https://preview.example/',
      'Device: desktop',
      'Block widgets.tides.example/a-rather-long-path-of-a-script/*',
      'Replace https://a.test/a.js with https://a.test/b.js',
      'Replace https://a.test/c.js with a text of 3 kB',
      'Send the header x-build',
      'Set font-display',
      'Throttle to 150 ms, 1600 kbit/s and 4× CPU slowdown',
    ],
  );
});

test('the number of measured loads is shown next to the planned range', () => {
  assert.equal(sayLoads(experiment), '36 of 36 to 56 loads are measured, 1 of them failed.');
});

test('a plot has every pair, with zero in the middle; a row has the difference with its sign', () => {
  const axis = toAxis([blocking]);
  const plot = toPairsPlot(blocking, axis) ?? assert.fail();
  assert.equal(plot.points.length, 9);
  assert.ok(plot.points.every(x => x >= 0 && x < 50));
  assert.ok(plot.from < plot.at && plot.at < plot.to && plot.to < plot.band[0]);
  assert.equal(plot.band[0] + plot.band[1], 100);
  assert.equal(toPairsPlot({ ...blocking, interval: null }, axis), undefined);
  assert.deepEqual(
    toPairRows(blocking, experiment.metric)[0]?.map(text => text.replaceAll('\u00a0', ' ')),
    ['1', '2.4 s', '1.7 s', '−700 ms'],
  );
});
