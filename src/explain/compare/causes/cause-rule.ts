/** A rule of a cause: what it needs, how it is weighed, and what it says. `cause-table.ts` lists all rules in order. */
import type { CauseName, Noise, PerformanceSplit } from '../../../contract/analysis/comparison.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import type { Fact, FoundCause } from '../evidence.ts';

export type ComparedFacts = {
  facts: readonly [psi: SideFacts, lighthouse: SideFacts];
  results: readonly [psi: Result, lighthouse: Result];
  /** The local runs that are not displayed. */
  others: readonly SideFacts[];
  /** Start of the comparison, by this machine's clock. */
  askedAtMs: number;
  split: PerformanceSplit | null;
  noise: Noise | null;
  isSameMachine: boolean;
  /** Whether the re-audits of all local runs computed the cost of a setting in the same direction. */
  isOfEveryRun?: boolean;
  /** Whether a measured wait for a processor already has points. */
  isWaitPaid?: boolean;
};

export type Told = { cause: CauseName; certainty: FoundCause['certainty']; explanation: string; evidence?: Fact[] };

/**
 * @param rest points that no computed cost explains: local minus PSI
 * @returns undefined if the rule does not apply
 */
export type CauseRule = (given: ComparedFacts, rest: number) => Told | undefined;

type RuleRow<Found> = {
  readonly cause: CauseName | ((found: Found) => CauseName);
  /** Returns what the sentence is about; undefined if the cause does not apply. */
  readonly needs: (given: ComparedFacts, rest: number) => Found | undefined;
  readonly weigh: FoundCause['certainty'] | ((found: Found) => FoundCause['certainty']);
  readonly say: (found: Found, given: ComparedFacts, rest: number) => Pick<Told, 'evidence' | 'explanation'>;
};

export const toRule =
  <Found>({ cause, needs, weigh, say }: RuleRow<Found>): CauseRule =>
  (given, rest) => {
    const found = needs(given, rest);
    if (found === undefined) return undefined;
    return {
      cause: typeof cause === 'function' ? cause(found) : cause,
      certainty: typeof weigh === 'function' ? weigh(found) : weigh,
      ...say(found, given, rest),
    };
  };

/** Returns whether these metrics changed the score in the direction of the rest, and by at least half of it. */
export function carries(split: PerformanceSplit | null, names: readonly string[], rest: number): boolean {
  const points = names.reduce((sum, name) => sum + (split?.metrics[name]?.points ?? 0), 0);
  return points * rest > 0 && Math.abs(points) >= Math.abs(rest) / 2;
}
