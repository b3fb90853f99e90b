/** All causes: the words for each in a sentence, its rank, and the rules that find it (`toRule`). */
import type { CauseName } from '../../../contract/analysis/comparison.ts';
import { tidy } from '../../../presentation/values.ts';
import { doubtful, negligible, slight } from '../constants.ts';
import { type Fact, type FoundCause, nameOf } from '../evidence.ts';
import type { CauseRule } from './cause-rule.ts';
import { lateAnswer, olderResult, otherBrowser, otherDevice, otherProtocol, otherVersion } from './differences.ts';
import { latePaints, otherAudits, slowMachine, strangeTasks } from './disturbed-run.ts';
import {
  amplified,
  findLowerLimit,
  likeOneRun,
  limitedMachine,
  otherSimulation,
  sameWork,
  seesNoise,
  similarScores,
  slowerScripts,
  unexplained,
  usualNoise,
} from './rest-rules.ts';

/** Names of the sides in a sentence, with their prepositions. */
export type Where = { readonly psi: string; readonly lighthouse: string };

type CauseRow = {
  readonly words: string;
  readonly isPlural?: true;
  /** Returns the words for some of its evidence; undefined for `words`. */
  readonly toWords?: (cause: FoundCause) => string | undefined;
  /** Returns the values of both sides in parentheses, if the words alone are not clear. */
  readonly sayValues?: (cause: FoundCause, where: Where) => string;
  /** Text after the words if the cause accounts for points. */
  readonly aside?: string;
  /**
   * `page`: the page was different. `device`: another simulated device, which implies other settings. `setting`: a
   * re-audit computes its points. `version`: the versions of Lighthouse differ. `doubted`: the times of a load may be
   * wrong. `rest`: points that no cause explains.
   */
  readonly kind?: 'page' | 'device' | 'setting' | 'version' | 'doubted' | 'rest';
  /** Whether the cause affects the score even if its points are unknown. */
  readonly isOpen?: true;
  /** Min weight of a page difference that counts as a cause if this is the only other cause. */
  readonly leastOfPage?: number;
  /** Joins several causes of this name; without it, they stay apart. */
  readonly join?: (first: FoundCause, others: readonly FoundCause[]) => FoundCause;
};

const factIn = ({ evidence }: FoundCause, name: string) => evidence.find(({ fact }) => fact === name);

const bothSides = (found: Fact | undefined, where: Where): string =>
  `${found?.psi} ${where.psi}, ${found?.lighthouse} ${where.lighthouse}`;

const joinEvidence = (causes: readonly FoundCause[]): FoundCause['evidence'] => {
  const all = causes.flatMap(({ evidence }) => evidence);
  return all.filter((one, at) => all.findIndex(other => nameOf(other) === nameOf(one)) === at);
};

const sumOf = (causes: readonly FoundCause[]): number | null => {
  const known = causes.flatMap(({ points }) => points ?? []);
  const sum = known.reduce((all, points) => all + points, 0);
  return known.length === 0 ? null : tidy(sum, 1);
};

export const causeTable: Readonly<Record<CauseName, CauseRow>> = {
  different_page: { words: 'a different page', kind: 'page' },
  throttling: { words: 'network throttling', kind: 'setting', isOpen: true },
  cpu: {
    words: 'CPU throttling',
    kind: 'setting',
    isOpen: true,
    sayValues: cause => {
      const multipliers = factIn(cause, 'cpu_slowdown_multiplier');
      return multipliers ? ` (${multipliers.lighthouse}× instead of ${multipliers.psi}×)` : '';
    },
  },
  server: {
    words: 'server response times',
    isPlural: true,
    toWords: ({ evidence }) =>
      evidence.length > 0 && evidence.every(({ fact }) => fact === 'protocol')
        ? 'the protocol of the server'
        : undefined,
    kind: 'setting',
    isOpen: true,
    join: (first, others) => ({ ...first, evidence: joinEvidence([first, ...others]) }),
  },
  audits: { words: 'audits with different results', isPlural: true },
  one_sided_audits: { words: 'audits that only one side counted', isPlural: true },
  form_factor: { words: 'the simulated device', kind: 'device', isOpen: true },
  lighthouse_version: {
    words: 'different versions of Lighthouse',
    isPlural: true,
    kind: 'version',
    isOpen: true,
    sayValues: (cause, where) => {
      const versions = factIn(cause, 'lighthouse_version');
      return versions ? ` (${bothSides(versions, where)})` : '';
    },
  },
  chrome_version: { words: 'different versions of the browser', isPlural: true },
  cached_answer: { words: 'the age of the PSI result' },
  run_noise: { words: 'run-to-run noise', kind: 'rest' },
  unexplained: { words: 'no known cause', kind: 'rest', leastOfPage: negligible },
  machine: {
    words: 'the speed of the machines',
    // The cost of the benchmark index, and the rest that the CPU limit explains: only the index has a range.
    join: ({ points_range: _, ...first }, others) => ({
      ...first,
      points: sumOf([first, ...others]),
      evidence: joinEvidence([first, ...others]),
      explanation: [first, ...others].map(({ explanation }) => explanation).join(' '),
    }),
  },
  simulation: {
    words: 'the simulation of a slow network',
    aside: ', not the loads themselves,',
    kind: 'doubted',
    leastOfPage: doubtful,
  },
  disturbed_run: { words: 'a disturbed run', kind: 'doubted', leastOfPage: slight },
  layout_shift: {
    words: 'layout shifts',
    isPlural: true,
    // The points are known, but not why the page shifted.
    leastOfPage: negligible,
    sayValues: (cause, where) => {
      const [shifts, moved] = [factIn(cause, 'cumulative_layout_shift'), factIn(cause, 'largest_shift')];
      const largest = (cause.points ?? 0) < 0 ? moved?.lighthouse : moved?.psi;
      return shifts ? ` (${bothSides(shifts, where)}${largest ? `; ${largest}` : ''})` : '';
    },
  },
};

export function wordsOf(found: FoundCause, where: Where): string {
  const { words, toWords, sayValues } = causeTable[found.cause];
  return toWords?.(found) ?? `${words}${sayValues?.(found, where) ?? ''}`;
}

/** Rules for differences without points: all that apply are reported. */
export const differenceRules: readonly CauseRule[] = [
  lateAnswer,
  otherProtocol,
  otherDevice,
  otherVersion,
  otherBrowser,
  olderResult,
];

/* Rules for the rest: the first one that applies explains it. */

export const noiseRules: readonly CauseRule[] = [seesNoise, usualNoise, similarScores];

/** A lower CPU limit also makes scripts slower, so these rules need equal limits. */
const unlessLimited =
  (rule: CauseRule): CauseRule =>
  (given, rest) =>
    findLowerLimit(given, rest) ? undefined : rule(given, rest);

export const seenRules: readonly CauseRule[] = [
  sameWork,
  ...[strangeTasks, slowMachine, otherAudits, slowerScripts].map(unlessLimited),
  otherSimulation,
  amplified,
  limitedMachine,
  latePaints,
];

export const restRules: readonly CauseRule[] = [likeOneRun, unexplained];
