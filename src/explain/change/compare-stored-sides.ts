/** Compares two sides of stored runs: the changes, whether they matter, and whether the page caused them. */
import type { Difference, ResultsComparison } from '../../contract/stored/change.ts';
import type { AlikeComparison, ChangeVerdict, FileChange } from '../../contract/stored/change-verdict.ts';
import { isLhr, type Lhr } from '../../measure/lhr/lhr.ts';
import { readPacked } from '../../measure/lhr/read-json.ts';
import { medianOf, toSorted } from '../../presentation/values.ts';
import type { EntryFacts, FullResult } from '../../storage/results/store.ts';
import { defaultConfidence } from '../statistics/compare-samples.ts';
import { compareSets, type MeasuredRun, type SetComparison, toMeasures } from '../statistics/compare-sets.ts';
import type { SmallestEffects } from '../statistics/smallest-effect.ts';
import { toCustomChanges } from './custom-changes.ts';
import { type MeasuredWith, readRunSettings, toDifferences, toFlippedAudits } from './differences.ts';
import { doubtDisturbed, sayDisturbedValues } from './disturbed-sides.ts';
import { explain, explainAlike, nameOtherScores } from './explain.ts';
import { toBound } from './files-in-words.ts';
import { type KeptSide, toComparedSide } from './kept-side.ts';
import { toListedChanges, toRequestChanges } from './request-changes.ts';
import type { AlikeLoad, AlikeLoads } from './shared-conditions/alike-loads.ts';
import { type FoundFileChange as Change, withEffects } from './shared-conditions/file-changes.ts';
import { judgeAlike } from './shared-conditions/judge-alike.ts';
import { toFileUrl } from './shared-conditions/page-relative.ts';
import type { Sides } from './shared-conditions/sides.ts';
import { type AgainOutcome, explainVersion, toVersionEffect } from './version-effect.ts';

export type KeptOrder = {
  readonly before: KeptSide;
  readonly after: KeptSide;
  readonly smallestEffects: SmallestEffects;
  /** Earlier sets of runs, one per request, which show the variation of this page. */
  readonly earlier: readonly (readonly MeasuredRun[])[];
  /** Loads of the older side, audited again; present if the versions of Lighthouse differ. */
  readonly again?: AgainOutcome | undefined;
  /** Whether two URLs are two builds of one page; default false. */
  readonly areBuilds?: boolean;
  /** Number of planned looks at the runs: each spends its share of the false-alarm rate; default 1. */
  readonly looks?: number;
  /** Loads of both sides, simulated again under the same conditions; undefined without their artifacts. */
  readonly alike?: AlikeLoads | undefined;
};

/** Reads a Lighthouse result; undefined if it is missing or invalid. */
function readFull(full: FullResult | null): Lhr | undefined {
  const lhr = full === null ? undefined : readPacked(full);
  return isLhr(lhr) ? lhr : undefined;
}

/** Returns the typical interval between runs in seconds, without pauses between requests. */
function toPace(...sides: readonly KeptSide[]): number {
  const gaps = sides.flatMap(({ entries }) => {
    const times = toSorted(entries.map(({ measuredAtMs }) => measuredAtMs));
    return times.slice(1).map((time, at) => (time - (times[at] as number)) / 1000);
  });
  const pace = medianOf(toSorted(gaps.filter(gap => gap > 0 && gap < mostGapSeconds)));
  return Number.isFinite(pace) ? pace : usualPaceSeconds;
}
/** False-alarm rate of the whole comparison: how often an unchanged page is called better or worse. */
const allFalseAlarms = 1 - defaultConfidence;
const mostGapSeconds = 120;
const usualPaceSeconds = 12;
const mostFiles = 20;

/** @param pageUrl URL of the side that has the file */
const toFile = (change: Change, pageUrl: string): FileChange => {
  const { kind, url, type, bytes, resourceBytes, cpuMs, requests, effect } = change;
  const rounded = ({ before, after }: Sides<number>) => ({ before: Math.round(before), after: Math.round(after) });
  return {
    kind,
    url: toFileUrl(url, pageUrl),
    type,
    bytes: rounded(bytes),
    resource_bytes: rounded(resourceBytes),
    cpu_ms: rounded(cpuMs),
    requests: rounded(requests),
    ...(effect
      ? {
          explains: {
            performance: Math.round(10 * effect.points) / 10 + 0,
            largest_contentful_paint: Math.round(effect.largestPaintMs) + 0,
            total_blocking_time: Math.round(effect.blockingMs) + 0,
          },
        }
      : {}),
  };
};

/** Compares both sides under the same conditions, and returns the verdict and its description. */
function compareAlike(loads: AlikeLoads, options: { smallestEffects: SmallestEffects; falseAlarms: number }) {
  const { before, after, cpuFactor, effects = new Map() } = loads;
  const { compared, files: changed } = judgeAlike(loads, options);
  const files = withEffects(changed, effects);
  const urlOf = ([first]: readonly AlikeLoad[]) => first?.entry.url ?? '';
  const told: AlikeComparison = {
    loads: { before: before.length, after: after.length },
    cpu_factor: cpuFactor,
    scores: toMeasures(compared.scores),
    metrics: toMeasures(compared.metrics),
    files: files.slice(0, mostFiles).map(file => toFile(file, urlOf(file.kind === 'removed' ? before : after))),
  };
  return { compared, files, told };
}

/** Returns the direction in which a page changed; undefined if it did not, or if that is not certain. */
const toDirection = ({ verdict: { status } }: SetComparison): 'better' | 'worse' | undefined =>
  status === 'better' || status === 'worse' ? status : undefined;

/** Returns whether the loads share enough work to compare their processors: they then have factors of their own. */
const haveSharedWork = ({ before, after }: AlikeLoads): boolean =>
  [...before, ...after].some(({ cpuFactor }) => cpuFactor !== 1);

/** Returns the verdict, which is `undecided` if the sides differ in more than the page. */
function toVerdict(
  compared: SetComparison,
  measured: SetComparison,
  differences: readonly Difference[],
  explanation: string,
): ChangeVerdict {
  const { status, more_runs, decided_by, against } = compared.verdict;
  const isPrevented = differences.some(({ effect }) => effect === 'no_verdict');
  return {
    status: isPrevented ? 'undecided' : status,
    explanation: isPrevented ? explanation : nameOtherScores(explanation, measured),
    more_runs: isPrevented ? null : more_runs,
    by_numbers: measured.verdict.status,
    decided_by: [...decided_by],
    against: [...against],
    judged_by: compared === measured ? 'measured' : 'simulated_alike',
    bound: !isPrevented && status === 'no_difference' ? toBound(compared) : null,
  };
}

const withHistory = ({ entries, history }: KeptSide): EntryFacts[] => [...entries, ...history];

/** Compares the measured values. Other results of the page count as runs of a side with few. */
const compareMeasured = ({ before, after, smallestEffects, earlier }: KeptOrder, falseAlarms: number): SetComparison =>
  compareSets(withHistory(before), withHistory(after), { smallestEffects, falseAlarms, earlier, usual: 'same' });
/** Custom metrics are not simulated again, so their verdicts allow for every difference of the measured loads. */
const compareCustom = (
  { before, after, smallestEffects, areBuilds = false }: KeptOrder,
  measuredWith: readonly [MeasuredWith, MeasuredWith],
  falseAlarms: number,
) =>
  toCustomChanges(before.entries, after.entries, {
    smallestEffects,
    falseAlarms,
    differences: toDifferences(...measuredWith, { areBuilds }),
  });
const listChanges = (lhrs: Sides<Lhr> | undefined): Change[] => (lhrs ? toListedChanges(lhrs.before, lhrs.after) : []);

const toMeasuredWith = ({ entries, summaries }: KeptSide): MeasuredWith => ({
  entries,
  settings: summaries.map(readRunSettings),
});

export function compareKept(order: KeptOrder): ResultsComparison {
  const { before, after, smallestEffects, again, alike, looks = 1, areBuilds = false } = order;
  const falseAlarms = allFalseAlarms / looks;
  const measured = compareMeasured(order, falseAlarms);
  const simulated = alike && compareAlike(alike, { smallestEffects, falseAlarms });
  const measuredWith = [toMeasuredWith(before), toMeasuredWith(after)] as const;
  const differences = toDifferences(...measuredWith, {
    isAlike: alike !== undefined,
    areBuilds,
    direction: toDirection(simulated?.compared ?? measured),
  });
  const isOnePage = differences.every(({ name }) => name !== 'url');
  const [lhrBefore, lhrAfter] = [readFull(before.shown.full), readFull(after.shown.full)];
  const lhrs = lhrBefore && lhrAfter && { before: lhrBefore, after: lhrAfter };
  const changes = { scores: toMeasures(measured.scores), metrics: toMeasures(measured.metrics) };
  const weights = again && 'runs' in again && (again.side === 'before' ? lhrAfter : lhrBefore);
  const version = again && 'runs' in again ? toVersionEffect(again, changes, weights || undefined) : null;
  const compared = simulated?.compared ?? measured;
  const loads: Sides<readonly unknown[]> = alike ?? { before: withHistory(before), after: withHistory(after) };
  const explained = {
    compared,
    runs: Math.min(loads.before.length, loads.after.length),
    history: before.history.length + after.history.length,
    pace: toPace(before, after),
  };
  const unexplained = differences.filter(({ name }) => name !== 'benchmark_index' || (alike && !haveSharedWork(alike)));
  const explanation = simulated
    ? explainAlike(explained, { measured, files: simulated.files, differences: unexplained })
    : explain(explained, differences, listChanges(lhrs));
  const verdict = toVerdict(compared, measured, differences, explanation);
  const [sideBefore, sideAfter] = [toComparedSide(before), toComparedSide(after)];
  // Loads that were simulated under the same conditions contain no wait for a CPU; the measured values do.
  const judged = simulated
    ? { ...verdict, explanation: verdict.explanation + sayDisturbedValues(verdict.explanation, sideBefore, sideAfter) }
    : doubtDisturbed(verdict, sideBefore, sideAfter);
  return {
    before: sideBefore,
    after: sideAfter,
    verdict: { ...judged, explanation: judged.explanation + explainVersion(again, version) },
    differences,
    version,
    alike: simulated?.told ?? null,
    ...changes,
    custom_metrics: compareCustom(order, measuredWith, falseAlarms),
    audits: lhrs
      ? toFlippedAudits({ lhr: lhrs.before, ...measuredWith[0] }, { lhr: lhrs.after, ...measuredWith[1] })
      : null,
    requests: lhrs ? toRequestChanges(lhrs.before, lhrs.after, isOnePage) : null,
  };
}
