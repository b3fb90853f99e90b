import type { ChangeStatus, ChangeVerdict } from '../../contract/stored/change-verdict.ts';
import { scoredMetrics } from '../../presentation/words.ts';
import type { SampleComparison } from './compare-samples.ts';
import type { MeasureName } from './smallest-effect.ts';

/** Measures that decide a verdict: the performance score, its metrics, and the server. */
export const decidingNames = ['performance', ...scoredMetrics, 'server_response_time'] as const;
export type DecidingName = (typeof decidingNames)[number];

/** The names are those of measures with the status, or of those that leave the verdict open. */
export type Verdict = Readonly<Pick<ChangeVerdict, 'status' | 'more_runs'>> & {
  readonly decided_by: readonly DecidingName[];
  readonly against: readonly DecidingName[];
};

type Compared = Pick<SampleComparison, 'status' | 'more_runs'> & {
  readonly p_value: number | null;
} & Partial<Pick<SampleComparison, 'difference' | 'min_effect' | 'interval'>>;

export type VerdictOptions = {
  /** p-value at which the score overrules a measure that changed in the other direction. */
  readonly overruleAt: number;
  /** Number of further runs of each side with which the score can overrule a measure; null if there are enough. */
  readonly moreRunsToOverrule: number | null;
  /** Deciding measures that only one side has. */
  readonly oneSided: readonly DecidingName[];
  /** Multiple of the smallest effect that the interval of a time of the page may reach in `no_difference`. */
  readonly sameEffects: number;
};

/** `no_difference` needs all undecided measures to be decided, a change needs one. */
function toMoreRuns(open: readonly Compared[]): number | null {
  const runs = open.map(({ more_runs }) => more_runs);
  return runs.length === 0 || runs.includes(null) ? null : Math.max(...(runs as number[]));
}

/**
 * Returns a contradicted verdict. If chance puts the modes of one measure on different sides, the score follows that
 * measure and contradicts the real change. The score therefore needs more evidence against a contradicting measure than
 * alone.
 */
function toContradicted(
  { better, worse }: Readonly<Record<'better' | 'worse', readonly DecidingName[]>>,
  score: Compared | undefined,
  { overruleAt, moreRunsToOverrule }: VerdictOptions,
): Verdict {
  const decide = (status: 'better' | 'worse'): Verdict => ({
    status,
    decided_by: status === 'better' ? better : worse,
    against: status === 'better' ? worse : better,
    more_runs: null,
  });
  if (score?.status === 'no_difference')
    return { status: 'no_difference', decided_by: ['performance'], against: [...better, ...worse], more_runs: null };
  const isChange = score?.status === 'better' || score?.status === 'worse';
  if (isChange && score.p_value !== null && score.p_value <= overruleAt)
    return decide(score.status as 'better' | 'worse');
  return {
    status: 'undecided',
    decided_by: [...better, ...worse],
    against: [],
    more_runs: isChange ? moreRunsToOverrule : (score?.more_runs ?? null),
  };
}

/** Returns whether the medians differ by an effect that matters. @param effects multiple of the smallest effect */
const mayMatter = ({ difference, min_effect }: Partial<Compared> = {}, effects = 1): boolean =>
  Math.abs(difference ?? 0) >= effects * (min_effect ?? 0) && typeof difference === 'number';

const mayBeZero = ({ interval }: Partial<Compared> = {}): boolean =>
  !interval || (interval[0] <= 0 && interval[1] >= 0);

/**
 * Measures that vary on an unchanged page: the latency of a server, and the moments at which frames are painted. The
 * score contains the speed index, which limits the change that this can hide; the explanation names its interval.
 */
export const variableNames = ['server_response_time', 'speed_index'] as const satisfies readonly DecidingName[];
const variable: ReadonlySet<DecidingName> = new Set(variableNames);

/**
 * Returns the deciding measures that only one side has. Those that vary are left out: they may be absent by chance.
 * @param hasValue whether any run of a side has the measure
 */
export const toOneSided = (hasValue: (name: DecidingName, side: 'before' | 'after') => boolean): DecidingName[] =>
  decidingNames.filter(name => !variable.has(name) && hasValue(name, 'before') !== hasValue(name, 'after'));

/**
 * Returns the verdict. Any measure decides it, unless another contradicts it. If one side lacks a measure, such as the
 * largest contentful paint of a page that shows nothing, the others only show that the page got worse.
 */
export function toVerdict(measures: ReadonlyMap<MeasureName, Compared>, options: VerdictOptions): Verdict {
  const { oneSided } = options;
  const verdict = toSharedVerdict(measures, options);
  const isLost = oneSided.length > 0 && decidingNames.some(name => measures.has(name)) && verdict.status !== 'worse';
  return isLost ? { status: 'undecided', decided_by: oneSided, against: [], more_runs: null } : verdict;
}

function toSharedVerdict(measures: ReadonlyMap<MeasureName, Compared>, options: VerdictOptions): Verdict {
  const present = decidingNames.filter(name => measures.has(name));
  const withStatus = (status: ChangeStatus) => present.filter(name => measures.get(name)?.status === status);
  const [better, worse] = [withStatus('better'), withStatus('worse')];
  // A measure that varies by itself does not prevent a verdict, unless it may have changed by an effect that matters.
  const effectsOf = (name: DecidingName) =>
    name === 'speed_index' && mayBeZero(measures.get(name)) ? options.sameEffects : 1;
  const open = withStatus('undecided').filter(
    name => !variable.has(name) || mayMatter(measures.get(name), effectsOf(name)),
  );
  if (better.length > 0 && worse.length > 0)
    return toContradicted({ better, worse }, measures.get('performance'), options);
  if (better.length > 0) return { status: 'better', decided_by: better, against: [], more_runs: null };
  if (worse.length > 0) return { status: 'worse', decided_by: worse, against: [], more_runs: null };
  if (open.length === 0 && present.length > 0)
    return { status: 'no_difference', decided_by: present, against: [], more_runs: null };
  const undecided = open.flatMap(name => measures.get(name) ?? []);
  return { status: 'undecided', decided_by: open, against: [], more_runs: toMoreRuns(undecided) };
}
