/** Shortens answers of the routes to those of the MCP tools, and marks text of measured pages as untrusted. */
import type { Static } from 'typebox';
import type { Comparison } from '../../contract/analysis/comparison.ts';
import type { JobAnswer, JobPage } from '../../contract/jobs/job.ts';
import type { MetricName } from '../../contract/names.ts';
import { isObject } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import type { ResultsComparison } from '../../contract/stored/change.ts';
import type { History } from '../../contract/stored/history.ts';
import type { WhatIf } from '../../contract/stored/what-if.ts';
import type { AuditEntries } from '../../measure/lhr/audit-entries.ts';
import { changedFilesOf } from '../../presentation/change-words.ts';
import { type Fixable, fixable } from '../../presentation/findings/findings.ts';
import { sayRangeOf, spreadOf } from '../../presentation/range.ts';
import { customNamesOf } from '../../presentation/result-rows.ts';
import { toShown, toShownScores } from '../../presentation/undisturbed.ts';
import { changeShape, comparisonShape, historyShape, jobShape, predictShape, resultShape } from './answer-shapes.ts';
import { RouteFailure } from './route-failure.ts';
import { type Json, markAll, shorten, untrusted, withEntries } from './short-answers.ts';
export const sayProblem = (status: number, body: unknown): string => {
  if (isObject(body) && typeof body.detail === 'string')
    return `${body.detail}${typeof body.code === 'string' ? ` (${body.code})` : ''}`;
  if (isObject(body) && Array.isArray(body.detail))
    return body.detail
      .map(({ loc, msg }: { loc: unknown[]; msg: string }) => `${loc.slice(1).join('.')}: ${msg}`)
      .join('; ');
  return `The service returned status ${status}.`;
};

/** Returns the path of an item. Another character in its id, such as `..`, could lead elsewhere. @throws RouteFailure */
export function toPath(collection: 'jobs' | 'results' | 'experiments', id: string): string {
  if (/^[\w-]+$/.test(id)) return `/${collection}/${id}`;
  throw new RouteFailure(`${JSON.stringify(id)} is not an id: an id has letters, digits and hyphens only.`);
}

export type AuditBody = { readonly audit: AuditEntries | undefined };

export const isOver = (state: unknown): boolean => ['succeeded', 'failed', 'cancelled'].includes(`${state}`);

const ownAnalysers: readonly Result['analyser']['kind'][] = ['local', 'embedded', 'google'];

/**
 * Returns title and audit of a fix. An id like `script:URL` is not that of an audit, and the page chose its title;
 * whoever uploaded a result chose all of them.
 */
const toTitled = ({ id, title, audit }: Pick<Fixable, 'id' | 'title' | 'audit'>, isOwn = true) => ({
  audit: id.includes(':') ? audit : (audit ?? id),
  title: id.includes(':') || !isOwn ? untrusted(title) : title,
});

export const toFix =
  ({ analyser }: Pick<Result, 'analyser'>) =>
  (fix: Fixable) => ({
    ...fix,
    ...toTitled(fix, ownAnalysers.includes(analyser.kind)),
    files: fix.files.length > 0 ? fix.files : undefined,
  });

/** Returns the range of the performance score, and what it is the range of. */
function toRange(result: Result): Json {
  const range = spreadOf(result, 'performance');
  const of = sayRangeOf(result);
  return range && of ? { performance_range: { min: range.min, max: range.max, of } } : {};
}

export const toExplained = (id: string, result: Result) =>
  shorten(resultShape, {
    ...result,
    id,
    url: result.final_url,
    scores: toShownScores(result),
    metrics: Object.fromEntries(
      Object.entries(result.metrics).map(([name, { unit }]) => {
        const { value, rating } = toShown(result, name as MetricName);
        return [name, { value, unit, rating }];
      }),
    ),
    disturbance: result.disturbance ?? undefined,
    agentic_browsing: result.agentic_browsing ?? undefined,
    runs: result.runs?.completed,
    selected_run: result.runs?.selected,
    main_content_appeared_ms: result.late_content?.appeared_ms,
    ...toRange(result),
    custom_metrics: customNamesOf(result.custom_metrics).map(name => ({ name, ms: result.custom_metrics?.[name] })),
    fixes: fixable(result).map(toFix(result)),
  });

export type StoredComparison = {
  url: string;
  psi: { id?: string };
  lighthouse: { id?: string };
  comparison: Static<typeof Comparison> | null;
};

export const toExplainedComparison = (id: string, { url, psi, lighthouse, comparison }: StoredComparison) =>
  shorten(comparisonShape, {
    id,
    url,
    verdict: untrusted(comparison?.explanation ?? 'One side could not be measured.', 600),
    disturbed: comparison?.disturbed ?? [],
    scores: comparison?.scores ?? {},
    causes: comparison?.causes ?? [],
    results: [psi.id, lighthouse.id].filter(side => side !== undefined),
  });

/** @throws RouteFailure if the body is not a result; its message describes where to find the result */
export function assertResult(id: string, body: Json): void {
  if (isObject(body.error))
    throw new RouteFailure(`${id} is a page that could not be measured: explain_result says why.`);
  if ('comparison' in body)
    throw new RouteFailure(`${id} is a comparison: explain_result has its causes and the ids of its results.`);
  if (!isObject(body.metrics)) throw new RouteFailure(`${id} is not the id of a result.`);
}

type JobPart = JobPage['results'][number];

export function toJobOutput(job: string, body: Json): Json {
  const { state, pages, error, ...facts } = body as unknown as JobAnswer;
  const [page] = pages;
  const toOutput = ({ error: fault, disturbed = null, performance_range = null, ...part }: JobPart) => ({
    ...{ ...part, disturbed, performance_range },
    error: fault?.detail,
  });
  return shorten(jobShape, {
    ...facts,
    job,
    state,
    results: pages.flatMap(({ results }) => results.map(toOutput)),
    comparison: page?.links.comparison?.split('/').at(-1),
    error: (error ?? page?.error)?.detail,
    next: isOver(state) ? 'Call explain_result with an id.' : 'Call get_job again, with wait_seconds.',
  });
}

export function toEvidence(id: string, audit: string, { audit: found }: AuditBody): Json {
  if (!found) throw new RouteFailure(`The result ${id} has no audit ${audit}: list_fixes names those that failed.`);
  const { title, description, score, displayValue, count, first } = found;
  return {
    id,
    audit,
    title: untrusted(title),
    description: untrusted(description, 600),
    score,
    ...(displayValue === undefined ? {} : { display_value: untrusted(displayValue) }),
    entries: count,
    evidence: first.map(item => markAll(item)),
  };
}

/** Max number of fixes in an answer of `list_fixes`. */
export const mostFixes = 20;
const newestPoints = 50;
const newestChanges = 10;

export const toHistoryOutput = ({ points, change_points: changes, ...history }: History): Json =>
  withEntries(newestPoints, count => {
    const newest = points.slice(-count);
    const leftOut = Math.min(newestPoints, points.length) - newest.length;
    return shorten(historyShape, {
      ...history,
      points: newest,
      changes: changes.slice(-Math.min(count, newestChanges)),
      left_out: leftOut > 0 ? leftOut : undefined,
    });
  });

const toRemoval = ({ predicted, ...removal }: WhatIf['scripts']['items'][number]) => ({
  ...removal,
  points: predicted?.points ?? null,
});

export const toPredictOutput = ({ base, fixes, third_parties: parties, scripts, map, ...others }: WhatIf) =>
  shorten(predictShape, {
    ...others,
    score: base.score,
    fixes: fixes.steps.map(step => ({ ...step, ...toTitled(step) })),
    reachable: fixes.reachable.values.score,
    third_parties: parties.items.map(toRemoval),
    scripts: scripts.items.map(toRemoval),
    slowest_cpu: map.break_points.map(({ score, slowest_cpu: multiplier }) => ({ score, multiplier })),
    median_error: parties.error?.points.median ?? null,
  });

export function toChangeOutput(changes: ResultsComparison): Json {
  const { verdict, before, after, scores, alike, audits, custom_metrics: custom } = changes;
  return shorten(changeShape, {
    ...verdict,
    explanation: untrusted(verdict.explanation, 800),
    runs: { before: before.runs, after: after.runs },
    disturbed: { before: before.disturbed, after: after.disturbed },
    ids: { before: before.selected_id, after: after.selected_id },
    scores: verdict.judged_by === 'simulated_alike' && alike ? { ...scores, ...alike.scores } : scores,
    custom_metrics: customNamesOf(custom).map(name => ({ ...custom[name], name })),
    files: changedFilesOf(changes),
    audits: (audits ?? []).map(audit => ({ ...audit, audit: audit.id })),
  });
}
