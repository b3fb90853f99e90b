/** Groups findings: failed audits of one or two sides by category, most useful first. */

import type { Source } from '../../contract/errors.ts';
import { type Category, type MetricName, type RequestCategory, requestCategories } from '../../contract/names.ts';
import {
  compareFindings,
  isForRepeatVisits,
  metricAudits,
  namesCause,
  negligiblePoints,
} from '../../contract/result/advice.ts';
import type { FailedAudit, RankedFinding, Result } from '../../contract/result/result.ts';
import { nameOfFile } from '../../contract/without-query.ts';
import { toPlainText } from '../markdown.ts';
import { counted, formatBytes, formatMs, formatShift, joinWords } from '../numbers.ts';
import { pageRatingOf, toShownScores } from '../undisturbed.ts';
import { categoryInSentence, scoredMetrics } from '../words.ts';
import { bearsOn } from './metric-filter.ts';

/** A failed audit, or a file that costs points without one. */
export type Fixable = FailedAudit & {
  readonly category: RequestCategory;
  /** Id of the audit with the evidence, if it is another one. */
  readonly audit?: string;
  readonly is_simulated?: boolean;
  /** URLs of the files concerned, largest first. */
  readonly files: readonly string[];
  readonly bytes?: number;
};

export type Finding = Fixable & {
  /** Sides on which it failed. */
  readonly sources: readonly Source[];
};

export type FindingGroup = {
  readonly category: RequestCategory;
  readonly findings: readonly Finding[];
};

/** How to fix what is no audit of its own, by the kind of its id. */
const adviceWords: Readonly<Record<string, string>> = {
  script: 'Load this script later, split its work into short tasks, or do less of it.',
  picture: 'Compress this picture, use a modern format, and serve it in the size in which it is displayed.',
  'third-party': 'Load this third party later, or only if a visitor needs it.',
  'main-thread': 'Shorten layout, style and painting: fewer elements, simpler selectors, no forced layouts.',
};

/** Returns the category of the points; for older results, the first one. */
const categoryOf = ({ categories }: FailedAudit): RequestCategory =>
  requestCategories.find(name => categories.includes(name)) ?? 'performance';

const toFinding = (audit: FailedAudit): Fixable => ({ ...audit, category: categoryOf(audit), files: [] });

function toRanked(ranked: RankedFinding, audits: readonly FailedAudit[]): Fixable {
  const { id, category, ...found } = ranked;
  const audit = audits.find(failed => failed.id === id);
  const fresh = {
    description: adviceWords[id.split(':', 1)[0] ?? ''] ?? '',
    score: null,
    display_value: null,
    categories: [category],
  };
  return { ...(audit ?? fresh), id, category, ...found };
}

/** Returns what to fix, without metrics and crashed audits. Older results have only their failed audits. */
export function fixable(result: Pick<Result, 'findings' | 'failed_audits' | 'scores'>): readonly Fixable[] {
  const audits = result.failed_audits.filter(
    ({ id, error_message: crash }) => !metricAudits.has(id) && crash === undefined,
  );
  const ranked = (result.findings ?? []).map(finding => toRanked(finding, audits));
  const rest = audits.filter(({ id }) => !ranked.some(finding => finding.id === id)).map(toFinding);
  // The points of an audit that the service did not rank are those of its files, which it ranked.
  return [...ranked, ...(result.findings ? rest.map(audit => ({ ...audit, points: 0 })) : byRank(rest, result.scores))];
}

/** Sorts by category and points; findings of older results, which have no points, stay in their order. */
const byRank = <T extends Fixable>(findings: readonly T[], scores: Result['scores']): readonly T[] => {
  const compare = compareFindings(scores);
  const usefulOf = ({ category, points = 0 }: T) => ({ category, points });
  return findings.every(({ points }) => points !== undefined)
    ? findings.toSorted((one, other) => compare(usefulOf(one), usefulOf(other)))
    : findings.toSorted(
        (one, other) => requestCategories.indexOf(one.category) - requestCategories.indexOf(other.category),
      );
};

/** Groups findings in their order: the category of the first one is first. */
function toGroups(findings: readonly Finding[]): FindingGroup[] {
  const groups = Map.groupBy(findings, ({ category }) => category);
  return [...groups].map(([category, ofCategory]) => ({ category, findings: ofCategory }));
}

export const groupFindings = (result: Result): FindingGroup[] =>
  toGroups(fixable(result).map(finding => ({ ...finding, sources: [result.source] })));

/** Merges the findings of both sides, each with its sides, in the order of the local scores and side. */
export function mergeFindings(psi: Result, lighthouse: Result): FindingGroup[] {
  const [remote, local] = [fixable(psi), fixable(lighthouse)];
  const has = (findings: readonly Fixable[], id: string) => findings.some(finding => finding.id === id);
  const merged: Finding[] = [
    ...local.map(finding => ({
      ...finding,
      sources: has(remote, finding.id) ? (['psi', 'lighthouse'] as const) : (['lighthouse'] as const),
    })),
    ...remote.filter(({ id }) => !has(local, id)).map(finding => ({ ...finding, sources: ['psi'] as const })),
  ];
  return toGroups(byRank(merged, toShownScores(lighthouse)));
}

export const countFindings = (groups: readonly FindingGroup[]): number =>
  groups.reduce((sum, { findings }) => sum + findings.length, 0);

/** Returns the first findings of all categories: what gains nothing is last. */
export function bestFindings(groups: readonly FindingGroup[], count = 3): Finding[] {
  const all = groups.flatMap(({ findings }) => findings);
  const isUseful = ({ points = negligiblePoints }: Finding) => points >= negligiblePoints;
  return [...all.filter(isUseful), ...all.filter(finding => !isUseful(finding))].slice(0, count);
}

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

/** Formats the points as `up to 12 points of performance`; undefined if unknown or negligible. */
export const sayPoints = ({
  points,
  category,
}: {
  points?: number | undefined;
  category: RequestCategory;
}): string | undefined =>
  points === undefined || points < negligiblePoints
    ? undefined
    : `up to ${counted(Math.round(points), 'point')} of ${categoryInSentence(category)}`;

const mostNamed = 2;

/** Names the files of an audit's finding; undefined if its title names them. */
export function sayFiles({ id, files }: Pick<Fixable, 'id' | 'files'>): string | undefined {
  if (files.length === 0 || id.includes(':')) return undefined;
  // Files that differ only in their query have one name.
  return joinWords([...new Set(files.map(nameOfFile))].slice(0, mostNamed));
}

/** Returns the facts of a finding next to its title: files, effect, points. */
export const sayFacts = (finding: Fixable, result?: Result): string[] =>
  [sayFiles(finding), sayEffect(finding, result), sayPoints(finding)].filter(fact => fact !== undefined);

/** Returns the possible saving, or Lighthouse's own value; undefined without any that is reliable and not zero. */
export function sayEffect(audit: FailedAudit, result?: Result): string | undefined {
  const parts = sayBoth(audit, result);
  const { total_blocking_time: blockingMs = 0 } = audit.savings;
  const added = blockingMs < 0 ? `, but add ${formatMs(-blockingMs)} of blocking` : '';
  if (parts.length > 0)
    return `may save ${joinWords(parts)}${isForRepeatVisits(audit.id) ? ' on a later visit' : added}`;
  return audit.display_value && !readEstimate(audit) ? toPlainText(audit.display_value) : undefined;
}

/** Returns the cells of a finding in the table of fixes. @param result selects the saving of the worst metric */
export function toFindingFacts(audit: Fixable, result?: Result) {
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
    bytes: sayBytes(audit) ?? (audit.bytes === undefined ? undefined : formatBytes(audit.bytes)),
  };
}

/** Returns the metrics that a fix would improve: by estimates, or of an audit that names a cause. */
const metricsOf = ({ id, metrics = [], savings }: FailedAudit): MetricName[] => {
  const saved = Object.keys(savings).filter(name => (savings[name] ?? 0) > 0);
  const names: readonly string[] = [...saved, ...(namesCause(id) ? metrics : [])];
  return isForRepeatVisits(id) ? [] : scoredMetrics.filter(name => names.includes(name));
};

/** Points from which a fix is worth it although every metric is good. */
const worthPoints = 3;
const goodScore = 90;

/**
 * Returns the first thing to fix; undefined if all metrics and categories are good. A disturbance says nothing of the
 * network: the paints that it delayed still need their fixes, its blocking time does not.
 */
export function firstAdvice(result: Result): Finding | undefined {
  const ratingOf = (name: MetricName) =>
    pageRatingOf(result, name) ?? (name === 'total_blocking_time' ? null : result.metrics[name].rating);
  const isWanting = (name: MetricName) => !['good', null].includes(ratingOf(name));
  const isAdvice = (finding: Finding): boolean => {
    const { category, points = worthPoints } = finding;
    if (category !== 'performance')
      return (
        points >= negligiblePoints &&
        finding.points !== undefined &&
        (result.scores[category as Category] ?? 100) < goodScore
      );
    const metrics = metricsOf(finding);
    return metrics.some(isWanting) || (metrics.length > 0 && finding.points !== undefined && points >= worthPoints);
  };
  return groupFindings(result)
    .flatMap(({ findings }) => findings)
    .find(isAdvice);
}
