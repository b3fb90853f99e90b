/** What to fix: failed audits of one side or two, grouped by category, most useful first. */

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
  /** The sides that saw it. */
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

/** A metric is shown as one; what to do about it stands in the audits that lower it. */
const metricAudits: ReadonlySet<string> = new Set(
  Object.keys(metricWords)
    .filter(name => name !== 'server_response_time')
    .map(name => name.replaceAll('_', '-')),
);

/** An audit of several categories stands under the first of them. */
const groupOf = ({ categories }: FailedAudit): RequestCategory | undefined =>
  requestCategories.find(name => categories.includes(name));

const toGroups = (findings: readonly Finding[]): FindingGroup[] =>
  requestCategories
    .map(category => ({ category, findings: findings.filter(finding => groupOf(finding) === category) }))
    .filter(group => group.findings.length > 0);

const fixable = (result: Result): readonly FailedAudit[] =>
  result.failed_audits.filter(({ id }) => !metricAudits.has(id));

/** In the order of the service: worth most points first. */
export const groupFindings = (result: Result): FindingGroup[] =>
  toGroups(fixable(result).map(audit => ({ ...audit, sources: [result.source] })));

/** By points; results that were stored before findings had points stay in their order. */
export const byPoints = (findings: readonly Finding[]): Finding[] =>
  findings.every(({ points }) => points !== undefined)
    ? findings.toSorted((a, b) => (b.points ?? 0) - (a.points ?? 0))
    : [...findings];

/** What either side saw, worth most points first; with equal points in the local side's order. Each says who saw it. */
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

/** The most useful ones of all categories. */
export const bestFindings = (groups: readonly FindingGroup[], count = 3): Finding[] =>
  byPoints(groups.flatMap(({ findings }) => findings)).slice(0, count);

const savedOf: Readonly<Record<string, string>> = {
  first_contentful_paint: 'on the first paint',
  largest_contentful_paint: 'on the main content',
  total_blocking_time: 'of blocking',
  interaction_to_next_paint: 'on the next paint',
};

/** Too small for an estimate to mean anything: in milliseconds, as a layout shift, in bytes. */
const negligibleMs = 10;

const negligibleShift = 0.001;
const negligibleBytes = 1000;

const saySaving = ([metric, saving]: [string, number]): string | undefined => {
  if (metric === 'cumulative_layout_shift')
    return saving < negligibleShift ? undefined : `${formatShift(saving)} of layout shift`;
  return saving < negligibleMs ? undefined : `${formatMs(saving)} ${savedOf[metric] ?? ''}`.trim();
};

/** What fixing it may save, largest first: `1.4 s of blocking`. Nothing where only later visits win. */
export const saySavings = ({ id, savings }: FailedAudit): string[] =>
  isForRepeatVisits(id)
    ? []
    : Object.entries(savings)
        .toSorted(([, a], [, b]) => b - a)
        .flatMap(entry => saySaving(entry) ?? []);

type Estimate = { readonly amount: number; readonly unit: string };

/** Lighthouse's own words for an estimate; undefined for any other text, such as that of another language. */
function readEstimate({ display_value: shown }: FailedAudit): Estimate | undefined {
  const [, amount, unit] = /^Est savings of ([\d,.]+)\s(B|bytes|KiB|MiB|ms|s)$/.exec(shown ?? '') ?? [];
  return amount === undefined || unit === undefined ? undefined : { amount: Number(amount.replaceAll(',', '')), unit };
}

const bytesOf: Readonly<Record<string, number>> = { B: 1, bytes: 1, KiB: 1024, MiB: 1024 ** 2 };

/** The bytes in the units of the page. */
function sayBytes(audit: FailedAudit): string | undefined {
  const { amount, unit } = readEstimate(audit) ?? { amount: 0, unit: '' };
  const bytes = amount * (bytesOf[unit] ?? 0);
  return bytes < negligibleBytes ? undefined : formatBytes(bytes);
}

/** Of what the audit bears on, the metrics that are rated worst first. */
const worstMetricsFirst = (result: Result, { savings }: FailedAudit): readonly [string, number][] => {
  const badness = (name: string) => {
    const rating = Object.hasOwn(result.metrics, name) ? pageRatingOf(result, name as MetricName) : null;
    return rating === 'poor' ? 2 : Number(rating === 'needs-improvement');
  };
  return Object.entries(savings).toSorted(([a, x], [b, y]) => badness(b) - badness(a) || y - x);
};

/** Time and bytes that fixing it may save; `result` for the saving of the metric that needs it most. */
function sayBoth(audit: FailedAudit, result?: Result): string[] {
  const entries = result && !isForRepeatVisits(audit.id) ? worstMetricsFirst(result, audit) : [];
  const time = entries.flatMap(entry => saySaving(entry) ?? [])[0] ?? saySavings(audit)[0];
  return [time, sayBytes(audit)].filter(part => part !== undefined);
}

/** Points below this are not worth a word. */
const negligiblePoints = 0.5;

/** `up to 12 points`; undefined if it is not known, or hardly any. */
export const sayPoints = ({ points }: FailedAudit): string | undefined =>
  points === undefined || points < negligiblePoints ? undefined : `up to ${counted(Math.round(points), 'point')}`;

/**
 * What an audit found in a few words: what fixing it may save, else Lighthouse's own measure; undefined for neither. An
 * estimate of nothing, and one of a metric that the result denies, is neither.
 */
export function sayEffect(audit: FailedAudit, result?: Result): string | undefined {
  const parts = sayBoth(audit, result);
  if (parts.length > 0) return `may save ${joinWords(parts)}${isForRepeatVisits(audit.id) ? ' on a later visit' : ''}`;
  return audit.display_value && !readEstimate(audit) ? toPlainText(audit.display_value) : undefined;
}

/** Cells of a finding in the table of what to fix; undefined if not known. */
export type FindingFacts = {
  /** Points of its category that the fix may win, as Lighthouse's simulation has it. */
  readonly points: string | undefined;
  /** The metric that wins most, in short. */
  readonly metric: string | undefined;
  readonly time: string | undefined;
  readonly bytes: string | undefined;
};

/** @param result for the saving of the metric that needs it most */
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

/** Whether an effect is an estimate of what can be saved now. */
export const isSaving = (audit: FailedAudit): boolean => !isForRepeatVisits(audit.id) && sayBoth(audit).length > 0;

/** The metrics of the score that fixing it would better: those with an estimate, or those it names a cause for. */
const metricsOf = ({ id, metrics = [], savings }: FailedAudit): MetricName[] => {
  const names: readonly string[] = [...Object.keys(savings), ...(namesCause(id) ? metrics : [])];
  return isForRepeatVisits(id) ? [] : scoredMetrics.filter(name => names.includes(name));
};

/**
 * What to fix first: the most useful audit that bears on a metric which is not good; undefined if all of them are. A
 * metric that a disturbance denies asks for no fix.
 */
export function firstAdvice(result: Result): Finding | undefined {
  const isWanting = (name: MetricName) => !['good', null].includes(pageRatingOf(result, name));
  return groupFindings(result)
    .find(({ category }) => category === 'performance')
    ?.findings.find(finding => metricsOf(finding).some(isWanting));
}
