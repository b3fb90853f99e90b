/**
 * How many points of the score a fix could win: what a metric is away from good, times the share of it that the audit
 * accounts for; or, if that is more, what the metric scores with the saving. An audit counts for the metric where it wins
 * most. Estimates of different audits are never added up: they overlap.
 */
import { getLogNormalScore } from 'lighthouse/shared/statistics.js';
import type { Category, MetricName } from '../../contract/names.ts';
import { isForRepeatVisits } from '../../contract/result/advice.ts';
import { isObject, itemsOf, type Json, rowsOf } from '../../contract/result/details.ts';
import { lcpPhasesOf } from '../../contract/result/lcp-phases.ts';
import type { Disturbance } from '../../contract/result/runs.ts';
import { labThresholdsOf } from '../../contract/result/thresholds.ts';
import type { Lhr, LhrAudit, LhrCategory } from './lhr.ts';
import { auditIds } from './metrics.ts';

export type SavingKey = keyof NonNullable<LhrAudit['metricSavings']>;

/** Those that the score is made of. Of the others no fix wins a point. */
const metricOf: Partial<Record<SavingKey, { readonly audit: string; readonly name: MetricName }>> = {
  FCP: { audit: 'first-contentful-paint', name: 'first_contentful_paint' },
  LCP: { audit: 'largest-contentful-paint', name: 'largest_contentful_paint' },
  TBT: { audit: 'total-blocking-time', name: 'total_blocking_time' },
  CLS: { audit: 'cumulative-layout-shift', name: 'cumulative_layout_shift' },
};

const goodScore = 0.9;

/** They say that there is too much of something, and others of what. Their estimates hold those of the others. */
const summaries: ReadonlySet<string> = new Set([
  'mainthread-work-breakdown',
  'total-byte-weight',
  'network-dependency-tree-insight',
]);
const summaryShare = 0.5;

const weightOf = (category: LhrCategory | undefined, auditId: string): number => {
  const total = category?.auditRefs.reduce((sum, ref) => sum + ref.weight, 0) ?? 0;
  const weight = category?.auditRefs.find(ref => ref.id === auditId)?.weight ?? 0;
  return total === 0 ? 0 : (100 * weight) / total;
};

/** Points of a category (0–100) that an audit lost by itself. */
export function lostPoints(lhr: Lhr, name: Category, { id, score }: LhrAudit, disturbance?: Disturbance): number {
  const weight = weightOf(lhr.categories[name], id);
  if (!disturbance?.denied.some(metric => auditIds[metric] === id)) return weight * (1 - (score ?? 0));
  const rated = id === auditIds.total_blocking_time ? rateMetric(lhr, 'TBT', disturbance) : undefined;
  return rated ? weight * (1 - rated.score) : 0;
}

type Distance = {
  /** Points that the metric is away from good. */
  readonly points: number;
  /** The same in its unit. */
  readonly amount: number;
  readonly value: number;
  /** Points that the metric wins if its value gets so much less. */
  readonly won: (saving: number) => number;
};

const strategyOf = (lhr: Lhr) => (lhr.configSettings?.formFactor === 'desktop' ? 'desktop' : 'mobile');

type Rated = { readonly value: number; readonly score: number };

/** A metric of the page: undefined if nothing was measured, or if what was measured is the disturbance's. */
function rateMetric(lhr: Lhr, key: SavingKey, disturbance: Disturbance | undefined): Rated | undefined {
  const metric = metricOf[key];
  const audit = lhr.audits[metric?.audit ?? ''];
  if (!metric || !audit?.numericValue) return undefined;
  const { numericValue: value, score } = audit;
  if (!disturbance?.denied.some(name => name === metric.name)) return { value, score: score ?? 0 };
  const without = metric.name === 'total_blocking_time' ? disturbance.total_blocking_time : null;
  if (without === null || without === 0) return undefined;
  const [p10, median] = labThresholdsOf(metric.name, strategyOf(lhr));
  return { value: without, score: getLogNormalScore({ p10, median }, without) };
}

function toDistance(lhr: Lhr, key: SavingKey, disturbance: Disturbance | undefined): Distance | undefined {
  const metric = metricOf[key];
  const rated = rateMetric(lhr, key, disturbance);
  if (!metric || !rated) return undefined;
  const { value, score } = rated;
  const [p10, median] = labThresholdsOf(metric.name, strategyOf(lhr));
  const weight = weightOf(lhr.categories.performance, metric.audit);
  return {
    points: weight * Math.max(0, goodScore - score),
    amount: value > p10 ? value - p10 : value,
    value,
    won: saving => weight * Math.max(0, getLogNormalScore({ p10, median }, value - saving) - score),
  };
}

/** What Lighthouse found behind the shifts; an image without a size is named by its element, others by their URL. */
const shiftCulprits = (lhr: Lhr): Json[] =>
  rowsOf(lhr, 'cls-culprits-insight')
    .flatMap(itemsOf)
    .flatMap(({ subItems }) => itemsOf(subItems));

const isElement = ({ extra }: Json): boolean => isObject(extra) && extra.type === 'node';

/** An image without a size may have shifted nothing: then others are the cause. */
function shareOfUnsized(lhr: Lhr): number {
  const culprits = shiftCulprits(lhr);
  return culprits.length === 0 ? 0.6 : culprits.filter(isElement).length / culprits.length;
}

/** The checks of the audit: whether it is loaded at once, and named in the document. A mere hint that is missing costs little. */
function isFoundLate(lhr: Lhr): boolean {
  const [checks] = rowsOf(lhr, 'lcp-discovery-insight').flatMap(({ items }) => (isObject(items) ? [items] : []));
  const hasFailed = (name: string) => isObject(checks?.[name]) && checks[name].value === false;
  return hasFailed('eagerlyLoaded') || hasFailed('requestDiscoverable');
}

/** The share of the largest paint that passed before its resource was asked for. */
function shareOfDelay(lhr: Lhr): number {
  const phases = lcpPhasesOf(lhr);
  const whole = phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const delay = phases.find(({ phase }) => phase === 'load_delay')?.durationMs ?? 0;
  return whole > 0 ? delay / whole : 0;
}

/** Where Lighthouse names a metric and estimates nothing. */
const ownShares: Readonly<Record<string, (lhr: Lhr, distance: Distance) => number>> = {
  'unsized-images': shareOfUnsized,
  'cls-culprits-insight': () => 0.5,
  'layout-shifts': () => 0.5,
  'lcp-discovery-insight': (lhr, { value, amount }) => (isFoundLate(lhr) ? (shareOfDelay(lhr) * value) / amount : 0),
};

const shareFor = (lhr: Lhr, { id }: LhrAudit, saving: number, distance: Distance): number => {
  const share = saving > 0 ? saving / distance.amount : (ownShares[id]?.(lhr, distance) ?? 0);
  return Math.min(1, share) * (summaries.has(id) ? summaryShare : 1);
};

const savingEntries = ({ metricSavings = {} }: LhrAudit): [SavingKey, number][] =>
  Object.entries(metricSavings).flatMap(([key, saving]) =>
    typeof saving === 'number' ? [[key as SavingKey, saving]] : [],
  );

/**
 * Points of the performance score that an audit could win.
 * @param disturbance metrics that it denies win nothing, or what they win without it
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

/** What it could take off all metrics, by their weights: tells apart what wins no points, or the same. */
export const furtherGain = (lhr: Lhr, audit: LhrAudit, disturbance?: Disturbance): number => {
  // After all that may help this load.
  if (isForRepeatVisits(audit.id)) return -1;
  const gains = savingEntries(audit).map(([key, saving]) => {
    const metric = metricOf[key];
    const value = rateMetric(lhr, key, disturbance)?.value;
    return metric && value ? weightOf(lhr.categories.performance, metric.audit) * Math.min(1, saving / value) : 0;
  });
  return gains.reduce((sum, gain) => sum + gain, 0);
};
