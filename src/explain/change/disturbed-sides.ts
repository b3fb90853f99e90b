/** A verdict names its disturbed runs, and may be withheld because of them. */
import { deniableMetrics } from '../../contract/result/runs.ts';
import type { ComparedSide } from '../../contract/stored/change.ts';
import type { ChangeVerdict } from '../../contract/stored/change-verdict.ts';
import { verdictOpenings } from '../../presentation/change-words.ts';
import { counted, joinWords } from '../../presentation/numbers.ts';
import { measuredOpening } from './explain.ts';

/** Returns a sentence after the verdict if its values include disturbed runs; empty otherwise. */
export function explainDisturbed(before: ComparedSide, after: ComparedSide): string {
  const sides = [
    { name: 'before', ...before },
    { name: 'after', ...after },
  ].filter(({ disturbed }) => disturbed > 0);
  if (sides.length === 0) return '';
  const said = sides.map(({ name, runs, disturbed }) => `${disturbed} of ${counted(runs, 'run')} ${name} the change`);
  const isOne = sides.length === 1 && sides[0]?.disturbed === 1;
  // An earlier build may be gone.
  const advice = after.disturbed > 0 ? 'measure the current build again' : 'compare with other runs';
  return ` ${joinWords(said)} ${isOne ? 'was' : 'were'} disturbed: ${advice} before you act on this verdict.`;
}

/** Measures that other work on the machine changes. */
const disturbable: ReadonlySet<string> = new Set(['performance', ...deniableMetrics]);

/**
 * Withholds `better` and `worse` if most runs of a side were disturbed, and the machine may have caused the change.
 * @param moreRuns number of undisturbed runs after which they are the majority
 */
function withoutClaim(verdict: ChangeVerdict, moreRuns: number): ChangeVerdict {
  const { status, explanation, decided_by: names } = verdict;
  if ((status !== 'better' && status !== 'worse') || !names.every(name => disturbable.has(name))) return verdict;
  const numbers = explanation.replace(verdictOpenings[status], '');
  return {
    ...verdict,
    status: 'undecided',
    more_runs: moreRuns,
    explanation: `${verdictOpenings.undecided}${numbers}`,
  };
}

export function doubtDisturbed(verdict: ChangeVerdict, before: ComparedSide, after: ComparedSide): ChangeVerdict {
  const missing = Math.max(...[before, after].map(({ runs, disturbed }) => 2 * disturbed - runs));
  const { explanation, ...judged } = missing > 0 ? withoutClaim(verdict, missing) : verdict;
  return { ...judged, explanation: explanation + explainDisturbed(before, after) };
}

/** Marks measured values in the explanation if other work disturbed some of their runs. */
export const sayDisturbedValues = (
  explanation: string,
  ...sides: readonly [before: ComparedSide, after: ComparedSide]
) => {
  const disturbed = sides.flatMap(({ runs, disturbed: count }, at) =>
    count === 0 ? [] : [`${count} of ${counted(runs, 'run')} ${at === 0 ? 'before' : 'after'}`],
  );
  return disturbed.length === 0 || !explanation.includes(measuredOpening)
    ? ''
    : ` The measured values include disturbed runs: ${joinWords(disturbed)}.`;
};
