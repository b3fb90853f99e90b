import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCategory } from '../../test/support/builders/lhr.ts';
import { buildDetails, buildSide } from '../../test/support/builders/side.ts';
import type { Result } from '../contract/result/result.ts';
import { sayDisturbances } from './disturbances.ts';
import type { LhrAudit } from './lhr.ts';

const say = (environment: Partial<Result['environment']>, ...audits: LhrAudit[]) => {
  const { lhr, result } = buildSide({ audits });
  const performance = buildCategory('performance', [], 0.87);
  return sayDisturbances(
    { ...lhr, categories: { performance } },
    { ...result.environment, concurrent_audits: 0, ...environment },
  );
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
  assert.deepEqual(say({ concurrent_audits: 1, benchmark_index: 1900, benchmark_usual: 2000 }), []);
  assert.deepEqual(say({ concurrent_audits: 1 }, ...busy(390, { scriptEvaluation: 390, other: 60 })), []);
});

test('a machine that is far slower than usual is a warning, in words', () => {
  assert.deepEqual(say({ benchmark_index: 900, benchmark_usual: 2100 }), [
    'This run may have been disturbed: when the machine was timed it was slower than usual (benchmark index 900, usually 2,100), so times may be too long.',
  ]);
  assert.deepEqual(say({ benchmark_index: 900, benchmark_usual: null }), []);
});

test('blocking time that is neither script nor layout is a warning', () => {
  const strange = busy(5, { other: 300, garbageCollection: 80, styleLayout: 60 });
  assert.deepEqual(say({ concurrent_audits: 1 }, ...strange), [
    'This run was disturbed: it has 350 ms of blocking time without long scripts while another audit ran on this machine, so the score may be too low.',
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

test('a load that is better without its wait for a processor was disturbed, and says what it is then', () => {
  assert.deepEqual(say({ concurrent_audits: 1, ...waited(96) }, blocks(170.4)), [
    'This run was disturbed: the page waited 101 ms for a processor while another audit ran on this machine. Without that this load has 82 ms of blocking time, not 170, and scores performance 96, not 87.',
  ]);
  assert.match(
    say(waited(90), blocks(82))[0] ?? '',
    /101 ms for a processor\. Without that .* 82, and scores performance 90/,
  );
  assert.match(say(waited(88), blocks(182))[0] ?? '', /82 ms of blocking time, not 182, and .* 88, not 87\.$/);
  for (const quiet of [waited(89), waited(80), waited()]) assert.deepEqual(say(quiet, blocks(181)), []);
});

test('where the wait is known, long tasks of a simulated load are not laid to the machine', () => {
  const strange = busy(5, { other: 300, garbageCollection: 80, styleLayout: 60 });
  assert.deepEqual(say({ ...waited(88, 300), throttling_method: 'simulate' }, ...strange), []);
  assert.match(
    say({ ...waited(96, 300), throttling_method: 'simulate' }, ...strange).join(),
    /^This run was disturbed: [^:]*not 87\.$/,
  );
  assert.match(say({ ...waited(), throttling_method: 'devtools' }, ...strange).join(), /without long scripts/);
});
