import Type from 'typebox';
import { analyseBatch, type BatchItem } from '../analysis/analyse-batch.ts';
import type { AnalyseRemote } from '../analysis/analyse-remote.ts';
import { analyseStrategies } from '../analysis/analyse-strategies.ts';
import { AnalysisError } from '../errors.ts';
import { type JsonBytes, toJson, toList, toObject } from '../report/json-bytes.ts';
import { Report } from '../report/report.ts';
import type { UrlFault } from '../targets/page-url.ts';
import { allFailed, isFresh, outcomesOf, sendJson, sendPage, toFailureJson, toPageJson } from './answer.ts';
import { callerSignal } from './caller.ts';
import { readAnalysisRequest } from './read-input.ts';
import { logFailure } from './request-log.ts';
import type { Route, RouteParts } from './route.ts';
import { AnalysisRequest, BatchReport, StrategiesReport } from './schemas.ts';
import { urlError } from './validation-error.ts';

const hasFailed = (item: BatchItem): boolean => 'fault' in item || allFailed(outcomesOf(item)) !== undefined;

const toUrlFailure = ({ fault }: { fault: UrlFault }) =>
  new AnalysisError('invalid_url', `${urlError(fault)([]).msg}.`);

const toItemJson = (item: BatchItem): JsonBytes =>
  'fault' in item ? toFailureJson(item.url, toUrlFailure(item)) : toPageJson(item);

/** Each once, also when its page was asked for twice. */
const failuresOf = (items: readonly BatchItem[]): AnalysisError[] =>
  [...new Set(items)].flatMap(item =>
    'fault' in item ? [toUrlFailure(item)] : outcomesOf(item).flatMap(outcome => (outcome.ok ? [] : [outcome.error])),
  );

const toBatchJson = (items: readonly BatchItem[]): JsonBytes => {
  const failed = items.filter(hasFailed).length;
  return toObject({
    results: toList(items.map(toItemJson)),
    total: toJson(items.length),
    succeeded: toJson(items.length - failed),
    failed: toJson(failed),
  });
};

export const psiPostRoute = ({ analyseRemote, admit }: RouteParts & { analyseRemote: AnalyseRemote }): Route => ({
  operation: {
    method: 'POST',
    path: '/psi',
    tag: 'analysis',
    access: 'key',
    summary: 'Analyse one page or a batch with the remote analyser',
    description:
      'Full analysis of one URL (`url`) or a batch (`urls`). A batch answers 200 whatever failed: each entry is a result or its own failure.',
    body: AnalysisRequest,
    answer: Type.Union([Report, StrategiesReport, BatchReport]),
    validates: true,
    fails: true,
  },
  free: false,
  handle: async (request, reply) => {
    const { page, ...wanted } = readAnalysisRequest(
      (request.body as Buffer | undefined) ?? Buffer.alloc(0),
      request.contentType,
    );
    await admit(request, 'url' in page ? [page.url] : page.urls);
    const options = { detailed: wanted.detailed, fresh: isFresh(request), signal: callerSignal(reply) };
    if ('url' in page) return sendPage(reply, await analyseStrategies(analyseRemote, { ...page, ...wanted }, options));
    const items = await analyseBatch(analyseRemote, page.urls, wanted, options);
    for (const failure of failuresOf(items)) logFailure(reply, failure);
    return sendJson(reply, toBatchJson(items));
  },
});
