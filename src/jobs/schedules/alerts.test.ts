/** Which changes of a history are named: each once, its end once, and hardly ever one of an unchanged page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { buildSeriesPoint, toMinutes } from '../../../test/support/builders/series.ts';
import { simulatedHistories, simulateHistory } from '../../../test/support/builders/simulated-series.ts';
import { toHistory } from '../../explain/history/to-history.ts';
import { toRandom } from '../../explain/statistics/random.ts';
import type { ResultStore, SeriesPoint } from '../../storage/results/store.ts';
import { createReadShown, toAlarm } from './alerts.ts';

type Named = { at: number; isEnd: boolean; status: string | undefined };

/** Asks after every point, as a schedule does after every run. */
function nameAll(
  values: readonly number[],
  { sinceMs = 0, given }: { sinceMs?: number; given?: (at: number) => Partial<SeriesPoint> } = {},
): Named[] {
  const points = values.map((value, at) => buildSeriesPoint(at * 60, value, given?.(at)));
  const named: Named[] = [];
  let alert: NonNullable<ReturnType<typeof toAlarm>>['alert'] | undefined;
  for (let at = 0; at < points.length; at += 1) {
    const series = { points: points.slice(Math.max(0, at - 199), at + 1), failures: [] };
    const history = toHistory({
      ...{ url: 'https://example.com/', strategy: 'mobile', source: 'lighthouse', metric: 'performance', label: null },
      ...{ series, limit: 10_000, notes: [] },
    });
    const found = toAlarm(history, alert, { sinceMs, nowMs: toMinutes(at * 60) });
    if (!found) continue;
    alert = found.alert;
    if (found.alarm) named.push({ at, isEnd: found.alarm.isEnd, status: found.alarm.change?.status });
  }
  return named;
}

const level = (count: number, value: number) => Array.from({ length: count }, (_, at) => value + ((at * 7) % 3));

test('a change is named once, and its end once', () => {
  const named = nameAll([...level(15, 92), ...level(40, 70), ...level(30, 92)]);
  assert.deepEqual(
    named.map(({ isEnd, status }) => [isEnd, status]),
    [
      [false, 'worse'],
      [true, 'better'],
    ],
  );
  assert.ok((named[0]?.at ?? 99) <= 19 && (named[1]?.at ?? 99) <= 60, JSON.stringify(named));
});

test('a second change is a change, and values that never return have no end', () => {
  const named = nameAll([...level(15, 95), ...level(30, 80), ...level(30, 60)]);
  assert.deepEqual(
    named.map(({ isEnd, status }) => [isEnd, status]),
    [
      [false, 'worse'],
      [false, 'worse'],
    ],
  );
});

test('the next change after an end is named again', () => {
  const named = nameAll([...level(15, 92), ...level(30, 70), ...level(30, 92), ...level(30, 70)]);
  assert.deepEqual(
    named.map(({ isEnd }) => isEnd),
    [false, true, false],
  );
});

test('a page that got better and then as bad as before got worse', () => {
  assert.deepEqual(
    nameAll([...level(15, 65), ...level(15, 95), ...level(15, 65)]).map(({ isEnd, status }) => [isEnd, status]),
    [
      [false, 'better'],
      [false, 'worse'],
    ],
  );
});

test('the points of a page count, not its runs', async () => {
  const limits: (number | undefined)[] = [];
  const readShown = createReadShown(async (_store, { limit }) => {
    limits.push(limit);
    return Buffer.from('{}');
  }, {} as ResultStore);
  const of = { url: 'https://example.com/', strategy: 'mobile', source: 'lighthouse', label: null } as const;
  for (const runs of [1, 5, 'auto'] as const)
    await readShown({ ...of, conditions: null, runs }, new AbortController().signal);
  assert.deepEqual(limits, [200, 1000, 1800]);
});

test('a change before the schedule is not named', () => {
  const sinceMs = toMinutes(30 * 60);
  assert.deepEqual(nameAll([...level(15, 92), ...level(40, 70)], { sinceMs }), []);
});

const { analyser } = buildSeriesPoint(0, 0);
const otherMeasurings: Readonly<Record<string, [before: Partial<SeriesPoint>, after: Partial<SeriesPoint>]>> = {
  profile: [{ profile: 'lighthouse' }, { profile: 'psi' }],
  analyser: [{ analyser }, { analyser: { ...analyser, kind: 'uploaded', machineId: null } }],
  'CPU throttling': [{ cpuSlowdown: 4 }, { cpuSlowdown: 2.3 }],
  'minor version of Lighthouse': [{ analyser }, { analyser: { ...analyser, lighthouseVersion: '13.6.0' } }],
};

for (const [name, [before, after]] of Object.entries(otherMeasurings))
  test(`another way of measuring is neither a change nor an end: ${name}`, () => {
    const from = (border: number) => (at: number) => (at < border ? before : after);
    assert.deepEqual(nameAll([...level(15, 92), ...level(40, 70)], { given: from(15) }), []);
    const values = [...level(15, 92), ...level(30, 70), ...level(30, 92)];
    assert.deepEqual(
      nameAll(values, { given: from(45) }).map(({ isEnd }) => isEnd),
      [false],
    );
    const better = nameAll([...values, ...level(15, 99)], { given: from(45) }).slice(1);
    assert.deepEqual(
      better.map(({ isEnd, status }) => [isEnd, status]),
      [[false, 'better']],
    );
  });

test('a faster machine is no end, even when its change is no longer among the points, and a better page is named', () => {
  const slowPage = [...level(15, 92), ...level(30, 70), ...level(230, 92)];
  const statuses = (values: readonly number[]) =>
    nameAll(values, { given: at => ({ benchmarkIndex: at < 45 ? 1000 : 2500 }) }).map(({ isEnd, status }) => [
      isEnd,
      status,
    ]);
  assert.deepEqual(statuses(slowPage), [[false, 'worse']]);
  assert.deepEqual(statuses([...slowPage, ...level(15, 99)]), [
    [false, 'worse'],
    [false, 'better'],
  ]);
});

test('a bug fix of Lighthouse, a restarted embedded analyser and calibrations that barely vary hide no change', () => {
  const given = (at: number): Partial<SeriesPoint> => ({
    cpuSlowdown: at < 15 ? 2.3 : 2.4,
    analyser: {
      ...analyser,
      kind: 'embedded',
      host: `127.0.0.1:${at < 15 ? 8000 : 8001}`,
      lighthouseVersion: `13.5.${at < 15 ? 0 : 1}`,
    },
  });
  assert.equal(nameAll([...level(15, 92), ...level(40, 70)], { given }).length, 1);
});

type RealLoad = { readonly benchmark_index: number; readonly scores: { readonly performance: number } };
const realLoads: Readonly<Record<string, readonly RealLoad[]>> = JSON.parse(
  readFileSync(new URL('../../../bench/change/real-loads.json', import.meta.url), 'utf8'),
);

/** Continues stored loads with blocks of neighbours: a machine is busy for a while, so loads are not independent. */
function continueLoads(loads: readonly RealLoad[], count: number, random: () => number): RealLoad[] {
  const continued = [...loads];
  const block = 8;
  while (continued.length < count) {
    const start = Math.floor(random() * (loads.length - block + 1));
    continued.push(...loads.slice(start, start + block));
  }
  return continued.slice(0, count);
}

test('1,000 points of the stored loads of three unchanged pages have no message', t => {
  const random = toRandom([2026, 11, 28]);
  const counts = Object.entries(realLoads).map(([page, loads]) => {
    let count = 0;
    for (let history = 0; history < 2; history += 1) {
      const points = continueLoads(loads, 170, random);
      const speeds = points.map(({ benchmark_index: speed }) => speed);
      count += nameAll(
        points.map(({ scores }) => scores.performance),
        { given: at => ({ benchmarkIndex: speeds[at] ?? null }) },
      ).length;
    }
    return [page, count];
  });
  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual(
    counts.map(([, count]) => count),
    [0, 0, 0],
  );
});

test('1,000 points of unchanged pages have at most five messages', t => {
  const random = toRandom([2026, 11, 28]);
  const counts = Object.fromEntries(
    (['quiet FCP +100', 'usual LCP +300', 'busy score −10'] as const).map(name => {
      const history = { ...simulatedHistories[name], measure: 'performance' as const };
      let count = 0;
      for (let at = 0; at < 5; at += 1)
        count += nameAll(simulateHistory(history, { days: 200, runs: 1, random })).length;
      return [name, count];
    }),
  );
  t.diagnostic(JSON.stringify(counts));
  for (const [name, count] of Object.entries(counts)) assert.ok(count <= 5, `${name}: ${count}`);
});
