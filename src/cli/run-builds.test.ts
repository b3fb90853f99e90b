import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildResultsComparison } from '../../test/support/builders/results-comparison.ts';
import type { ChangeStatus } from '../contract/stored/change-verdict.ts';
import { CommandFailure } from './ask-json.ts';
import { compareBuilds, looks, toTurns } from './run-builds.ts';

const worded = (turns: readonly string[]) => turns.map(side => (side === 'before' ? 'A' : 'B')).join('');

test('builds are measured alternately, and either may be first in a pair', () => {
  assert.equal(worded(toTurns(4)), 'ABBAABBA');
});

/** Simulates a service whose comparisons return these verdicts in turn. */
function start(statuses: readonly ChangeStatus[], failingRun = Number.POSITIVE_INFINITY) {
  const runs: string[] = [];
  let comparisons = 0;
  const ask = {
    async measure(side: 'before' | 'after') {
      runs.push(side);
      if (runs.length >= failingRun) throw new CommandFailure('The page is gone.');
    },
    async compare() {
      const body = buildResultsComparison();
      const status = statuses[comparisons] ?? 'undecided';
      comparisons += 1;
      return { ...body, verdict: { ...body.verdict, status } };
    },
  };
  return { runs, ask, countComparisons: () => comparisons };
}

test('measuring ends at the first look that decides', async () => {
  for (const [statuses, look] of [
    [['worse'], looks[0]],
    [['undecided', 'no_difference'], looks[1]],
    [[], looks.at(-1)],
  ] as const) {
    const { runs, ask } = start(statuses);
    const { verdict } = await compareBuilds(ask, () => {});
    assert.equal(runs.length, 2 * (look ?? 0));
    assert.equal(verdict.status, statuses.at(-1) ?? 'undecided');
  }
});

test('a page that cannot be measured ends the comparison with its failure', async () => {
  const { runs, ask, countComparisons } = start([], 3);
  await assert.rejects(
    compareBuilds(ask, () => {}),
    { message: 'The page is gone.', exitCode: 3 },
  );
  assert.deepEqual([runs.length, countComparisons()], [3, 0]);
});
