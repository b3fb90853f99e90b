/**
 * Estimates how many points a fix could win: the distance of a metric from good, multiplied by the share that the audit
 * causes or, if larger, the gain from the estimated saving. An audit counts for the metric with the largest gain.
 * Estimates of different audits overlap, so they are never added.
 */
import { getLogNormalScore } from 'lighthouse/shared/statistics.js';
import type { Category } from '../../contract/names.ts';
import { isForRepeatVisits } from '../../contract/result/advice.ts';
import { isObject, itemsOf, type Json, rowsOf } from '../../contract/result/details.ts';
import { lcpPhasesOf } from '../../contract/result/lcp-phases.ts';
import type { Disturbance } from '../../contract/result/runs.ts';
import { labThresholdsOf } from '../../contract/result/thresholds.ts';
import type { Lhr, LhrAudit, LhrCategory } from './lhr.ts';
import { auditIds } from './metrics.ts';

/** Names of metrics: keys in Lighthouse's `metricSavings`, and names in a result. */
export const savingNames = {
  FCP: 'first_contentful_paint',
  LCP: 'largest_contentful_paint',
  TBT: 'total_blocking_time',
  CLS: 'cumulative_layout_shift',
  INP: 'interaction_to_next_paint',
} as const;
export type SavingKey = keyof typeof savingNames;
/** Metrics of the performance score. Improving others wins no points. */
const scoredKeys = ['FCP', 'LCP', 'TBT', 'CLS'] as const;
type ScoredKey = (typeof scoredKeys)[number];
const auditOf = (key: ScoredKey): string => auditIds[savingNames[key]];

const goodScore = 0.9;

/** Audits that summarise others. Their estimates include those of the others. */
const summaries: ReadonlySet<string> = new Set([
  'mainthread-work-breakdown',
  'total-byte-weight',
  'network-dependency-tree-insight',
]);
const summaryShare = 0.5;

type Refs = ReadonlyMap<string, { readonly weight: number; readonly isShown: boolean }>;
const noRefs: Refs = new Map();
const known = new WeakMap<LhrCategory, Refs>();

/** Returns the audits of a category by id, with their share of its score in percent. */
export function refsOf(category: LhrCategory | undefined): Refs {
  if (!category) return noRefs;
  const found = known.get(category);
  if (found) return found;
  const total = category.auditRefs.reduce((sum, { weight }) => sum + weight, 0);
  const refs = new Map<string, { weight: number; isShown: boolean }>();
  for (const { id, weight, group } of category.auditRefs) {
    const first = refs.get(id) ?? { weight: total === 0 ? 0 : (100 * weight) / total, isShown: false };
    refs.set(id, { ...first, isShown: first.isShown || group !== 'hidden' });
  }
  known.set(category, refs);
  return refs;
}

const weightOf = (category: LhrCategory | undefined, auditId: string): number =>
  refsOf(category).get(auditId)?.weight ?? 0;

/** Returns the points of a category (0–100) that an audit lost by itself. */
export function lostPoints(lhr: Lhr, name: Category, { id, score }: LhrAudit, disturbance?: Disturbance): number {
  const weight = weightOf(lhr.categories[name], id);
  if (!disturbance?.denied.some(metric => auditIds[metric] === id)) return weight * (1 - (score ?? 0));
  const key = scoredKeys.find(scored => auditOf(scored) === id);
  const rated = key && rateMetric(lhr, key, disturbance);
  return rated ? weight * (1 - rated.score) : 0;
}

const strategyOf = (lhr: Lhr) => (lhr.configSettings?.formFactor === 'desktop' ? 'desktop' : 'mobile');

type Rated = { readonly value: number; readonly score: number };

/**
 * Rates a metric, without a disturbance if its value is known. Undefined if it was not measured, or if it is a blocking
 * time that a disturbance made unreliable.
 */
function rateMetric(lhr: Lhr, key: ScoredKey, disturbance: Disturbance | undefined): Rated | undefined {
  const name = savingNames[key];
  const { numericValue: value, score } = lhr.audits[auditOf(key)] ?? {};
  if (!value) return undefined;
  if (!disturbance?.denied.some(denied => denied === name)) return { value, score: score ?? 0 };
  const without = key === 'TBT' ? disturbance.total_blocking_time : (disturbance.paints?.[name] ?? value);
  if (without === null || without === 0) return undefined;
  const [p10, median] = labThresholdsOf(name, strategyOf(lhr));
  return { value: without, score: getLogNormalScore({ p10, median }, without) };
}

function toDistance(lhr: Lhr, key: ScoredKey, disturbance: Disturbance | undefined) {
  const rated = rateMetric(lhr, key, disturbance);
  if (!rated) return undefined;
  const { value, score } = rated;
  const [p10, median] = labThresholdsOf(savingNames[key], strategyOf(lhr));
  const weight = weightOf(lhr.categories.performance, auditOf(key));
  return {
    /** Distance of the metric from good, in points of the category. */
    points: weight * Math.max(0, goodScore - score),
    /** The same distance in the metric's unit. */
    amount: value > p10 ? value - p10 : value,
    value,
    /** Returns the points gained if the value decreases by `saving`. */
    won: (saving: number): number => weight * Math.max(0, getLogNormalScore({ p10, median }, value - saving) - score),
  };
}

type Distance = NonNullable<ReturnType<typeof toDistance>>;

/**
 * Returns the causes of layout shifts that Lighthouse found. Images without a size are identified by their element,
 * other causes by URL.
 */
const shiftCulprits = (lhr: Lhr): Json[] =>
  rowsOf(lhr, 'cls-culprits-insight')
    .flatMap(itemsOf)
    .flatMap(({ subItems }) => itemsOf(subItems));

const isElement = ({ extra }: Json): boolean => isObject(extra) && extra.type === 'node';

/** Returns the share of images without a size among the causes of layout shifts; 1 if Lighthouse lists no causes. */
export function shareOfUnsized(lhr: Lhr): number {
  const culprits = shiftCulprits(lhr);
  return culprits.length === 0 ? 1 : culprits.filter(isElement).length / culprits.length;
}

/**
 * Returns whether the image is found late: it is lazy-loaded, or its URL is not in the document. A missing priority
 * hint alone costs little.
 */
function isFoundLate(lhr: Lhr): boolean {
  const [checks] = rowsOf(lhr, 'lcp-discovery-insight').flatMap(({ items }) => (isObject(items) ? [items] : []));
  const hasFailed = (name: string) => isObject(checks?.[name]) && checks[name].value === false;
  return hasFailed('eagerlyLoaded') || hasFailed('requestDiscoverable');
}

/** Returns the share of resource load delay in the largest contentful paint. */
function shareOfDelay(lhr: Lhr): number {
  const phases = lcpPhasesOf(lhr);
  const whole = phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const delay = phases.find(({ phase }) => phase === 'load_delay')?.durationMs ?? 0;
  return whole > 0 ? delay / whole : 0;
}

/** Shares of audits for which Lighthouse names a metric without an estimate. */
const ownShares: Readonly<Record<string, (lhr: Lhr, distance: Distance) => number>> = {
  'unsized-images': shareOfUnsized,
  'cls-culprits-insight': () => 0.9,
  'layout-shifts': () => 0.9,
  'lcp-discovery-insight': (lhr, { value, amount }) => (isFoundLate(lhr) ? (shareOfDelay(lhr) * value) / amount : 0),
};

const shareFor = (lhr: Lhr, { id }: LhrAudit, saving: number, distance: Distance): number => {
  const share = saving > 0 ? saving / distance.amount : (ownShares[id]?.(lhr, distance) ?? 0);
  return Math.min(1, share) * (summaries.has(id) ? summaryShare : 1);
};

const savingEntries = ({ metricSavings }: LhrAudit): [ScoredKey, number][] =>
  scoredKeys.flatMap((key): [ScoredKey, number][] => {
    const saving = metricSavings?.[key];
    return typeof saving === 'number' ? [[key, saving]] : [];
  });

/** Returns the points that a lower value of a metric wins. */
export const pointsWon = (lhr: Lhr, key: ScoredKey, saving: number, disturbance?: Disturbance): number =>
  toDistance(lhr, key, disturbance)?.won(saving) ?? 0;

/**
 * Returns the points of the performance score that an audit could win.
 * @param disturbance unreliable metrics: improving them wins nothing, or only the gain without the disturbance
 */
export const winnablePoints = (lhr: Lhr, audit: LhrAudit, disturbance?: Disturbance): number =>
  isForRepeatVisits(audit.id)
    ? 0
    : Math.max(
        0,
        ...savingEntries(audit).map(([key, saving]) => {
          const distance = toDistance(lhr, key, disturbance);
          if (!distance) return 0;
          const whole = summaries.has(audit.id) ? summaryShare : 1;
          return Math.max(
            distance.points * shareFor(lhr, audit, saving, distance),
            saving > 0 ? whole * distance.won(saving) : 0,
          );
        }),
      );

/** Returns the relative savings over all metrics, by weight, to order audits that win the same points. */
export const furtherGain = (lhr: Lhr, audit: LhrAudit, disturbance?: Disturbance): number => {
  // Audits for repeat visits come after those that may improve this load.
  if (isForRepeatVisits(audit.id)) return -1;
  const gains = savingEntries(audit).map(([key, saving]) => {
    const value = rateMetric(lhr, key, disturbance)?.value;
    return value ? weightOf(lhr.categories.performance, auditOf(key)) * Math.min(1, saving / value) : 0;
  });
  return gains.reduce((sum, gain) => sum + gain, 0);
};
