import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCategory } from '../../../test/support/builders/lhr.ts';
import { buildDetails, buildSide } from '../../../test/support/builders/side.ts';
import type { Result } from '../../contract/result/result.ts';
import type { DisturbanceKind } from '../../contract/result/runs.ts';
import { nameOtherHalf, toDisturbances, toDisturbedMs } from './disturbances.ts';
import type { LhrAudit } from './lhr.ts';

const find = (environment: Partial<Result['environment']>, ...audits: LhrAudit[]) => {
  const { lhr, result } = buildSide({ audits });
  const performance = buildCategory('performance', [], 0.87);
  return toDisturbances(
    { ...lhr, categories: { performance } },
    { ...result.environment, concurrent_audits: 0, ...environment },
  );
};
const say = (...given: Parameters<typeof find>) => [...find(...given).sentences];
const mark = (...given: Parameters<typeof find>) => {
  const { disturbed, disturbance } = find(...given);
  return { disturbed, ...disturbance };
};

const url = 'https://example.com/app.js';
/** A long task of this address, of which so much is script, and the work of the main thread. */
const busy = (scripting: number, groups: Record<string, number>): LhrAudit[] => [
  buildDetails('total-blocking-time', {}, { numericValue: 350 }),
  buildDetails('long-tasks', { items: [{ url, duration: 400, startTime: 900 }] }),
  buildDetails('bootup-time', { items: [{ url, scripting, total: 400 }] }),
  buildDetails('mainthread-work-breakdown', {
    items: Object.entries(groups).map(([group, duration]) => ({ group, duration })),
  }),
];

test('a quiet run has no warning', () => {
  assert.deepEqual(say({}), []);
  assert.deepEqual(say({ concurrent_audits: 1, benchmark_index: 1900, benchmark_median: 2000 }), []);
  assert.deepEqual(say({ concurrent_audits: 1 }, ...busy(390, { scriptEvaluation: 390, other: 60 })), []);
});

test('a machine far slower than usual causes a warning sentence', () => {
  assert.deepEqual(say({ benchmark_index: 900, benchmark_median: 2100 }), [
    'This run may have been disturbed: the machine was slower than usual (benchmark index 900, usually 2,100), so times may be too long.',
  ]);
  assert.deepEqual(say({ benchmark_index: 900, benchmark_median: null }), []);
});

test('blocking time that is neither script nor layout is a warning', () => {
  const strange = busy(5, { other: 300, garbageCollection: 80, styleLayout: 60 });
  assert.deepEqual(say({ concurrent_audits: 1 }, ...strange), [
    'This run was disturbed: the page blocked for 350 ms without long scripts while another audit ran on this machine, so the score may be too low.',
  ]);
  assert.match(say({}, ...strange)[0] ?? '', /without long scripts, so the score/);
  assert.deepEqual(say({}, ...busy(5, { styleLayout: 390, other: 100 })), [], 'a page of many elements');
  assert.deepEqual(say({ concurrent_audits: null }, ...strange), [], 'it was measured elsewhere');
});

const waited = (performance?: number, blockingMs = 82) => ({
  processor_wait: {
    main_thread_ms: 101,
    ...(performance === undefined ? {} : { without: { performance, total_blocking_time: blockingMs } }),
  },
});
const blocks = (ms: number) => buildDetails('total-blocking-time', {}, { numericValue: ms });

test('a load that is better without its CPU wait was disturbed, and gets its value without the wait', () => {
  assert.deepEqual(say({ concurrent_audits: 1, ...waited(96) }, blocks(170.4)), [
    'This run was disturbed: main-thread tasks waited 101 ms for a CPU while another audit ran on this machine. Without that wait, Total Blocking Time is 82 ms instead of 170 ms, and performance scores 96 instead of 87.',
  ]);
  assert.match(
    say(waited(90), blocks(82))[0] ?? '',
    /101 ms for a CPU\. Without that wait, performance scores 90 instead of 87\.$/,
  );
  assert.match(say(waited(88), blocks(182))[0] ?? '', /82 ms instead of 182 ms, and .* 88 instead of 87\.$/);
  assert.match(say(waited(87), blocks(182))[0] ?? '', /82 ms instead of 182 ms, and performance still scores 87\.$/);
  for (const quiet of [waited(89), waited(80), waited()]) assert.deepEqual(say(quiet, blocks(181)), []);
});

test('if the wait is known, long tasks of a simulated load are not attributed to the machine', () => {
  const strange = busy(5, { other: 300, garbageCollection: 80, styleLayout: 60 });
  assert.deepEqual(say({ ...waited(88, 300), throttling_method: 'simulate' }, ...strange), []);
  assert.match(
    say({ ...waited(96, 300), throttling_method: 'simulate' }, ...strange).join(),
    /^This run was disturbed: [^:]*instead of 87\.$/,
  );
  assert.match(say({ ...waited(), throttling_method: 'devtools' }, ...strange).join(), /without long scripts/);
});

test('a run is marked with its disturbances, the metrics they invalidate, and their values without them', () => {
  assert.deepEqual(mark({}), { disturbed: false });
  assert.deepEqual(mark({ concurrent_audits: null }), { disturbed: null }, 'another machine does not say');
  assert.deepEqual(mark({ ...waited(96) }, blocks(170)), {
    disturbed: true,
    kinds: ['processor_wait'],
    denied: ['total_blocking_time', 'interactive'],
    performance: 96,
    total_blocking_time: 82,
  });
  const later = (later_paints: Record<string, number>) => {
    const { main_thread_ms } = waited().processor_wait;
    return { processor_wait: { main_thread_ms, without: { performance: 96, total_blocking_time: 168, later_paints } } };
  };
  assert.deepEqual(
    mark(later({ largest_contentful_paint: 2400 }), blocks(170)).denied,
    ['total_blocking_time', 'interactive', 'largest_contentful_paint'],
    'two milliseconds of blocking do not explain nine points',
  );
  assert.deepEqual(mark(later({ speed_index: 900 }), blocks(168)).denied, ['interactive', 'speed_index']);
  assert.deepEqual(mark(later({}), blocks(170)).denied, ['total_blocking_time', 'interactive']);
  assert.deepEqual(mark(later({ speed_index: 900 }), blocks(168)).paints, { speed_index: 900 });
  const slow = { benchmark_index: 900, benchmark_median: 2100 };
  assert.deepEqual(mark({ ...waited(96), ...slow }, blocks(170)), {
    disturbed: true,
    kinds: ['processor_wait', 'slow_machine'],
    performance: null,
    total_blocking_time: null,
    denied: [
      ...['total_blocking_time', 'interactive', 'first_contentful_paint', 'largest_contentful_paint', 'speed_index'],
    ],
  });
});

const observed = (load: number, paint: number, ...requests: Record<string, unknown>[]): LhrAudit[] => [
  buildDetails('metrics', { items: [{ observedLoad: load, observedFirstContentfulPaint: paint }] }),
  buildDetails('network-requests', { items: requests }),
];

test('a first paint a second or more after the load event means a disturbed run', () => {
  assert.deepEqual(say({}, ...observed(400, 1700)), [
    'This run was disturbed: the browser painted the page 1.3 s after it had loaded, so its paint times are too long and the score is too low.',
  ]);
  assert.deepEqual(mark({}, ...observed(400, 1400)).kinds, ['late_paint']);
  assert.equal(mark({ concurrent_audits: null }, ...observed(400, 1400)).disturbed, true, 'wherever it was measured');
  assert.deepEqual(say({}, ...observed(400, 1399)), []);
  assert.deepEqual(say({}, ...observed(1700, 400)), []);
});

test('a page that fetches or reveals its content after the load event paints late on its own', () => {
  const fetched = { resourceType: 'Fetch', networkEndTime: 1600 };
  assert.deepEqual(say({}, ...observed(400, 1700, fetched)), []);
  assert.equal(mark({}, ...observed(400, 1700, { ...fetched, resourceType: 'Ping' })).disturbed, true);
  assert.equal(mark({}, ...observed(400, 1700, { ...fetched, networkEndTime: 1900 })).disturbed, true);
  assert.equal(mark({}, ...observed(400, 1700, { ...fetched, networkEndTime: 500 })).disturbed, true);
  assert.deepEqual(say({ paint_wait_ms: 12 }, ...observed(400, 1700)), [], 'a timer reveals it');
  assert.equal(mark({ paint_wait_ms: 1200 }, ...observed(400, 1700)).disturbed, true);
});

test('details of another shape are not a late paint', () => {
  for (const items of [undefined, null, 'x', [], [null], [{ observedLoad: '1', observedFirstContentfulPaint: 5000 }]])
    assert.deepEqual(say({}, buildDetails('metrics', { items })), []);
});

test('the disturbance of a load is based on the wait, the tasks without script and the late paint, not a slow machine', () => {
  const { result } = buildSide();
  const metrics = { ...result.metrics, total_blocking_time: { ...result.metrics.total_blocking_time, value: 350 } };
  const disturbedMs = (...kinds: DisturbanceKind[]) =>
    toDisturbedMs({
      metrics,
      environment: { ...result.environment, processor_wait: { main_thread_ms: 101 }, paint_wait_ms: 1200 },
      disturbance: { kinds, denied: [], performance: null, total_blocking_time: null },
    });
  const waitedFor = (othersMs: number) =>
    toDisturbedMs({
      metrics,
      environment: { ...result.environment, processor_wait: { main_thread_ms: 101, others_ms: othersMs } },
      disturbance: { kinds: ['processor_wait'], denied: [], performance: null, total_blocking_time: null },
    });
  assert.equal(toDisturbedMs({ ...result, disturbance: undefined } as unknown as Result), 0);
  assert.equal(disturbedMs('processor_wait'), 101);
  assert.deepEqual([waitedFor(100), waitedFor(101)], [0, 101], 'others ran for that long');
  assert.equal(disturbedMs('tasks_without_script'), 350);
  assert.equal(disturbedMs('late_paint'), 1200);
  assert.equal(disturbedMs('slow_machine'), 0);
  assert.equal(disturbedMs('processor_wait', 'late_paint', 'slow_machine'), 1301);
});

test('a wait for the browser itself does not name other audits', () => {
  const sayWait = (others_ms: number) =>
    say({ concurrent_audits: 1, processor_wait: { ...waited(97).processor_wait, others_ms } })[0] ?? '';
  assert.match(sayWait(100), /waited 101 ms for a CPU\. /);
  assert.match(sayWait(101), /waited 101 ms for a CPU while another audit ran/);
});

test('one half of a comparison can name the other half as a concurrent run', () => {
  const warnings = [...say({ concurrent_audits: 1, ...waited(97) }), 'Lighthouse was slow.'];
  assert.deepEqual(
    nameOtherHalf({ warnings }).map(warning => /while the other half of this comparison ran/.test(warning)),
    [true, false],
  );
});
