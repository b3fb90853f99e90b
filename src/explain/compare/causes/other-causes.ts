import type { CauseName } from '../../../contract/analysis/comparison.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { clocksApartMs, farMilestones, leastStatedPoints } from '../constants.ts';
import { type Fact, type FoundCause, fact, factOf } from '../evidence.ts';
import { findLateAnswer } from './late-answers.ts';
import { findOtherProtocol } from './simulation.ts';

const toCause = (
  cause: CauseName,
  certainty: FoundCause['certainty'],
  evidence: Fact[],
  explanation: string,
): FoundCause => ({ cause, category: null, points: null, certainty, evidence, explanation });

/** Returns the major and minor version: a patch does not change measurements. */
const toRelease = (version: string): string => version.split('.').slice(0, 2).join('.');

export const hasOtherVersions = ([psi, lighthouse]: readonly [SideFacts, SideFacts]): boolean =>
  toRelease(psi.lighthouseVersion) !== toRelease(lighthouse.lighthouseVersion);

const findVersions = (psi: SideFacts, lighthouse: SideFacts): FoundCause[] => {
  const isOther = hasOtherVersions([psi, lighthouse]);
  const milestones = Math.abs((psi.chromeMilestone ?? 0) - (lighthouse.chromeMilestone ?? 0));
  const hasGap = psi.chromeMilestone !== null && lighthouse.chromeMilestone !== null && milestones > 0;
  return [
    ...(isOther
      ? [
          toCause(
            'lighthouse_version',
            'observed',
            [fact('lighthouse_version', psi.lighthouseVersion, lighthouse.lighthouseVersion)],
            'The two sides run different versions of Lighthouse, which may audit pages and weight scores differently.',
          ),
        ]
      : []),
    ...(hasGap
      ? [
          toCause(
            'chrome_version',
            milestones >= farMilestones ? 'possible' : 'observed',
            [fact('chrome_milestone', psi.chromeMilestone, lighthouse.chromeMilestone)],
            'The two sides run different versions of the browser.',
          ),
        ]
      : []),
  ];
};

const findFormFactor = (psi: SideFacts, lighthouse: SideFacts): FoundCause[] =>
  psi.formFactor !== null && lighthouse.formFactor !== null && psi.formFactor !== lighthouse.formFactor
    ? [
        toCause(
          'form_factor',
          'observed',
          [fact('form_factor', psi.formFactor, lighthouse.formFactor)],
          'One side simulated a phone, the other a desktop computer.',
        ),
      ]
    : [];

const toSeconds = (ms: number): number => Math.max(0, Math.round(ms / 1000));

/** Finds a result that was cached by this service or by PSI, and so was measured before the request. */
const findAge = (psi: Result, lighthouse: Result, askedAtMs: number): FoundCause[] => {
  const isStored = psi.cache?.status === 'hit' || psi.cache?.status === 'stale';
  if (!isStored && Date.parse(psi.fetched_at) >= askedAtMs - clocksApartMs) return [];
  return [
    toCause(
      'cached_answer',
      'possible',
      [
        fact('fetched_at', psi.fetched_at, lighthouse.fetched_at),
        fact('seconds_in_cache', psi.cache?.age ?? 0, 0),
        fact('seconds_old', toSeconds(askedAtMs - Date.parse(psi.fetched_at)), 0),
      ],
      'The PSI result is older than the local one. The page may have changed in between.',
    ),
  ];
};

/** Finds a different protocol. Its effect depends on the number of files per connection. */
function findProtocol(psi: SideFacts, lighthouse: SideFacts): FoundCause[] {
  const other = findOtherProtocol(psi.load, lighthouse.load);
  if (!other) return [];
  return [
    {
      ...toCause(
        'server',
        'observed',
        [factOf('protocol', other.host, other.psi, other.lighthouse)],
        `${other.host} used ${other.psi} ${psi.where} and ${other.lighthouse} ${lighthouse.where}. The effect was not computed.`,
      ),
      category: 'performance',
    },
  ];
}

/** Returns whether the side that waited for a late answer scores clearly higher: it is then no cause. */
function pointsAway({ evidence }: FoundCause, psi: Result, lighthouse: Result): boolean {
  const [{ psi: theirs = 0, lighthouse: ours = 0 } = {}] = evidence;
  const more = (lighthouse.scores.performance ?? 0) - (psi.scores.performance ?? 0);
  return Math.abs(more) >= leastStatedPoints && Number(ours) > Number(theirs) === more > 0;
}

type Side = { result: Result; facts: SideFacts };

/**
 * Finds differences between the sides that have no points.
 * @param askedAtMs start of the comparison, by this machine's clock
 * @param others the local runs that are not displayed
 */
export const findOtherCauses = (
  psi: Side,
  lighthouse: Side,
  askedAtMs: number,
  others: readonly SideFacts[],
): FoundCause[] => [
  ...findLateAnswer(psi.facts, lighthouse.facts, others).filter(
    late => !pointsAway(late, psi.result, lighthouse.result),
  ),
  ...findProtocol(psi.facts, lighthouse.facts),
  ...findFormFactor(psi.facts, lighthouse.facts),
  ...findVersions(psi.facts, lighthouse.facts),
  ...findAge(psi.result, lighthouse.result, askedAtMs),
];
