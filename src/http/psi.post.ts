import Type from 'typebox';
import { analyseBatch, type BatchItem } from '../analysis/analyse-batch.ts';
import type { AnalyseRemote } from '../analysis/analyse-remote.ts';
import { analyseStrategies } from '../analysis/analyse-strategies.ts';
import { AnalysisError } from '../errors.ts';
import { Report } from '../report/report.ts';
import { allFailed, isFresh, outcomesOf, sendJson, sendPage, toFailureText, toPageText } from './answer.ts';
import { callerSignal } from './caller.ts';
import { readAnalysisRequest } from './read-input.ts';
import type { Route } from './route.ts';
import { AnalysisRequest, BatchReport, StrategiesReport } from './schemas.ts';
import { urlError } from './validation-error.ts';

const hasFailed = (item: BatchItem): boolean => 'fault' in item || allFailed(outcomesOf(item)) !== undefined;

const toItemText = (item: BatchItem): string =>
  'fault' in item
    ? toFailureText(item.url, new AnalysisError('invalid_url', `${urlError(item.fault)([]).msg}.`))
    : toPageText(item);

const toBatchText = (items: readonly BatchItem[]): string => {
  const failed = items.filter(hasFailed).length;
  const totals = `"total":${items.length},"succeeded":${items.length - failed},"failed":${failed}`;
  return `{"results":[${items.map(toItemText).join(',')}],${totals}}`;
};

export const psiPostRoute = ({ analyseRemote }: { analyseRemote: AnalyseRemote }): Route => ({
  operation: {
    method: 'POST',
    path: '/psi',
    tag: 'analysis',
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
    const options = { detailed: wanted.detailed, fresh: isFresh(request), signal: callerSignal(reply) };
    if ('url' in page) return sendPage(reply, await analyseStrategies(analyseRemote, { ...page, ...wanted }, options));
    return sendJson(reply, toBatchText(await analyseBatch(analyseRemote, page.urls, wanted, options)));
  },
});
