import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildMeasure,
  buildResultsComparison,
  buildUndecided,
} from '../../test/support/builders/results-comparison.ts';
import type { MeasureChange } from '../contract/stored/change-verdict.ts';
import {
  changedFilesOf,
  sayAlike,
  sayCause,
  sayFlip,
  sayIntervals,
  saySide,
  sayWhy,
  sharedOf,
  toAlikeRows,
  toFlips,
  toMeasureRows,
} from './change-words.ts';

test('files of two runs are those that were added, grew, shrank or were removed, the largest difference first', () => {
  const { requests } = buildResultsComparison();
  const [request] = requests?.added ?? [];
  assert.ok(requests && request);
  const of = (url: string, bytes: number) => ({ ...request, url, bytes });
  const [before, after] = [200_000, 900_000].map(bytes => ({ requests: 1, bytes }));
  assert.ok(before && after);
  const changed = [{ url: '/app.js', type: 'Script', before, after }];
  const all = { ...requests, added: [of('/new.js', 1000)], removed: [of('/old.js', 5000)], changed };
  const alike = { files: [] } as unknown as NonNullable<Parameters<typeof changedFilesOf>[0]['alike']>;
  assert.deepEqual(changedFilesOf({ alike, requests: all }), [], 'the simulated loads are those of the verdict');
  assert.deepEqual(
    changedFilesOf({ alike: null, requests: all }).map(({ kind, url, bytes }) => [
      kind,
      url,
      bytes.before,
      bytes.after,
    ]),
    [
      ['size', '/app.js', 200_000, 900_000],
      ['removed', '/old.js', 5000, 0],
      ['added', '/new.js', 0, 1000],
    ],
  );
});

const rowOf = (fields: Partial<MeasureChange>) => {
  const metrics = { largest_contentful_paint: buildMeasure(fields) };
  const [row] = toMeasureRows(buildResultsComparison({ scores: {}, metrics }));
  assert.ok(row);
  return row;
};

test('scores precede metrics, metrics of the score precede others, and only those on both sides are shown', () => {
  const scores = { seo: buildMeasure(), performance: buildMeasure() };
  const metrics = { interactive: buildMeasure(), speed_index: buildMeasure() };
  const rows = toMeasureRows(buildResultsComparison({ scores, metrics }));
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['performance', 'seo', 'speed_index', 'interactive'],
  );
});

test('values have their unit, and differences their sign and interval', () => {
  const { before, after, difference, between } = rowOf({});
  assert.deepEqual(
    [before, after, difference, between].map(text => text?.replaceAll('\u00a0', ' ')),
    ['1.9 s', '2.7 s', '+800 ms', 'between +640 ms and +980 ms'],
  );
  const none = rowOf({ after: null, difference: null, interval: null });
  assert.deepEqual([none.after, none.difference, none.between, none.plot], ['–', '', undefined, undefined]);
});

test('an interval that is wider than any change can be is not said', () => {
  const wide = { low: -7900, high: 8100, confidence: 0.95 };
  const telling = rowOf({ before: 3600, after: 3700, difference: 77, interval: { ...wide, low: -700, high: 900 } });
  assert.ok(telling.between && telling.plot);
  const { difference, between, plot } = rowOf({ before: 3600, after: 3700, difference: 77, interval: wide });
  assert.deepEqual([difference.replace('\u00a0', ' '), between, plot], ['+77 ms', undefined, undefined]);
  const score = { unit: 'point', before: 70, after: 70, difference: 0 } as const;
  assert.equal(rowOf({ ...score, interval: { ...wide, low: -152.1, high: 152.1 } }).between, undefined);
  assert.equal(rowOf({ ...score, interval: { ...wide, low: -9, high: 9 } }).between, 'between −9 and +9');
  const none = { before: 0, after: 0, difference: 0 };
  assert.ok(
    rowOf({ ...none, interval: { ...wide, low: -10, high: 20 } }).between,
    'of nothing, every width is possible',
  );
});

test('the cause of a change is what its explanation says before the values', () => {
  const cause = 'app.js was added (90 kB) and costs 11 points.';
  const verdict = { ...buildResultsComparison().verdict, status: 'worse' } as const;
  const explanation = `${cause} The page got worse: performance score 92 → 81 (−11).`;
  assert.equal(sayCause({ ...verdict, explanation }, 'worse'), cause);
  assert.equal(sayCause({ ...verdict, explanation }, 'better'), '', 'the verdict shows another change');
  for (const none of ['The page got worse: performance score 92 → 81 (−11).', 'Something else.'])
    assert.equal(sayCause({ ...verdict, explanation: none }, 'worse'), '');
});

test('an interval is drawn around zero, within its line, with the range that does not matter', () => {
  const { plot } = rowOf({ difference: -80, interval: { low: -100, high: 0, confidence: 0.95 }, min_effect: 50 });
  assert.ok(plot);
  assert.equal(plot.to, 50);
  assert.ok(plot.from > 0 && plot.from < plot.at && plot.at < plot.to);
  assert.deepEqual(plot.band[0] + plot.band[1], 100);
  const wide = rowOf({ difference: 1, interval: { low: 0, high: 2, confidence: 0.95 }, min_effect: 500 }).plot;
  assert.ok(wide && wide.band[0] > 0 && wide.band[1] < 100);
  assert.deepEqual(rowOf({ difference: 0, interval: { low: 0, high: 0, confidence: 0.95 }, min_effect: null }).plot, {
    from: 50,
    to: 50,
    at: 50,
    band: [50, 50],
  });
});

test('the confidence of the intervals and their origin are shown', () => {
  assert.match(sayIntervals(buildResultsComparison()), /with 95 % confidence\.$/);
  const metrics = {
    speed_index: buildMeasure({ interval: { low: 640, high: 980, confidence: 0.968 }, by: 'earlier_runs' }),
  };
  assert.match(
    sayIntervals(buildResultsComparison({ metrics })),
    /with 95 % and 97 % confidence\. Its width comes from the spread of earlier runs of the page\.$/,
  );
  assert.equal(sayIntervals(buildUndecided()), '');
});

test('audits are grouped by whether they fail now', () => {
  const { broken, mended } = toFlips(buildResultsComparison().audits ?? []);
  assert.deepEqual(
    [broken.map(({ id }) => id), mended.map(({ id }) => id)],
    [['image-alt', 'unused-javascript'], ['unsized-images']],
  );
  assert.equal(broken[0] && sayFlip(broken[0]), 'Accessibility, SEO: passed → failed');
  assert.equal(broken[1] && sayFlip({ ...broken[1], categories: [] }), 'did not apply → failed');
});

test('each side has its runs and labels, and values that both sides share are shown once', () => {
  assert.equal(saySide({ runs: 5, labels: ['build-41'] }), 'build-41, 5 runs');
  assert.equal(saySide({ runs: 1, labels: [] }), '1 run');
  assert.equal(saySide({ runs: 1, labels: [], history: 5 }), '1 run, with 5 other results');
  const change = buildUndecided();
  assert.deepEqual(
    (['url', 'strategy', 'source'] as const).map(name => sharedOf(change, name)),
    [undefined, undefined, 'lighthouse'],
  );
});

test('values under the same conditions are those of the simulation, with its basis', () => {
  const change = buildResultsComparison();
  assert.deepEqual([toAlikeRows(change), sayAlike(change)], [[], '']);
  const { scores, metrics } = change;
  const both = { before: 5, after: 4 };
  const withOthers = { ...scores, seo: buildMeasure() };
  const alike = { loads: both, cpu_factor: { before: 1, after: 1 }, scores: withOthers, metrics, files: [] };
  const names = toAlikeRows({ alike }).map(({ name }) => name);
  assert.ok(names.includes('performance') && !names.includes('seo'));
  assert.match(sayAlike({ alike }), /the stored loads \(5 before, 4 after\), simulated again/);
});

test('a reason keeps the name of a file in its own case', () => {
  const why = (explanation: string) => sayWhy({ ...buildResultsComparison().verdict, status: 'worse', explanation });
  assert.equal(
    why('hero.jpg was added (646 kB) and costs 13 points.'),
    'hero.jpg was added (646 kB) and costs 13 points.',
  );
  assert.equal(why('The page got worse: performance score 96 → 83.'), 'Performance score 96 → 83.');
});
