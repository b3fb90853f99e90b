/** The MCP tools, one entry each: its texts, its input, and the routes that it asks. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { Static, TObject } from 'typebox';
import type { ExperimentAnswer } from '../../contract/experiments/answer.ts';
import { pickConditions, pickOptions } from '../../contract/measuring-options.ts';
import { isObject } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import type { ResultsComparison } from '../../contract/stored/change.ts';
import type { History } from '../../contract/stored/history.ts';
import { NoteRequest } from '../../contract/stored/notes.ts';
import type { WhatIf } from '../../contract/stored/what-if.ts';
import { fixable } from '../../presentation/findings/findings.ts';
import { experimentShape, fixesShape, noteShape, pagesShape } from './answer-shapes.ts';
import { RouteFailure } from './route-failure.ts';
import { type Json, shorten, untrusted, withEntries } from './short-answers.ts';
import {
  type AuditBody,
  assertResult,
  isOver,
  mostFixes,
  type StoredComparison,
  sayProblem,
  toChangeOutput,
  toEvidence,
  toExplained,
  toExplainedComparison,
  toFix,
  toHistoryOutput,
  toJobOutput,
  toPath,
  toPredictOutput,
} from './tool-answers.ts';
import {
  ChangeInput,
  CompareInput,
  CompareUrlsInput,
  EvidenceInput,
  ExperimentIdInput,
  ExperimentInput,
  FixesInput,
  HistoryInput,
  JobInput,
  MeasureInput,
  PagesInput,
  ResultInput,
} from './tool-schemas.ts';

type McpOrder = {
  readonly method: 'GET' | 'POST';
  /** Path on this service, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts when the client cancels its call. */
  readonly signal?: AbortSignal;
  /** An audit of a stored result that the route shows to the client: the body is then an `AuditBody`. */
  readonly audit?: { readonly result: string; readonly id: string };
};

/** Requests a route as the client of this session. @throws RouteFailure if the route does not answer */
export type AskRoute = (order: McpOrder) => Promise<{ status: number; body: unknown }>;

const toQuery = (values: Json): URLSearchParams =>
  new URLSearchParams(
    Object.entries(values).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]],
    ),
  );

type Routes = ReturnType<typeof toRoutes>;

/** Returns the ways in which one call of a tool asks the routes. */
export function toRoutes(ask: AskRoute, signal: AbortSignal) {
  /** @throws RouteFailure */
  async function get<T = Json>(path: string, order: Partial<McpOrder> = {}): Promise<T> {
    const { status, body } = await ask({ method: 'GET', path, signal, ...order });
    if (status >= 400 || !isObject(body)) throw new RouteFailure(sayProblem(status, body));
    return body as T;
  }
  const post = <T = Json>(path: string, body: object, headers: McpOrder['headers'] = {}): Promise<T> =>
    get(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, 'content-type': 'application/json' },
    });
  /** Starts a job. Only a body has conditions. */
  async function start(path: string, values: Json): Promise<Json> {
    const headers = { prefer: 'respond-async' };
    const hasConditions = Object.keys(pickConditions(values)).length > 0;
    const asked = hasConditions ? post(path, values, headers) : get(`${path}?${toQuery(values)}`, { headers });
    const { id, state } = await asked;
    return { job: id, state, next: 'Call get_job with this job.' };
  }
  return { get, post, start, stored: (id: string) => get(toPath('results', id)), signal };
}

/** @throws RouteFailure */
export async function explain(id: string, { stored }: Pick<Routes, 'stored'>): Promise<Json> {
  const body = await stored(id);
  if (isObject(body.error))
    return { failure: { id, code: `${body.error.code}`, detail: untrusted(`${body.error.detail}`) } };
  if ('comparison' in body) return { comparison: toExplainedComparison(id, body as unknown as StoredComparison) };
  assertResult(id, body);
  return { result: toExplained(id, body as unknown as Result) };
}

async function startExperiment(post: Routes['post'], body: object): Promise<Json> {
  const { id, state, plan } = await post<Pick<ExperimentAnswer, 'id' | 'state' | 'plan'>>('/experiments', body);
  return { experiment: id, state, plan: plan.sentence, next: 'Call get_experiment until it has ended.' };
}

const reads = { readOnlyHint: true, openWorldHint: false } as const;
/** Hints of tools that measure: they send requests to the page and store a result. */
const measures = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true } as const;

const pollMs = 1000;

type Tool<Input extends TObject> = {
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** By default, a tool only reads. */
  readonly annotations?: ToolAnnotations;
  readonly run: (values: Static<Input>, routes: Routes) => Promise<Json>;
};

const tool = <Input extends TObject>(of: Tool<Input>) =>
  ({ annotations: reads, ...of }) as unknown as Required<Tool<TObject>>;

export const tools = {
  measure: tool({
    title: 'Measure a page',
    description: 'Starts a measurement of one page and returns a job immediately.',
    input: MeasureInput,
    annotations: measures,
    run: async ({ analyser = 'lighthouse', url, ...given }, { start }) => {
      // Without a strategy, `/psi` would measure both.
      const options = { strategy: 'mobile', ...given };
      const [condition] = Object.keys(pickConditions(given));
      if (analyser === 'psi' && condition !== undefined)
        throw new RouteFailure(`PageSpeed Insights loads the page itself, without ${condition}: use lighthouse.`);
      const taken = analyser === 'psi' ? pickOptions('psi', options) : options;
      return start(`/${analyser}`, { url, ...taken });
    },
  }),
  compare_analysers: tool({
    title: 'Compare PageSpeed Insights with local Lighthouse',
    description:
      'Starts a comparison of one page and returns a job immediately. The comparison explains why the scores differ.',
    input: CompareInput,
    annotations: measures,
    run: (values, { start }) => start('/compare', values),
  }),
  get_job: tool({
    title: 'Read a job',
    description: 'The state of a job, and the ids of its results, and of their comparison, once it has ended.',
    input: JobInput,
    annotations: { ...reads, idempotentHint: true },
    run: async ({ job, wait_seconds: seconds = 0 }, { get, signal }) => {
      const path = toPath('jobs', job);
      let body = await get(path);
      for (let waited = 0; waited < seconds * 1000 && !isOver(body.state); waited += pollMs) {
        await sleep(pollMs, undefined, { signal });
        body = await get(path);
      }
      return toJobOutput(job, body);
    },
  }),
  explain_result: tool({
    title: 'Explain a result',
    description:
      'Scores, metrics and the three most useful fixes of a stored result, or the verdict and causes of a comparison. `points` is the most that a fix can add. A rating is null if a disturbance made its value unreliable.',
    input: ResultInput,
    run: ({ id }, routes) => explain(id, routes),
  }),
  list_fixes: tool({
    title: 'List what to fix',
    description: `Failed audits of a stored result, most useful first, up to ${mostFixes} at a time; \`next_offset\` continues.`,
    input: FixesInput,
    run: async ({ id, category, offset = 0 }, { stored }) => {
      const body = await stored(id);
      assertResult(id, body);
      const result = body as unknown as Result;
      const all = fixable(result);
      const found = category === undefined ? all : all.filter(({ categories }) => categories.includes(category));
      // A fix that is left out of one page is on the next one.
      return withEntries(mostFixes, count => {
        const next = offset + count;
        const fixes = found.slice(offset, next).map(toFix(result));
        return shorten(fixesShape, {
          ...{ id, total: found.length, fixes },
          next_offset: next < found.length ? next : undefined,
        });
      });
    },
  }),
  get_fix_evidence: tool({
    title: 'Show the evidence of a fix',
    description: 'The first entries that an audit of a stored result lists, such as files and elements.',
    input: EvidenceInput,
    run: async ({ id, audit }, { get }) => {
      const order = { audit: { result: id, id: audit } };
      return toEvidence(id, audit, await get<AuditBody>(toPath('results', id), order));
    },
  }),
  predict_changes: tool({
    title: 'Predict the gain of changes',
    description:
      'Simulates the stored load of a local result without each third party and script, and with its fixes on top of each other (`reachable`: the score with all). Values are predicted, not measured; `slowest_cpu` is the largest CPU slowdown at which the page still reaches each score.',
    input: ResultInput,
    run: async ({ id }, { get }) => toPredictOutput(await get<WhatIf>(`${toPath('results', id)}/what-if`)),
  }),
  get_history: tool({
    title: 'Read the history of a page',
    description: 'The newest 50 values of one score or metric, when they changed, and the notes at each change.',
    input: HistoryInput,
    run: async (values, { get }) => toHistoryOutput(await get<History>(`/history?${toQuery(values)}`)),
  }),
  get_change_verdict: tool({
    title: 'Check whether a page changed',
    description:
      'Compares two stored results or labels: better, worse, no_difference or undecided (`more_runs` of each side would probably decide), with the files that changed. `ids` are the runs nearest to the medians.',
    input: ChangeInput,
    run: async (values, { get }) => toChangeOutput(await get<ResultsComparison>(`/compare-results?${toQuery(values)}`)),
  }),
  start_experiment: tool({
    title: 'Measure a change to a page',
    description:
      'Starts an experiment: variants of a page, measured in pairs of loads against the unchanged page. Takes minutes.',
    input: ExperimentInput,
    annotations: measures,
    run: (values, { post }) => startExperiment(post, values),
  }),
  compare_urls: tool({
    title: 'Compare two URLs',
    description: 'Starts an experiment that measures a second URL, such as a preview, in pairs against the first.',
    input: CompareUrlsInput,
    annotations: measures,
    run: ({ before, after, ...rest }, { post }) =>
      startExperiment(post, { ...rest, url: before, variants: [{ name: 'after', url: after }] }),
  }),
  get_experiment: tool({
    title: 'Read an experiment',
    description:
      'The state of an experiment, and the verdict on each variant: better, worse, no_difference or undecided, with the difference of the deciding metric and its interval.',
    input: ExperimentIdInput,
    run: async ({ experiment }, { get }) => {
      const body = await get<ExperimentAnswer>(toPath('experiments', experiment));
      const { error, state } = body;
      return shorten(experimentShape, {
        ...body,
        ...{ experiment, error: error?.detail },
        next: isOver(state) ? 'The experiment has ended.' : 'Call get_experiment again later.',
      });
    },
  }),
  find_pages: tool({
    title: 'Find the pages of a site',
    description: 'Pages of a site by route template, from its sitemaps or its links. Nothing is measured.',
    input: PagesInput,
    annotations: { readOnlyHint: true, openWorldHint: true },
    run: async (values, { get }) => {
      const query = new URLSearchParams({ url: values.url, sample: `${values.sample ?? 3}` });
      return shorten(pagesShape, await get(`/sitemap?${query}`));
    },
  }),
  add_note: tool({
    title: 'Note a deploy',
    description: 'Adds a note, such as a deploy, to the histories of a site. A change names the notes at its time.',
    input: NoteRequest,
    annotations: { ...measures, openWorldHint: false },
    run: async (note, { post }) => shorten(noteShape, await post('/notes', note)),
  }),
};
