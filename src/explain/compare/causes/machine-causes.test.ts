import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareSides } from '../../../../test/support/builders/compared.ts';
import { buildReAudit } from '../../../../test/support/builders/re-audit.ts';
import { buildDetails, buildSide } from '../../../../test/support/builders/side.ts';
import type { Side } from '../side.ts';

const under = (processors: number | null, side: Side): Side => ({
  ...side,
  result: { ...side.result, environment: { ...side.result.environment, processors } },
});
/** Metric scores of a load whose paints cost about ten points. */
const slow = [0.8, 0.7, 1, 1, 0.9];
const judge = (
  theirs: number | null,
  ours: number | null,
  { benchmarkIndex = 2000, again = [] }: { benchmarkIndex?: number; again?: number[][] } = {},
) =>
  compareSides(
    under(theirs, buildSide({ analyser: { kind: 'custom', host: 'audits.example' } })),
    under(ours, buildSide({ source: 'lighthouse', metricScores: slow, benchmarkIndex })),
    { outcome: { results: again.map(buildReAudit) }, askedAtMs: Date.parse('2026-11-20T10:00:00Z') },
  );

test('the unexplained rest may be due to the CPU limit of the side with fewer points', () => {
  const first = (theirs: number | null, ours: number | null) => {
    const [{ cause, certainty } = {}] = judge(theirs, ours).causes;
    return `${cause} ${certainty}`;
  };
  assert.equal(first(2, 0.5), 'machine possible');
  assert.match(judge(2, 0.5).explanation, / Possible cause: the speed of the machines\./);
  const [{ explanation } = {}] = judge(2, 1).causes;
  assert.match(explanation ?? '', /: the CPU limit is 2 on audits\.example and 1 in local Lighthouse\.$/);
  assert.equal(first(0.5, 2), 'unexplained observed', 'the other side is limited');
  assert.equal(first(2, 1.8), 'unexplained observed', 'about the same');
  assert.equal(first(null, 0.5), 'unexplained observed', 'not told');
});

test('another Lighthouse version is named before a CPU limit if both loads were alike', () => {
  const seen = { observedFirstContentfulPaint: 200, observedLargestContentfulPaint: 220 };
  const audits = [buildDetails('metrics', { items: [seen] })];
  const first = (lighthouseVersion: string, processors: number) => {
    const theirs = buildSide({
      analyser: { kind: 'custom', host: 'audits.example' },
      audits,
      lhr: { lighthouseVersion },
    });
    const ours = buildSide({ source: 'lighthouse', metricScores: slow, audits });
    const compared = compareSides(under(2, theirs), under(processors, ours), {
      outcome: { results: [] },
      askedAtMs: 0,
    });
    return compared.causes[0];
  };
  const newer = first('13.99.0', 0.5);
  assert.deepEqual([newer?.cause, newer?.certainty], ['lighthouse_version', 'possible']);
  assert.match(newer?.explanation ?? '', /^Lighthouse 13\.99\.0 ran on audits\.example, and 13\.\d+\.\d+ locally\./);
  const { lighthouse_version: own } = buildSide({ source: 'lighthouse' }).result;
  assert.equal(first(own, 0.5)?.cause, 'simulation', 'the same version');
});

test('the index and the limit of a machine are one cause', () => {
  const { causes, explanation: verdict } = judge(2, 0.5, {
    benchmarkIndex: 1000,
    again: [slow, [0.8, 0.74, 1, 1, 0.9]],
  });
  assert.deepEqual(
    causes.map(({ cause, points, certainty }) => [cause, points, certainty]),
    [['machine', -10.5, 'possible']],
  );
  assert.match(verdict, / Possible cause: the speed of the machines\./);
  assert.doesNotMatch(verdict, /no known cause/);
  assert.match(causes[0]?.explanation ?? '', /benchmark index.*CPU limits also pause work/);
  const facts = causes[0]?.evidence.map(({ fact }) => fact);
  assert.deepEqual(facts, ['benchmark_index', 'index_over_multiplier', 'processors']);
});

test('if scores differ, the rest under a limit is not noise, however small', () => {
  const again = [slow, [0.9, 0.9, 1, 1, 0.95]];
  const show = (ours: number) =>
    judge(2, ours, { benchmarkIndex: 500, again }).causes.map(({ cause, points }) => `${cause} ${points}`);
  assert.deepEqual(show(0.5), ['machine -10.5']);
  assert.deepEqual(show(2), ['machine -6.5', 'run_noise -4']);
});

test('a benchmark index counts only as far as the scores confirm it', () => {
  const tell = (theirs: number, ours: number) => {
    const outcome = {
      results: [
        [1, 1, ours, 1, 1],
        [1, 1, 1, 1, 1],
      ].map(buildReAudit),
    };
    const psi = buildSide({ metricScores: [1, 1, theirs, 1, 1], benchmarkIndex: 8000 });
    const lighthouse = buildSide({ source: 'lighthouse', metricScores: [1, 1, ours, 1, 1], benchmarkIndex: 2000 });
    const { causes } = compareSides(psi, lighthouse, { outcome, askedAtMs: Date.parse('2026-11-20T10:00:00Z') });
    return causes;
  };
  const show = (causes: ReturnType<typeof tell>) => causes.map(({ cause, points }) => `${cause} ${points}`);
  assert.deepEqual(show(tell(1, 0.6)), ['machine -12'], 'all of it');
  const [machine, ...others] = tell(0.8, 0.6);
  assert.deepEqual([machine?.points, others], [-6, []]);
  assert.match(
    machine?.explanation ?? '',
    /The computed effect on the local load is −12 points; the scores show no more than this/,
  );
  assert.deepEqual(show(tell(0.5, 0.6)), ['run_noise 3'], 'the other way round');
});
