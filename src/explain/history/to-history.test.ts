import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildSeriesPoint as point, toMinutes } from '../../../test/support/builders/series.ts';
import { sayUtc } from '../../presentation/numbers.ts';
import type { SeriesFailure, SeriesPoint } from '../../storage/results/store.ts';
import { toRandom } from '../statistics/random.ts';
import { type HistoryOrder, toHistory } from './to-history.ts';

const history = (points: SeriesPoint[], failures: SeriesFailure[] = [], given: Partial<HistoryOrder> = {}) =>
  toHistory({
    notes: [],
    url: 'https://example.com/',
    strategy: 'mobile',
    source: 'lighthouse',
    metric: 'performance',
    label: null,
    series: { points, failures },
    limit: 10_000,
    ...given,
  });
const timeAt = (minute: number) => new Date(toMinutes(minute)).toISOString();
const failureAt = (minute: number, errorCode = 'page_error', pageStatus: number | null = 503): SeriesFailure => ({
  id: `failure-${minute}`,
  measuredAtMs: toMinutes(minute),
  errorCode,
  pageStatus,
});

test('a page without results has an empty history', () => {
  const { median, points, segments: stretches, change_points, gaps, is_complete } = history([]);
  assert.deepEqual([median, points, stretches, change_points, gaps, is_complete], [null, [], [], [], [], true]);
});

test('a score has points as its unit, a metric has its own, and each has its direction', () => {
  const of = (metric: HistoryOrder['metric']) => {
    const { unit, direction } = history([], [], { metric });
    return [unit, direction];
  };
  assert.deepEqual(of('seo'), ['point', 'higher_is_better']);
  assert.deepEqual(of('speed_index'), ['millisecond', 'lower_is_better']);
  assert.deepEqual(of('cumulative_layout_shift'), ['unitless', 'lower_is_better']);
});

test('runs of one request are one point, with their median, under the id of the shown result', () => {
  const runs = [90, 70, null, 80].map((value, at) =>
    point(at, value, { groupId: 'group', kind: at === 1 ? 'result' : 'run', label: 'v1' }),
  );
  const { points, without_value } = history([...runs, point(9, 60)]);
  assert.deepEqual(
    points.map(({ id, links, value, ids, label }) => [id, links.self, value, ids, label]),
    [
      ['id-1', '/results/id-1', 80, ['id-0', 'id-1', 'id-3'], 'v1'],
      ['id-9', '/results/id-9', 60, ['id-9'], null],
    ],
  );
  assert.equal(without_value, 0);
});

test('disturbed loads are shown, but change nothing, unless all are disturbed', () => {
  const series = (disturbed: boolean) =>
    Array.from({ length: 20 }, (_, at) =>
      point(at, at < 12 ? 91 - (at % 2) : 61 - (at % 2), { disturbed: disturbed && at >= 12 }),
    );
  assert.equal(history(series(true).slice(4)).change_points.length, 0);
  assert.equal(
    history(series(true).slice(5)).change_points.length,
    1,
    'most are disturbed: the machine is always busy',
  );
  const noisy = history(series(true));
  assert.deepEqual([noisy.points.length, noisy.change_points, noisy.possible_change], [20, [], null]);
  assert.deepEqual(
    noisy.segments.map(({ points, median }) => [points, median]),
    [[12, 90.5]],
  );
  assert.equal(history(series(false)).change_points.length, 1);
  assert.equal(history(series(true), [], { metric: 'seo' }).change_points.length, 1, 'no time is part of the value');
  assert.equal(history(series(true).slice(12)).points.length, 8);
  const runs = [90, 40, 91, 41, 42].map((value, at) =>
    point(at, value, { groupId: 'group', kind: at === 0 ? 'result' : 'run', disturbed: value < 50 }),
  );
  assert.deepEqual(
    history(runs).points.map(({ value, disturbed }) => [value, disturbed]),
    [[90.5, false]],
  );
});

test('runs whose shown result was removed remain a point, and results without the value are counted', () => {
  const { points, without_value } = history([
    point(0, 50, { groupId: 'group', kind: 'run' }),
    point(1, 52, { groupId: 'group', kind: 'run' }),
    point(2, null),
    point(3, null, { groupId: 'other', kind: 'run' }),
  ]);
  assert.deepEqual(
    points.map(({ id, value }) => [id, value]),
    [['id-0', 51]],
  );
  assert.equal(without_value, 2);
});

test('a measurement that a PSI server returned twice is one point', () => {
  const again = point(1, 60, { id: 'again' });
  assert.deepEqual(
    history([point(0, 60), point(1, 60), again, point(2, 60)]).points.map(({ id }) => id),
    ['id-0', 'id-1', 'id-2'],
  );
});

test('zero is a value', () => {
  assert.deepEqual(
    history([point(0, 0)]).points.map(({ value }) => value),
    [0],
  );
});

const step = (at: number, length: number, after = 80) =>
  Array.from({ length }, (_, index) => (index < at ? 95 : after) + (index % 2));

test('a change point has the results around it, its size and percent, and both segments', () => {
  const { change_points, segments: stretches, median } = history(step(12, 30).map((value, at) => point(at, value)));
  const [change, ...others] = change_points;
  assert.deepEqual(others, []);
  assert.deepEqual(
    [change?.status, change?.previous_id, change?.id, change?.previous_fetched_at, change?.fetched_at],
    ['worse', 'id-11', 'id-12', timeAt(11), timeAt(12)],
  );
  assert.deepEqual([change?.before, change?.after, change?.difference, change?.percent], [95.5, 80.5, -15, -15.7]);
  const { low = Number.NaN, high = Number.NaN } = change?.interval ?? {};
  assert.ok(low <= -15 && -15 <= high && high < 0);
  assert.deepEqual(
    stretches.map(({ from, to, points, median: own }) => [from, to, points, own]),
    [
      [timeAt(0), timeAt(11), 12, 95.5],
      [timeAt(12), timeAt(29), 18, 80.5],
    ],
  );
  assert.equal(median, 81);
});

test('a change names the speed of the machine if that changed too, and is its own if that explains it', () => {
  const stepAt = (indexOf: (at: number) => number | null, after?: number) =>
    history(step(12, 30, after).map((value, at) => point(at, value, { benchmarkIndex: indexOf(at) })));
  const differencesAt = (indexOf: (at: number) => number | null) => {
    const { change_points, machine_changes } = stepAt(indexOf);
    return [...change_points, ...machine_changes].map(({ differences }) => differences);
  };
  const countsAt = (indexOf: (at: number) => number | null, after?: number) => {
    const { change_points, machine_changes, segments } = stepAt(indexOf, after);
    return [change_points.length, machine_changes.length, segments.length];
  };
  assert.deepEqual(
    countsAt(at => (at < 12 ? 2000 : 900)),
    [0, 1, 2],
  );
  assert.deepEqual(
    countsAt(at => (at < 12 ? 900 : 2000)),
    [1, 0, 2],
    'faster, but worse',
  );
  assert.deepEqual(
    countsAt(at => (at < 12 ? 2000 : 900), 30),
    [1, 0, 2],
    'far more than a slower machine explains',
  );
  assert.deepEqual(
    countsAt(() => 2000),
    [1, 0, 2],
  );
  const speed = { name: 'benchmark_index', before: '2000', after: '900' };
  assert.deepEqual(
    differencesAt(at => (at < 12 ? 2000 : 900) + (at % 3)),
    [[{ ...speed, before: '2001', after: '901' }]],
  );
  assert.deepEqual(
    differencesAt(at => (at === 3 || at > 13 ? 900 : 2000)),
    [[speed]],
    'medians count',
  );
  assert.deepEqual(
    differencesAt(at => (at < 12 ? 1000 : 1200)),
    [[]],
  );
  assert.deepEqual(
    differencesAt(() => null),
    [[]],
  );
});

test('a change names the CPU throttling if its medians differ by more than calibrations do', () => {
  const namesAt = (slowdownOf: (at: number) => number | null) =>
    history(step(12, 30).map((value, at) => point(at, value, { cpuSlowdown: slowdownOf(at) }))).change_points[0]
      ?.differences;
  assert.deepEqual(
    namesAt(at => (at < 14 ? 4 : 2.3)),
    [{ name: 'throttling', before: 'CPU 4×', after: 'CPU 2.3×' }],
  );
  assert.deepEqual([namesAt(at => (at < 12 ? 2.3 : 2.4)), namesAt(at => (at < 12 ? null : 2.4))], [[], []]);
});

test('a last value outside the previous range is a possible change, if the effect matters', () => {
  const possible = (values: readonly number[], disturbed = false, given: Partial<HistoryOrder> = {}) =>
    history(
      values.map((value, at) => point(at, value, { disturbed: disturbed && at === values.length - 1 })),
      [],
      given,
    ).possible_change;
  assert.deepEqual(possible([92, 93, 91, 92, 78]), {
    status: 'worse',
    fetched_at: timeAt(4),
    id: 'id-4',
    value: 78,
  });
  assert.equal(possible([92, 93, 91, 92, 78], false, { metric: 'total_blocking_time' }), null);
  assert.equal(possible([92, 93, 91, 92, 300], false, { metric: 'total_blocking_time' })?.status, 'worse');
  assert.equal(possible([60, 61, 60, 61, 80])?.status, 'better');
  assert.equal(possible([98, 94, 97, 93, 84, 86])?.id, 'id-4', 'the first of two low values');
  // A point more or less, three values before it, and a disturbed load say nothing.
  assert.deepEqual(
    [possible([92, 93, 91, 92, 90]), possible([92, 93, 91, 78]), possible([92, 93, 91, 92, 78], true)],
    [null, null, null],
  );
  // A disturbance does not affect layout shifts, so these values are no longer outside the range.
  const shifts = [0.05, 0.05, 0.25, 0.05, 0.25, 0.05, 0.25];
  const points = shifts.map((value, at) => point(at, value, { disturbed: at === 2 || at === 4 }));
  assert.equal(history(points, [], { metric: 'cumulative_layout_shift' }).possible_change, null);
});

test('a last value that was measured otherwise, or on a slower machine, is no possible change', () => {
  const { analyser } = point(0, 0);
  const possible = (given: Partial<SeriesPoint>) =>
    history([92, 93, 91, 92, 93, 78].map((value, at) => point(at, value, at === 5 ? given : {}))).possible_change;
  assert.equal(possible({})?.status, 'worse');
  assert.equal(possible({ analyser: { ...analyser, lighthouseVersion: '14.0.0' } }), null);
  assert.equal(possible({ benchmarkIndex: 700 }), null);
});

test('a slower machine explains no change of a value that does not depend on it', () => {
  const countsOf = (shift: number, paint: number, slowFrom = 12) => {
    const { change_points, machine_changes } = history(
      step(12, 30).map((value, at) =>
        point(at, value, {
          benchmarkIndex: at < slowFrom ? 2000 : 1000,
          others: {
            cumulative_layout_shift: at < 12 ? 0 : shift,
            largest_contentful_paint: at < 12 ? 700 : paint,
          },
        }),
      ),
    );
    return [change_points.length, machine_changes.length];
  };
  assert.deepEqual(countsOf(0, 1300), [0, 1]);
  assert.deepEqual(countsOf(0.25, 1300), [1, 0], 'no machine moves the layout');
  assert.deepEqual(countsOf(0, 4100), [1, 0], 'nor makes the page six times slower');
  assert.deepEqual(countsOf(0, 1300, 6), [1, 0], 'the machine was slower before');
});

test('a change from zero has no percentage', () => {
  const values = Array.from({ length: 30 }, (_, at) => (at < 15 ? 0 : 400));
  const { change_points } = history(
    values.map((value, at) => point(at, value)),
    [],
    { metric: 'total_blocking_time' },
  );
  assert.deepEqual(
    change_points.map(({ before, difference, percent }) => [before, difference, percent]),
    [[0, 400, null]],
  );
});

test('a change point names the versions and labels that differ at it or one point away', () => {
  const { change_points } = history(
    step(12, 30).map((value, at) =>
      point(at, value, {
        label: at < 12 ? 'v1' : 'v2',
        profile: 'psi',
        analyser: {
          kind: 'local',
          host: null,
          lighthouseVersion: at < 11 ? '13.4.0' : '13.5.0',
          browserVersion: at < 13 ? '153.0.1' : '154.0.0',
          machineId: at < 20 ? 'one' : 'other',
        },
      }),
    ),
  );
  assert.deepEqual(change_points[0]?.differences, [
    { name: 'lighthouse_version', before: '13.4.0', after: '13.5.0' },
    { name: 'browser_version', before: '153.0.1', after: '154.0.0' },
    { name: 'label', before: 'v1', after: 'v2' },
  ]);
});

test('a change point names nothing if nothing differs', () => {
  const { change_points } = history(step(12, 30).map((value, at) => point(at, value, { label: 'v1' })));
  assert.deepEqual(change_points[0]?.differences, []);
});

test('failures without a result between them are one gap, with their reason and times', () => {
  const { gaps } = history(
    [point(0, 90), point(10, 90), point(20, 90)],
    [failureAt(-5), failureAt(3), failureAt(4), failureAt(5), failureAt(12, 'page_timeout', null), failureAt(30)],
  );
  assert.deepEqual(
    gaps.map(({ failures, explanation }) => [failures, explanation]),
    [
      [1, `page error 503 at ${sayUtc(timeAt(-5))}`],
      [3, `page error 503 from ${sayUtc(timeAt(3))} to ${sayUtc(timeAt(5))}`],
      [1, `page timeout at ${sayUtc(timeAt(12))}`],
      [1, `page error 503 at ${sayUtc(timeAt(30))}`],
    ],
  );
});

test('a gap with several reasons lists each with its count, most frequent first', () => {
  const { gaps } = history([], [failureAt(1, 'page_timeout', null), failureAt(2), failureAt(3), failureAt(4)]);
  assert.deepEqual(gaps[0]?.reasons, [
    { code: 'page_error', page_status: 503, failures: 3 },
    { code: 'page_timeout', page_status: null, failures: 1 },
  ]);
  assert.equal(
    gaps[0]?.explanation,
    `page error 503 (3×), page timeout (1×) from ${sayUtc(timeAt(1))} to ${sayUtc(timeAt(4))}`,
  );
});

test('a truncated history says so, and explains no gap before its first point', () => {
  const { is_complete, gaps } = history([point(5, 90), point(6, 90)], [failureAt(1), failureAt(8)], { limit: 2 });
  assert.equal(is_complete, false);
  assert.deepEqual(
    gaps.map(({ from }) => from),
    [timeAt(8)],
  );
});

test('in any series, every value is in one point, every point in one segment, and every failure in one gap', () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.constant(null));
  const entry = fc.record({ value, group: fc.option(fc.integer({ min: 0, max: 3 })), isFailure: fc.boolean() });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 60 }), entries => {
      const points = entries.flatMap(({ value, group, isFailure }, at) =>
        isFailure ? [] : [point(at, value, { groupId: group === null ? null : `group-${group}`, kind: 'run' })],
      );
      const failures = entries.flatMap(({ isFailure }, at) => (isFailure ? [failureAt(at)] : []));
      const answer = history(points, failures);
      const measured = points.filter(({ value }) => value !== null).map(({ id }) => id);
      assert.deepEqual(answer.points.flatMap(({ ids }) => ids).toSorted(), measured.toSorted());
      assert.equal(
        answer.segments.reduce((sum, stretch) => sum + stretch.points, 0),
        answer.points.length,
      );
      assert.equal(
        answer.gaps.reduce((sum, gap) => sum + gap.failures, 0),
        failures.length,
      );
      const times = answer.points.map(({ fetched_at: time }) => time);
      assert.deepEqual(times, times.toSorted());
      assert.equal(answer.segments.length, answer.points.length === 0 ? 0 : answer.change_points.length + 1);
    }),
  );
});

test('the same series has the same history', () => {
  const random = toRandom([1]);
  const points = Array.from({ length: 200 }, (_, at) => point(at, Math.round((at < 80 ? 90 : 75) + 8 * random())));
  assert.deepEqual(history(points), history(points));
});

test('a change names the other values of the loads that changed with it, and no others', () => {
  const noise = toRandom([5]);
  const paints = Array.from({ length: 14 }, (_, at) => (at < 8 ? 700 : 4100) + 40 * noise());
  const shifts = paints.map(() => 0.1 + 0.01 * noise());
  const points = paints.map((paint, at) =>
    point(at, at < 8 ? 99 : 66 + (at % 2), {
      others: {
        largest_contentful_paint: paint,
        cumulative_layout_shift: shifts[at] ?? null,
        total_blocking_time: null,
      },
    }),
  );
  const [change, ...more] = history(points).change_points;
  assert.deepEqual(more, []);
  assert.deepEqual(
    change?.also.map(({ name, status, unit }) => [name, status, unit]),
    [['largest_contentful_paint', 'worse', 'millisecond']],
  );
  const [paint] = change?.also ?? [];
  assert.ok(paint && Math.abs(paint.before - 720) < 30 && Math.abs(paint.after - 4120) < 30);
});

test('a metric that changed a point earlier or later than the score has the same event', () => {
  const paints = [700, 710, 705, 702, 708, 701, 706, 704, 2900, 4110, 4120, 4105, 4108, 4101];
  const scores = [99, 99, 100, 99, 99, 100, 99, 99, 98, 67, 66, 66, 67, 66];
  const toPoint = (metric: 'performance' | 'largest_contentful_paint') =>
    paints.map((paint, at) =>
      metric === 'performance'
        ? point(at, scores[at] ?? null, { others: { largest_contentful_paint: paint } })
        : point(at, paint, { others: { performance: scores[at] ?? null } }),
    );
  const placeOf = (metric: 'performance' | 'largest_contentful_paint') =>
    history(toPoint(metric), [], { metric }).change_points.map(({ id }) => id);
  assert.deepEqual(placeOf('performance'), ['id-9']);
  assert.deepEqual(placeOf('largest_contentful_paint'), ['id-9']);
  const alone = paints.map((paint, at) => point(at, paint));
  const [own] = history(alone, [], { metric: 'largest_contentful_paint' }).change_points;
  assert.equal(own?.id, 'id-8', 'without scores, its own values place it');
});
