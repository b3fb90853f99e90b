/** Shortens answers of the routes to those of the MCP tools, and marks text of measured pages as untrusted. */
import type { Static } from 'typebox';
import type { Comparison } from '../../contract/analysis/comparison.ts';
import type { JobFacts } from '../../contract/jobs/job.ts';
import type { Category, MetricName } from '../../contract/names.ts';
import { isObject } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import type { ResultsComparison } from '../../contract/stored/change.ts';
import type { History } from '../../contract/stored/history.ts';
import type { WhatIf } from '../../contract/stored/what-if.ts';
import type { AuditEntries } from '../../measure/lhr/audit-entries.ts';
import { type Fixable, fixable } from '../../presentation/findings/findings.ts';
import { sayRangeOf, spreadOf } from '../../presentation/range.ts';
import { toShown } from '../../presentation/undisturbed.ts';
import { RouteFailure } from './route-failure.ts';
import { markAll, untrusted } from './short-answers.ts';

export type Json = Record<string, unknown>;

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
export function toPath(collection: 'jobs' | 'results', id: string): string {
  if (/^[\w-]+$/.test(id)) return `/${collection}/${id}`;
  throw new RouteFailure(`${JSON.stringify(id)} is not an id: an id has letters, digits and hyphens only.`);
}

export type AuditBody = { readonly audit: AuditEntries | undefined };

export const isOver = (state: unknown): boolean => ['succeeded', 'failed', 'cancelled'].includes(`${state}`);

export const toFix = ({ id, audit = id, title, category, files, categories, score, points, savings }: Fixable) => ({
  audit,
  title,
  category,
  ...(files.length > 0 ? { files: files.map(url => untrusted(url)) } : {}),
  categories,
  score,
  ...(points === undefined ? {} : { points }),
  savings,
});

/** Returns the range of the performance score, and what it is the range of. */
function toRange(result: Result): Json {
  const range = spreadOf(result, 'performance');
  const of = sayRangeOf(result);
  return range && of ? { performance_range: { min: range.min, max: range.max, of } } : {};
}

export const toExplained = (id: string, result: Result) => ({
  source: result.source,
  strategy: result.strategy,
  fetched_at: result.fetched_at,
  lighthouse_version: result.lighthouse_version,
  scores: Object.fromEntries(Object.keys(result.scores).map(name => [name, toShown(result, name as Category).value])),
  disturbed: result.disturbed,
  ...(result.disturbance ? { disturbance: result.disturbance } : {}),
  id,
  url: untrusted(result.final_url),
  ...(result.agentic_browsing ? { agentic_browsing: result.agentic_browsing } : {}),
  metrics: Object.fromEntries(
    Object.entries(result.metrics).map(([name, { unit }]) => {
      const { value, rating } = toShown(result, name as MetricName);
      return [name, { value, unit, rating }];
    }),
  ),
  ...(result.runs ? { runs: result.runs.completed, selected_run: result.runs.selected } : {}),
  ...(result.label === undefined ? {} : { label: untrusted(result.label) }),
  ...(result.late_content ? { main_content_appeared_ms: result.late_content.appeared_ms } : {}),
  ...toRange(result),
  warnings: result.warnings.slice(0, 5).map(warning => untrusted(warning)),
  fixes: fixable(result).slice(0, 3).map(toFix),
});

export type StoredComparison = {
  url: string;
  psi: { id?: string };
  lighthouse: { id?: string };
  comparison: Static<typeof Comparison> | null;
};

export const toExplainedComparison = (id: string, { url, psi, lighthouse, comparison }: StoredComparison) => ({
  id,
  url: untrusted(url),
  verdict: untrusted(comparison?.explanation ?? 'One side could not be measured.', 600),
  disturbed: comparison?.disturbed ?? [],
  scores: comparison?.scores ?? {},
  causes: (comparison?.causes ?? []).slice(0, 8).map(({ cause, category, points, certainty, explanation }) => ({
    cause,
    category,
    points,
    certainty,
    explanation: untrusted(explanation),
  })),
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

type JobBody = Static<typeof JobFacts> & {
  pages: {
    results: {
      id: string | null;
      source: 'psi' | 'lighthouse';
      strategy: 'mobile' | 'desktop';
      scores: Result['scores'] | null;
      disturbed?: boolean | null;
      performance_range?: { min: number | null; max: number | null } | null;
      error: { detail: string } | null;
    }[];
    error: { detail: string } | null;
    links: { comparison?: string };
  }[];
};

export function toJobOutput(job: string, body: Json): Json {
  const { state, position, progress, error, pages } = body as unknown as JobBody;
  const [page] = pages;
  const comparison = page?.links.comparison?.split('/').at(-1);
  const failure = error ?? page?.error;
  return {
    job,
    state,
    position,
    progress,
    results: pages.flatMap(({ results }) =>
      results.map(({ id, source, strategy, scores, disturbed, performance_range: range, error: fault }) => ({
        id,
        source,
        strategy,
        scores,
        disturbed: disturbed ?? null,
        performance_range: range ?? null,
        ...(fault ? { error: untrusted(fault.detail) } : {}),
      })),
    ),
    ...(comparison === undefined ? {} : { comparison }),
    ...(failure ? { error: untrusted(failure.detail) } : {}),
    next: isOver(state) ? 'Call explain_result with an id.' : 'Call get_job again, with wait_seconds.',
  };
}

export function toEvidence(id: string, audit: string, { audit: found }: AuditBody): Json {
  if (!found) throw new RouteFailure(`The result ${id} has no audit ${audit}: list_fixes names those that failed.`);
  const { title, description, score, displayValue, count, first } = found;
  return {
    id,
    audit,
    title,
    description: description.slice(0, 600),
    score,
    ...(displayValue === undefined ? {} : { display_value: untrusted(displayValue) }),
    entries: count,
    evidence: first.map(item => markAll(item)),
  };
}

const maxPoints = 50;

export const toHistoryOutput = ({
  url,
  strategy,
  source,
  metric,
  unit,
  direction,
  median,
  points,
  change_points: changes,
}: History): Json => ({
  url: untrusted(url),
  strategy,
  source,
  metric,
  unit,
  direction,
  median,
  points: points.slice(-maxPoints).map(({ id, fetched_at, value, label, disturbed }) => ({
    id,
    fetched_at,
    value,
    disturbed,
    label: label === null ? null : untrusted(label),
  })),
  changes: changes.slice(-10).map(({ status, fetched_at, previous_id, id, before, after }) => ({
    status,
    fetched_at,
    previous_id,
    id,
    before,
    after,
  })),
});

const toRemoval = ({ name, predicted, bytes }: WhatIf['scripts']['items'][number]): Json => ({
  name: untrusted(name),
  points: predicted?.points ?? null,
  bytes,
});

export const toPredictOutput = ({ id, basis, disturbed, base, fixes, ...others }: WhatIf): Json => ({
  id,
  basis,
  disturbed,
  score: base.score,
  fixes: fixes.steps.slice(0, 10).map(({ id: audit, title, points }) => ({ audit, title, points })),
  reachable: fixes.reachable.values.score,
  third_parties: others.third_parties.items.slice(0, 10).map(toRemoval),
  scripts: others.scripts.items.slice(0, 10).map(toRemoval),
  slowest_cpu: others.map.break_points.map(({ score, slowest_cpu: multiplier }) => ({ score, multiplier })),
  median_error: others.third_parties.error?.points.median ?? null,
  limits: others.limits,
});

export function toChangeOutput({ verdict, before, after, scores, alike, requests, audits }: ResultsComparison): Json {
  const added = (requests?.added ?? []).map(({ url, bytes }) => ({
    kind: 'added',
    url,
    bytes: { before: 0, after: bytes },
    cpu_ms: null,
  }));
  const files = alike && alike.files.length > 0 ? alike.files : added;
  return {
    status: verdict.status,
    more_runs: verdict.more_runs,
    decided_by: verdict.decided_by,
    judged_by: verdict.judged_by,
    explanation: untrusted(verdict.explanation, 800),
    runs: { before: before.runs, after: after.runs },
    disturbed: { before: before.disturbed, after: after.disturbed },
    ids: { before: before.selected_id, after: after.selected_id },
    scores: verdict.judged_by === 'simulated_alike' && alike ? { ...scores, ...alike.scores } : scores,
    files: files.slice(0, 5).map(({ kind, url, bytes, cpu_ms }) => ({ kind, url: untrusted(url), bytes, cpu_ms })),
    audits: (audits ?? [])
      .slice(0, 10)
      .map(({ id, before: was, after: is }) => ({ audit: id, before: was, after: is })),
  };
}
