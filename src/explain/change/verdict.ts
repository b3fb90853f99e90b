import type { ChangeStatus, SampleComparison } from './compare-samples.ts';
import type { MeasureName } from './smallest-effect.ts';

/** What a verdict rests on: the performance score, what it is made of, and the server. */
export const decidingNames = [
  'performance',
  'largest_contentful_paint',
  'total_blocking_time',
  'cumulative_layout_shift',
  'first_contentful_paint',
  'speed_index',
  'server_response_time',
] as const satisfies readonly MeasureName[];
type DecidingName = (typeof decidingNames)[number];

export type Verdict = {
  readonly status: ChangeStatus;
  /** The measures that say so; for `undecided` those that are, or that contradict each other. */
  readonly decided_by: readonly DecidingName[];
  /** Measures that changed the other way than the verdict. */
  readonly against: readonly DecidingName[];
  /** Where undecided: with how many more runs of each side it likely is decided; null if it likely stays open. */
  readonly more_runs: number | null;
};

type Compared = Pick<SampleComparison, 'status' | 'more_runs'> & {
  readonly p_value: number | null;
} & Partial<Pick<SampleComparison, 'difference' | 'min_effect'>>;
type Change = 'better' | 'worse';

export type VerdictOptions = {
  /** At which p-value the score overrules a measure that changed the other way. */
  readonly overruleAt: number;
  /** With how many more runs of each side it can; null if there are enough. */
  readonly moreRunsToOverrule: number | null;
};

/** All that are open have to close for `no_difference`; one that changed is enough, and would close first. */
function toMoreRuns(open: readonly Compared[]): number | null {
  const runs = open.map(({ more_runs }) => more_runs);
  return runs.length === 0 || runs.includes(null) ? null : Math.max(...(runs as number[]));
}

/**
 * Where chance puts the modes of one measure on either side, the score follows it, and what truly changed contradicts
 * it. So against a measure that changed the other way the score needs more than what it needs alone.
 */
function toContradicted(
  { better, worse }: Readonly<Record<Change, readonly DecidingName[]>>,
  score: Compared | undefined,
  { overruleAt, moreRunsToOverrule }: VerdictOptions,
): Verdict {
  const decide = (status: Change): Verdict => ({
    status,
    decided_by: status === 'better' ? better : worse,
    against: status === 'better' ? worse : better,
    more_runs: null,
  });
  if (score?.status === 'no_difference')
    return { status: 'no_difference', decided_by: ['performance'], against: [...better, ...worse], more_runs: null };
  const isChange = score?.status === 'better' || score?.status === 'worse';
  if (isChange && score.p_value !== null && score.p_value <= overruleAt) return decide(score.status as Change);
  return {
    status: 'undecided',
    decided_by: [...better, ...worse],
    against: [],
    more_runs: isChange ? moreRunsToOverrule : (score?.more_runs ?? null),
  };
}

/** Whether the medians differ by an effect that matters. */
const mayMatter = ({ difference, min_effect }: Partial<Compared> = {}): boolean =>
  Math.abs(difference ?? 0) >= (min_effect ?? 0) && typeof difference === 'number';

/** Any of the measures speaks where none contradicts it. */
export function toVerdict(measures: ReadonlyMap<MeasureName, Compared>, options: VerdictOptions): Verdict {
  const present = decidingNames.filter(name => measures.has(name));
  const withStatus = (status: ChangeStatus) => present.filter(name => measures.get(name)?.status === status);
  const [better, worse] = [withStatus('better'), withStatus('worse')];
  // A server whose answers vary does not keep a verdict open, unless they may have become slower or faster.
  const open = withStatus('undecided').filter(name => name !== 'server_response_time' || mayMatter(measures.get(name)));
  if (better.length > 0 && worse.length > 0)
    return toContradicted({ better, worse }, measures.get('performance'), options);
  if (better.length > 0) return { status: 'better', decided_by: better, against: [], more_runs: null };
  if (worse.length > 0) return { status: 'worse', decided_by: worse, against: [], more_runs: null };
  if (open.length === 0 && present.length > 0)
    return { status: 'no_difference', decided_by: present, against: [], more_runs: null };
  const undecided = open.flatMap(name => measures.get(name) ?? []);
  return { status: 'undecided', decided_by: open, against: [], more_runs: toMoreRuns(undecided) };
}
