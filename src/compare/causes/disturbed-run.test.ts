import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildDocument, buildSide } from '../../../test/support/builders/side.ts';
import type { Result } from '../../contract/result/result.ts';
import type { LhrAudit } from '../../result/lhr.ts';
import { compareSides } from '../compare-sides.ts';

const embedded: Result['analyser'] = { kind: 'embedded', host: '127.0.0.1:8000' };
const google: Result['analyser'] = { kind: 'google', host: 'psi.example' };
/** A load whose blocking time costs 15 points, beside a remote one that ran for 8 s. */
const judge = (analyser: Result['analyser'], fetched_at: string, audits: readonly LhrAudit[] = []) => {
  const remote = { fetched_at, duration_ms: 8000 };
  const own = { fetched_at: '2026-11-20T10:00:00.000Z', duration_ms: 9000 };
  const { causes } = compareSides(
    buildSide({ analyser, result: remote, audits }),
    buildSide({ source: 'lighthouse', metricScores: [1, 1, 0.5, 1, 1], result: own }),
    { outcome: { results: [] }, askedAtMs: Date.parse(fetched_at) },
  );
  return causes.map(({ cause, certainty }) => `${cause} ${certainty}`);
};

test('two sides that ran on one machine at once may have disturbed each other', () => {
  assert.deepEqual(judge(embedded, '2026-11-20T10:00:02.000Z'), ['disturbed_run possible']);
  assert.deepEqual(judge(embedded, '2026-11-20T09:59:55.000Z'), ['disturbed_run possible']);
  assert.deepEqual(judge(embedded, '2026-11-20T10:00:10.000Z'), ['unexplained observed'], 'one after the other');
  assert.deepEqual(judge(google, '2026-11-20T10:00:02.000Z'), ['unexplained observed'], 'on two machines');
});

test('a difference of the page stands before what may have been on any busy machine', () => {
  const another = [buildDocument({ resourceSize: 5400 })];
  assert.deepEqual(judge(embedded, '2026-11-20T10:00:02.000Z', another), [
    'different_page possible',
    'disturbed_run possible',
  ]);
});
