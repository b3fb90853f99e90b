/** Routes that analyse one page: `/psi`, `/lighthouse` and `/compare`, and the same results as reports. */
import type { FastifyRequest } from 'fastify';
import Type, { type TObject } from 'typebox';
import { analyseBoth, type BothAnalyses, type BothSources, toComparedBody } from '../../analysis/analyse-both.ts';
import type { AnalyseLocal, LocalRequest } from '../../analysis/analyse-local.ts';
import type { AnalyseRemote } from '../../analysis/analyse-remote.ts';
import { analyseStrategies } from '../../analysis/analyse-strategies.ts';
import type { Judging, MeasuredBy } from '../../analysis/assert-target.ts';
import type { Recorder } from '../../analysis/records/recorder.ts';
import type { ReportFile } from '../../analysis/threads/tasks.ts';
import type { Threads } from '../../analysis/threads/threads.ts';
import { CompareResult, StrategiesResult } from '../../contract/analysis/answers.ts';
import type { OnProgress } from '../../contract/analysis/progress.ts';
import { PageQuery, PageReportQuery, PageRequest, PsiQuery, PsiReportQuery } from '../../contract/analysis/requests.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { JobFacts } from '../../contract/jobs/job.ts';
import { completeOptions, pickConditions } from '../../contract/measuring-options.ts';
import type { CallbackFormat } from '../../contract/names.ts';
import { Result } from '../../contract/result/result.ts';
import type { JobRequest } from '../../jobs/job.ts';
import type { Caller } from '../../measure/fair-turns.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import { toSideNames } from '../../presentation/side-names.ts';
import { toFileName } from '../../web/report/file-policy.ts';
import { allFailed, isFresh, type RouteAnswer, sendProblem, toFullJson, toPageAnswer } from '../answers/answer.ts';
import { answerAnalysis } from '../answers/answer-analysis.ts';
import { toBytes, toWhole } from '../answers/json-parts.ts';
import { sendReport } from '../answers/send-report.ts';
import { assertNoConditions, conditionFaults } from '../input/condition-faults.ts';
import { createQueryReader, type ReadQuery, readBody, toCategories } from '../input/read-input.ts';
import type { Operation, Route, RouteParts } from '../route.ts';
import { clientSignal } from '../server/client-signal.ts';
import { logFailure } from '../server/request-log.ts';
import { assertAccess } from './access/assert-access.ts';
import { type AcceptSources, acceptJob, assertNoCallback, asyncWords, wantsJob } from './jobs/accept-job.ts';
import { toPageAnalyser } from './web-page.ts';

/** Facts of a request that every analysis needs. */
type AnalysisCall = { fresh: boolean; client: string; signal: AbortSignal; onProgress?: OnProgress };

/** A request of an analysis, whether it came as a query or as a body. */
type Asked = { readonly url: string; readonly callback: string | null; readonly callback_format: CallbackFormat };

type AnalysisParts<Wanted extends Asked> = Pick<Operation, 'path' | 'summary' | 'description' | 'answer'> & {
  kind: MeasuredBy;
  /** Returns the request of a job: with the same options in another order, an idempotency key would be refused. */
  toJob: (wanted: Omit<Wanted, keyof Asked>, fresh: boolean) => JobRequest;
  analyse: (wanted: Wanted, call: AnalysisCall) => Promise<RouteAnswer>;
};

/** How a request arrives: as a query, or as a body. */
type Input<Wanted> = Pick<Operation, 'method' | 'query' | 'body'> & { read: (request: FastifyRequest) => Wanted };

/** Creates the route of an analysis: its result, its progress as events, or with `Prefer: respond-async` a job. */
function analysisRoute<Wanted extends Asked>(
  accepting: AcceptSources,
  { kind, toJob, analyse, description, ...operation }: AnalysisParts<Wanted>,
  { read, ...input }: Input<Wanted>,
): Route {
  const where = input.body ? 'body' : 'query';
  return {
    operation: {
      ...operation,
      ...input,
      tag: 'analysis',
      description: `${description} ${asyncWords}`,
      accepts: JobFacts,
    },
    effort: 'measurement',
    handle: async (request, reply) => {
      const wanted = read(request);
      const { url } = wanted;
      const fresh = isFresh(request);
      if (wantsJob(request)) {
        const { url: _, callback, callback_format: callbackFormat, ...options } = wanted;
        const ordered = { request: toJob(options, fresh), page: { url } };
        return acceptJob(accepting, request, reply, { ...ordered, callback, callbackFormat, where });
      }
      assertNoCallback(wanted.callback, where);
      const client = await accepting.admit(request, [url], kind);
      await assertAccess(accepting, request, pickConditions(wanted), { pages: [url], isStored: false });
      return answerAnalysis(request, reply, (signal, onProgress) =>
        analyse(wanted, { fresh, client, signal, ...(onProgress ? { onProgress } : {}) }),
      );
    },
  };
}

function queryInput<Query extends TObject>(query: Query): Input<ReadQuery<Query>> {
  const read = createQueryReader<Query>(query, assertNoConditions);
  return { method: 'GET', query, read: ({ query: text }) => read(text as string) };
}

/** @throws ValidationFailure */
function readPageBody(judging: Judging, kind: MeasuredBy, { body, contentType }: FastifyRequest): LocalRequest & Asked {
  const read = readBody(
    PageRequest,
    { bytes: body as Buffer | undefined, contentType },
    {
      isSound: true,
      check: given => conditionFaults(judging, kind, given, [given.url]),
    },
  );
  const { url, callback, callback_format, categories } = read;
  const options = completeOptions('page', { ...read, categories: toCategories(categories) });
  return { url, callback, callback_format, ...options };
}

/** Creates both routes of an analysis with conditions, which only a body has. */
const pageRoutes = (
  accepting: AcceptSources,
  measuredBy: MeasuredBy,
  parts: AnalysisParts<LocalRequest & Asked>,
): Route[] => [
  analysisRoute(accepting, parts, queryInput(PageQuery)),
  analysisRoute(
    accepting,
    { ...parts, summary: `${parts.summary}, under conditions`, description: `${parts.description} ${conditionWords}` },
    { method: 'POST', body: PageRequest, read: request => readPageBody(accepting, measuredBy, request) },
  ),
];

const conditionWords = 'The body has the fields of the query, and the conditions of the load, such as blocked URLs.';

/** Answer of an analysis whose report is rendered only on success. */
type DrawnAnswer = Omit<RouteAnswer, 'json'> & { draw: (caller: Caller) => Promise<ReportFile | undefined> };

type ReportParts<Query extends TObject> = Pick<Operation, 'path' | 'description'> & {
  query: Query;
  kind: MeasuredBy;
  /** Part of the file name, in addition to page and device. */
  word: string;
  analyse: (wanted: ReadQuery<Query>, call: AnalysisCall) => Promise<DrawnAnswer>;
};

/** Creates the report route of an analysis. Failures are sent as the analysis sends them. */
function reportRoute<Query extends typeof PsiReportQuery | typeof PageReportQuery>(
  { admit, fullTurns }: RouteParts,
  { path, description, query, kind, word, analyse }: ReportParts<Query>,
): Route {
  const { read } = queryInput<Query>(query);
  const summary = 'The same result as an HTML report';
  return {
    operation: { method: 'GET', path, tag: 'analysis', summary, description, query, fileType: 'text/html' },
    effort: 'measurement',
    handle: async (request, reply) => {
      const wanted = read(request);
      const { url, strategy } = wanted as { url: string; strategy: string };
      const client = await admit(request, [url], kind);
      const caller = { client, signal: clientSignal(reply) };
      const answer = await analyse(wanted, { fresh: isFresh(request), ...caller });
      if (answer.failure) return sendProblem(reply, answer.failure, answer.facts);
      for (const failure of answer.failures ?? []) logFailure(reply, failure);
      // The page is measured, even if its report is refused.
      request.charge = undefined;
      const send = async () => {
        const drawn = await answer.draw(caller);
        if (!drawn) throw new AnalysisError('results_unavailable', 'The result is too large for a report.');
        return sendReport(reply.headers(answer.headers ?? {}), drawn, toFileName(url, word, strategy));
      };
      return fullTurns.sendWhole(send, reply, caller);
    },
  };
}

type RemoteSources = { analyseRemote: AnalyseRemote };

export const psiGetRoute = ({ analyseRemote, ...accepting }: AcceptSources & RemoteSources): Route =>
  analysisRoute<ReadQuery<typeof PsiQuery>>(
    accepting,
    {
      path: '/psi',
      summary: 'Analyse one page with PageSpeed Insights',
      description: 'Measures one URL with PageSpeed Insights. Results are cached.',
      answer: Type.Union([Result, StrategiesResult]),
      kind: 'psi',
      toJob: ({ detailed: _, ...options }, fresh) => ({ kind: 'psi', ...options, fresh }),
      analyse: async ({ detailed, callback: _, callback_format: _format, ...page }, call) =>
        toPageAnswer(await analyseStrategies(analyseRemote, page, { detailed, ...call })),
    },
    queryInput(PsiQuery),
  );

export const psiReportRoute = ({
  analyseRemote,
  threads,
  ...parts
}: RouteParts & RemoteSources & { threads: Pick<Threads, 'drawReport'> }): Route =>
  reportRoute(parts, {
    path: '/psi/report',
    description:
      'The `/psi` result as a Lighthouse report in one file, even for both strategies. The cache and the errors are the same as those of `/psi`.',
    query: PsiReportQuery,
    kind: 'psi',
    word: 'psi',
    analyse: async (page, call) => {
      const answer = toPageAnswer(await analyseStrategies(analyseRemote, page, { detailed: true, ...call }));
      return { ...answer, draw: async caller => threads.drawReport({ bytes: await toWhole(answer.json) }, caller) };
    },
  });

type LocalRouteSources = { analyseLocal: AnalyseLocal };

export const lighthouseRoutes = ({ analyseLocal, ...accepting }: AcceptSources & LocalRouteSources): Route[] =>
  pageRoutes(accepting, 'lighthouse', {
    path: '/lighthouse',
    summary: 'Analyse one page with local Lighthouse',
    description:
      'Runs Lighthouse in a headless browser on this server, and returns the full audit data. At most 2 analyses run in parallel; others wait in the queue.',
    answer: Result,
    kind: 'lighthouse',
    toJob: options => ({ ...options, kind: 'lighthouse' }),
    analyse: async ({ callback: _, callback_format: _format, ...wanted }, { signal, ...call }) => ({
      json: toFullJson(await analyseLocal(wanted, signal, call)),
    }),
  });

export const lighthouseReportRoute = ({
  analyseLocal,
  threads,
  ...parts
}: RouteParts & LocalRouteSources & { threads: Pick<Threads, 'drawReport'> }): Route =>
  reportRoute(parts, {
    path: '/lighthouse/report',
    description:
      'The `/lighthouse` result as a Lighthouse report in one file. Errors are the same as those of `/lighthouse`.',
    query: PageReportQuery,
    kind: 'lighthouse',
    word: 'lighthouse',
    analyse: async (wanted, { client, signal }) => {
      const bytes = toBytes(toFullJson(await analyseLocal(wanted, signal, { client })));
      return { draw: caller => threads.drawReport({ bytes }, caller) };
    },
  });

type CompareSources = BothSources & { recorder: Pick<Recorder, 'comparison'> };

/** Compares two sides that were measured, or failed. Returns the response body, which is stored, and the answer. */
async function toCompared(
  request: Parameters<typeof toComparedBody>[0],
  both: BothAnalyses,
  recorder: CompareSources['recorder'],
) {
  const { psi, lighthouse } = both;
  const body = await toComparedBody(request, both, recorder);
  const json = toJson(body);
  const answer: RouteAnswer = {
    json: [json],
    failure: allFailed([psi, lighthouse]),
    facts: json,
    failures: [psi, lighthouse].flatMap(side => (side.ok ? [] : [side.error])),
  };
  return { body, answer };
}

export const compareRoutes = ({ recorder, ...sources }: AcceptSources & CompareSources): Route[] =>
  pageRoutes(sources, 'compare', {
    path: '/compare',
    summary: 'Analyse one page with both, and compare the results',
    description:
      'Runs PageSpeed Insights and local Lighthouse in parallel, returns both results, and explains how and why they differ.',
    answer: CompareResult,
    kind: 'lighthouse',
    toJob: (options, fresh) => ({ ...options, kind: 'compare', fresh }),
    analyse: async ({ callback: _, callback_format: _format, ...wanted }, call) =>
      (await toCompared(wanted, await analyseBoth(sources, wanted, call), recorder)).answer,
  });

type ComparisonReportSources = CompareSources & {
  threads: Pick<Threads, 'drawComparison'>;
  analyser: Parameters<typeof toPageAnalyser>[0];
};

export const compareReportRoute = ({ analyser, recorder, ...sources }: RouteParts & ComparisonReportSources): Route =>
  reportRoute(sources, {
    path: '/compare/report',
    description:
      'The `/compare` result in one file without scripts, which also contains the JSON. Errors are the same as those of `/compare`.',
    query: PageReportQuery,
    kind: 'lighthouse',
    word: 'compared',
    analyse: async (wanted, call) => {
      const { body, answer } = await toCompared(wanted, await analyseBoth(sources, wanted, call), recorder);
      const names = toSideNames(toPageAnalyser(analyser));
      return { ...answer, draw: caller => sources.threads.drawComparison({ body, names }, caller) };
    },
  });
