import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildDetails, buildSide } from '../../test/support/builders/side.ts';
import type { Result } from '../contract/result/result.ts';
import { sayDisturbances } from './disturbances.ts';
import type { LhrAudit } from './lhr.ts';

const say = (environment: Partial<Result['environment']>, ...audits: LhrAudit[]) => {
  const { lhr, result } = buildSide({ audits });
  return sayDisturbances(lhr, { ...result.environment, concurrent_audits: 0, ...environment });
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
