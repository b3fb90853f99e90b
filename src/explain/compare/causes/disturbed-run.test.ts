import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareSides } from '../../../../test/support/builders/compared.ts';
import { buildDocument, buildSide } from '../../../../test/support/builders/side.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { LhrAudit } from '../../../measure/lhr/lhr.ts';

const embedded: Result['analyser'] = { kind: 'embedded', host: '127.0.0.1:8000' };
const google: Result['analyser'] = { kind: 'google', host: 'psi.example' };
/** Compares a PSI load of 8 s with a local load whose blocking time costs 15 points. */
const compare = (
  analyser: Result['analyser'],
  fetched_at: string,
  audits: readonly LhrAudit[] = [],
  waits: readonly (readonly [waitedMs: number, performance: number] | null)[] = [],
) => {
  const remote = { fetched_at, duration_ms: 8000 };
  const own = { fetched_at: '2026-11-20T10:00:00.000Z', duration_ms: 9000 };
  const sides = [
    buildSide({ analyser, result: remote, audits }),
    buildSide({ source: 'lighthouse', metricScores: [1, 1, 0.5, 1, 1], result: own }),
  ] as const;
  for (const [at, { result }] of sides.entries()) {
    const [waitedMs, performance] = waits[at] ?? [];
    if (waitedMs !== undefined && performance !== undefined)
      result.environment.processor_wait = {
        main_thread_ms: waitedMs,
        without: { performance, total_blocking_time: 0 },
      };
  }
  return compareSides(...sides, { outcome: { results: [] }, askedAtMs: Date.parse(fetched_at) });
};
const judge = (...given: Parameters<typeof compare>) =>
  compare(...given).causes.map(({ cause, certainty }) => `${cause} ${certainty}`);

test('two sides that ran on one machine at the same time may have disturbed each other', () => {
  assert.deepEqual(judge(embedded, '2026-11-20T10:00:02.000Z'), ['disturbed_run possible']);
  assert.deepEqual(judge(embedded, '2026-11-20T09:59:55.000Z'), ['disturbed_run possible']);
  assert.deepEqual(judge(embedded, '2026-11-20T10:00:10.000Z'), ['unexplained observed'], 'one after the other');
  assert.deepEqual(judge(google, '2026-11-20T10:00:02.000Z'), ['unexplained observed'], 'on two machines');
});

test('a difference of the page precedes a disturbance that any busy machine may cause', () => {
  const another = [buildDocument({ resourceSize: 5400 })];
  assert.deepEqual(judge(embedded, '2026-11-20T10:00:02.000Z', another), [
    'different_page possible',
    'disturbed_run possible',
  ]);
});

test('a measured CPU wait gets exactly the points that the load lost by it', () => {
  const later = '2026-11-20T10:00:10.000Z';
  const { explanation: verdict, causes } = compare(google, later, [], [null, [140, 98]]);
  assert.match(verdict, /^Local Lighthouse scores 85, Google 100\. A disturbed run accounts for 13 of the 15 points\./);
  assert.equal(
    causes[0]?.explanation,
    'The page waited 140 ms for a CPU in local Lighthouse. Without that wait, the same load scores 98 instead of 85.',
  );
  assert.deepEqual(causes[0]?.evidence, [{ fact: 'processor_wait_ms', psi: null, lighthouse: 140 }]);
  assert.deepEqual(judge(google, later, [], [null, [140, 92]]), ['disturbed_run observed', 'unexplained observed']);
  assert.equal(
    compare(google, later, [], [null, [140, 92]]).causes.find(({ cause }) => cause === 'disturbed_run')?.points,
    -7,
  );
  assert.deepEqual(judge(google, later, [], [[300, 100], null]), ['unexplained observed']);
});

test('if both sides waited, only the additional wait of one has points', () => {
  const later = '2026-11-20T10:00:10.000Z';
  const slow = (psi: number, own: number) => {
    const waits = [
      [90, psi],
      [140, own],
    ] as const;
    return judge(google, later, [], waits);
  };
  assert.deepEqual(slow(100, 98), ['disturbed_run observed', 'unexplained possible']);
  assert.deepEqual(slow(109, 98), ['disturbed_run observed', 'unexplained observed']);
});
