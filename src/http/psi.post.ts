import Type from 'typebox';
import { analyseBatch } from '../analysis/analyse-batch.ts';
import type { AnalyseRemote } from '../analysis/analyse-remote.ts';
import { analyseStrategies } from '../analysis/analyse-strategies.ts';
import { Report } from '../report/report.ts';
import { prefersLines } from './accept.ts';
import { isFresh, sendPage } from './answer.ts';
import { ndjson, sendBatch } from './batch-stream.ts';
import { callerSignal } from './caller.ts';
import { readAnalysisRequest } from './read-input.ts';
import type { Route, RouteParts } from './route.ts';
import { AnalysisRequest, BatchLine, BatchReport, StrategiesReport } from './schemas.ts';

export type BatchSources = { analyseRemote: AnalyseRemote; settings: { psiConcurrency: number } };

export const psiPostRoute = ({ analyseRemote, admit, settings }: RouteParts & BatchSources): Route => ({
  operation: {
    method: 'POST',
    path: '/psi',
    tag: 'analysis',
    access: 'key',
    summary: 'Analyse one page or a batch with the remote analyser',
    description:
      'Full analysis of one URL (`url`) or a batch (`urls`). A batch answers 200 whatever failed: each entry is a result or its own failure. ' +
      `With \`Accept: ${ndjson}\` a batch is answered line by line, each entry as soon as it has ended, and the totals at last.`,
    body: AnalysisRequest,
    answer: Type.Union([Report, StrategiesReport, BatchReport]),
    streams: { contentType: ndjson, line: BatchLine },
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
    const asLines = prefersLines(request.headers.accept);
    const batch = analyseBatch(analyseRemote, page.urls, wanted, {
      ...options,
      order: asLines ? 'ended' : 'asked',
      // Enough that no place at the analyser stands empty while the reader takes what is done.
      pagesAtOnce: 2 * settings.psiConcurrency,
    });
    return sendBatch(reply, batch, asLines);
  },
});
