import Type from 'typebox';
import { analyseBatch } from '../analysis/analyse-batch.ts';
import type { AnalyseRemote } from '../analysis/analyse-remote.ts';
import { analyseStrategies } from '../analysis/analyse-strategies.ts';
import { Report } from '../report/report.ts';
import { prefers } from './accept.ts';
import { isFresh, toPageAnswer } from './answer.ts';
import { answerAnalysis } from './answer-analysis.ts';
import { ndjson, sendBatch, toBatchAnswer } from './batch-stream.ts';
import { callerSignal } from './caller.ts';
import { eventStream } from './event-stream.ts';
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
    const options = { detailed: wanted.detailed, fresh: isFresh(request) };
    if ('url' in page)
      return answerAnalysis(request, reply, async (signal, onProgress) =>
        toPageAnswer(
          await analyseStrategies(analyseRemote, { ...page, ...wanted }, { ...options, signal, onProgress }),
        ),
      );
    const { accept } = request.headers;
    const asLines = prefers(ndjson, accept);
    const toBatch = (signal: AbortSignal, order: 'ended' | 'asked') =>
      // Enough at once that no place at the analyser stands empty while the reader takes what is done.
      analyseBatch(analyseRemote, page.urls, wanted, {
        ...options,
        signal,
        order,
        pagesAtOnce: 2 * settings.psiConcurrency,
      });
    if (prefers(eventStream, accept) && !asLines)
      return answerAnalysis(request, reply, async (signal, onProgress) => {
        const entries = toBatch(signal, 'asked');
        return toBatchAnswer(entries, page.urls.length, onProgress);
      });
    return sendBatch(reply, toBatch(callerSignal(reply), asLines ? 'ended' : 'asked'), asLines);
  },
});
