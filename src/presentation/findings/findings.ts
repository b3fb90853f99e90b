/** Groups findings: failed audits of one or two sides by category, most useful first. */

import { type MetricName, type RequestCategory, requestCategories } from '../../contract/names.ts';
import { isForRepeatVisits, namesCause } from '../../contract/result/advice.ts';
import type { FailedAudit, Result } from '../../contract/result/result.ts';
import type { Source } from '../answer.ts';
import { toPlainText } from '../markdown.ts';
import { metricWords, scoredMetrics } from '../metric-range.ts';
import { counted, formatBytes, formatMs, formatShift, joinWords } from '../numbers.ts';
import { pageRatingOf } from '../undisturbed.ts';
import { bearsOn } from './metric-filter.ts';

export type Finding = FailedAudit & {
  /** Sides on which it failed. */
  readonly sources: readonly Source[];
};

export type FindingGroup = {
  readonly category: RequestCategory;
  readonly findings: readonly Finding[];
};

export const categoryWords: Readonly<Record<RequestCategory, string>> = {
  performance: 'Performance',
  accessibility: 'Accessibility',
  'best-practices': 'Best practices',
  seo: 'SEO',
  'agentic-browsing': 'Agentic browsing',
};

/** Audits that are displayed as metrics; the advice is in the audits that affect them. */
const metricAudits: ReadonlySet<string> = new Set(
  Object.keys(metricWords)
    .filter(name => name !== 'server_response_time')
    .map(name => name.replaceAll('_', '-')),
);

/** Returns the first category of an audit. */
const groupOf = ({ categories }: FailedAudit): RequestCategory | undefined =>
  requestCategories.find(name => categories.includes(name));

const toGroups = (findings: readonly Finding[]): FindingGroup[] =>
  requestCategories
    .map(category => ({ category, findings: findings.filter(finding => groupOf(finding) === category) }))
    .filter(group => group.findings.length > 0);

/** Returns the failed audits that advise a change: metrics have no advice, and an audit that crashed found nothing. */
export const fixable = (result: Pick<Result, 'failed_audits'>): readonly FailedAudit[] =>
  result.failed_audits.filter(({ id, error_message: crash }) => !metricAudits.has(id) && crash === undefined);

/** Groups findings in the order of the service: most points first. */
export const groupFindings = (result: Result): FindingGroup[] =>
  toGroups(fixable(result).map(audit => ({ ...audit, sources: [result.source] })));

/** Sorts by points; findings of older results, which have none, stay in their order. */
export const byPoints = (findings: readonly Finding[]): Finding[] =>
  findings.every(({ points }) => points !== undefined)
    ? findings.toSorted((a, b) => (b.points ?? 0) - (a.points ?? 0))
    : [...findings];

/**
 * Merges the findings of both sides, most points first; with equal points, in the order of the local side. Each
 * contains its sides.
 */
export function mergeFindings(psi: Result, lighthouse: Result): FindingGroup[] {
  const [remote, local] = [fixable(psi), fixable(lighthouse)];
  const has = (audits: readonly FailedAudit[], id: string) => audits.some(audit => audit.id === id);
  const merged: Finding[] = [
    ...local.map(audit => ({
      ...audit,
      sources: has(remote, audit.id) ? (['psi', 'lighthouse'] as const) : (['lighthouse'] as const),
    })),
    ...remote.filter(({ id }) => !has(local, id)).map(audit => ({ ...audit, sources: ['psi'] as const })),
  ];
  return toGroups(byPoints(merged));
}

export const countFindings = (groups: readonly FindingGroup[]): number =>
  groups.reduce((sum, { findings }) => sum + findings.length, 0);

/** Returns the most useful findings of all categories. */
export const bestFindings = (groups: readonly FindingGroup[], count = 3): Finding[] =>
  byPoints(groups.flatMap(({ findings }) => findings)).slice(0, count);

const savedOf: Readonly<Record<string, string>> = {
  first_contentful_paint: 'on the first paint',
  largest_contentful_paint: 'on the main content',
  total_blocking_time: 'of blocking',
  interaction_to_next_paint: 'on the next paint',
};

/** Limits below which estimates are not meaningful: milliseconds, layout shift, bytes. */
const negligibleMs = 10;

const negligibleShift = 0.001;
const negligibleBytes = 1000;

const saySaving = ([metric, saving]: [string, number]): string | undefined => {
  if (metric === 'cumulative_layout_shift')
    return saving < negligibleShift ? undefined : `${formatShift(saving)} of layout shift`;
  return saving < negligibleMs ? undefined : `${formatMs(saving)} ${savedOf[metric] ?? ''}`.trim();
};

/** Describes the possible savings, largest first: `1.4 s of blocking`; empty if only repeat visits benefit. */
export const saySavings = ({ id, savings }: FailedAudit): string[] =>
  isForRepeatVisits(id)
    ? []
    : Object.entries(savings)
        .toSorted(([, a], [, b]) => b - a)
        .flatMap(entry => saySaving(entry) ?? []);

type Estimate = { readonly amount: number; readonly unit: string };

/** Parses Lighthouse's text of an estimate; undefined for any other text, such as a translation. */
function readEstimate({ display_value: shown }: FailedAudit): Estimate | undefined {
  const [, amount, unit] = /^Est savings of ([\d,.]+)\s(B|bytes|KiB|MiB|ms|s)$/.exec(shown ?? '') ?? [];
  return amount === undefined || unit === undefined ? undefined : { amount: Number(amount.replaceAll(',', '')), unit };
}

const bytesOf: Readonly<Record<string, number>> = { B: 1, bytes: 1, KiB: 1024, MiB: 1024 ** 2 };

/** Formats the estimated bytes in the units of the page. */
function sayBytes(audit: FailedAudit): string | undefined {
  const { amount, unit } = readEstimate(audit) ?? { amount: 0, unit: '' };
  const bytes = amount * (bytesOf[unit] ?? 0);
  return bytes < negligibleBytes ? undefined : formatBytes(bytes);
}

/** Returns the metrics of an audit, worst rating first. */
const worstMetricsFirst = (result: Result, { savings }: FailedAudit): readonly [string, number][] => {
  const badness = (name: string) => {
    const rating = Object.hasOwn(result.metrics, name) ? pageRatingOf(result, name as MetricName) : null;
    return rating === 'poor' ? 2 : Number(rating === 'needs-improvement');
  };
  return Object.entries(savings).toSorted(([a, x], [b, y]) => badness(b) - badness(a) || y - x);
};

/** Returns time and bytes that a fix may save; `result` selects the saving of the worst metric. */
function sayBoth(audit: FailedAudit, result?: Result): string[] {
  const entries = result && !isForRepeatVisits(audit.id) ? worstMetricsFirst(result, audit) : [];
  const time = entries.flatMap(entry => saySaving(entry) ?? [])[0] ?? saySavings(audit)[0];
  return [time, sayBytes(audit)].filter(part => part !== undefined);
}

/** Min number of points to display. */
const negligiblePoints = 0.5;

/** Formats the points as `up to 12 points`; undefined if unknown or negligible. */
export const sayPoints = ({ points }: FailedAudit): string | undefined =>
  points === undefined || points < negligiblePoints ? undefined : `up to ${counted(Math.round(points), 'point')}`;

/**
 * Describes a finding briefly: its possible saving, or else Lighthouse's own value; undefined if it has neither. Zero
 * estimates, and those of unreliable metrics, are ignored.
 */
export function sayEffect(audit: FailedAudit, result?: Result): string | undefined {
  const parts = sayBoth(audit, result);
  if (parts.length > 0) return `may save ${joinWords(parts)}${isForRepeatVisits(audit.id) ? ' on a later visit' : ''}`;
  return audit.display_value && !readEstimate(audit) ? toPlainText(audit.display_value) : undefined;
}

/** Cells of a finding in the table of fixes; undefined if unknown. */
export type FindingFacts = {
  /** Points of a category that the fix may gain, as the service estimates. */
  readonly points: string | undefined;
  /** Short name of the metric that is saved, or else of one that the audit affects. */
  readonly metric: string | undefined;
  readonly time: string | undefined;
  readonly bytes: string | undefined;
};

/** @param result selects the saving of the worst metric */
export function toFindingFacts(audit: FailedAudit, result?: Result): FindingFacts {
  const isNow = !isForRepeatVisits(audit.id);
  const savings = result
    ? worstMetricsFirst(result, audit)
    : Object.entries(audit.savings).toSorted(([, a], [, b]) => b - a);
  const [best] = isNow ? savings.filter(entry => saySaving(entry) !== undefined) : [];
  const [bearing] = bearsOn(audit);
  const sayAmount = ([metric, amount]: [string, number]) =>
    metric === 'cumulative_layout_shift' ? formatShift(amount) : formatMs(amount);
  const { points } = audit;
  return {
    points: points === undefined || points < negligiblePoints ? undefined : `${Math.round(points)}`,
    metric: (
      (best && bearsOn({ ...audit, savings: { [best[0]]: best[1] }, metrics: [] })[0]) ??
      bearing
    )?.toUpperCase(),
    time: best && sayAmount(best as [string, number]),
    bytes: sayBytes(audit),
  };
}

/** Returns whether an effect is an estimate of what can be saved now. */
export const isSaving = (audit: FailedAudit): boolean => !isForRepeatVisits(audit.id) && sayBoth(audit).length > 0;

/**
 * Returns the metrics of the score that a fix would improve: those with an estimate, or those of an audit that names a
 * cause.
 */
const metricsOf = ({ id, metrics = [], savings }: FailedAudit): MetricName[] => {
  const names: readonly string[] = [...Object.keys(savings), ...(namesCause(id) ? metrics : [])];
  return isForRepeatVisits(id) ? [] : scoredMetrics.filter(name => names.includes(name));
};

/**
 * Returns the first thing to fix: the most useful audit for a metric that is not good; undefined if all metrics are
 * good. Unreliable metrics of a disturbed load need no fix.
 */
export function firstAdvice(result: Result): Finding | undefined {
  const isWanting = (name: MetricName) => !['good', null].includes(pageRatingOf(result, name));
  return groupFindings(result)
    .find(({ category }) => category === 'performance')
    ?.findings.find(finding => metricsOf(finding).some(isWanting));
}
