import Type from 'typebox';
import { analyseBatch, type BatchOptions } from '../../analysis/analyse-batch.ts';
import type { AnalyseRemote } from '../../analysis/analyse-remote.ts';
import { analyseStrategies } from '../../analysis/analyse-strategies.ts';
import { BatchLine, BatchResult, StrategiesResult } from '../../contract/answers.ts';
import type { OnProgress } from '../../contract/progress.ts';
import { AnalysisRequest } from '../../contract/requests.ts';
import { Result } from '../../contract/result.ts';
import { isFresh, toPageAnswer } from '../answers/answer.ts';
import { answerAnalysis } from '../answers/answer-analysis.ts';
import { sendBatchEvents } from '../answers/batch-events.ts';
import { ndjson, sendBatch, sendBatchLines } from '../answers/batch-stream.ts';
import { eventStream } from '../answers/event-stream.ts';
import { createHolders } from '../answers/held-parts.ts';
import { prefers } from '../input/accept.ts';
import { readAnalysisRequest } from '../input/read-input.ts';
import type { Route, RouteParts } from '../route.ts';
import { clientSignal, onceClosed } from '../server/client-signal.ts';

export type BatchSources = { analyseRemote: AnalyseRemote; settings: { psiConcurrency: number } };

/** What waits in memory for its turn in an answer, of all batches together; the rest waits in files. */
const maxHeldBytes = 32 * 1024 * 1024;

export const psiPostRoute = ({ analyseRemote, admit, settings }: RouteParts & BatchSources): Route => {
  const holders = createHolders({ maxBytes: maxHeldBytes });
  return {
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
      answer: Type.Union([Result, StrategiesResult, BatchResult]),
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
      const client = await admit(request, 'url' in page ? [page.url] : page.urls);
      const options = { detailed: wanted.detailed, fresh: isFresh(request), client };
      if ('url' in page)
        return answerAnalysis(request, reply, async (signal, onProgress) =>
          toPageAnswer(
            await analyseStrategies(analyseRemote, { ...page, ...wanted }, { ...options, signal, onProgress }),
          ),
        );
      const { accept } = request.headers;
      const asLines = prefers(ndjson, accept);
      const asEvents = !asLines && prefers(eventStream, accept);
      const toBatch = (order: BatchOptions['order']) => (signal: AbortSignal, onProgress?: OnProgress) =>
        analyseBatch(analyseRemote, page.urls, wanted, {
          ...{ ...options, isBatch: page.urls.length > 1, signal, onProgress, order },
          // One more than the analyser has slots: none stands empty while a result is packed.
          runningAtOnce: settings.psiConcurrency + 1,
          // Nor while the reader takes what is done, or waits for the first of them.
          pagesAtOnce: 2 * settings.psiConcurrency,
        });
      if (asLines) return sendBatchLines(reply, toBatch('ended')(clientSignal(reply)));
      const holder = holders.open();
      onceClosed(reply, () => void holder.close());
      if (asEvents) return sendBatchEvents(reply, toBatch('ended'), page.urls.length, holder);
      return sendBatch(reply, toBatch('asked')(clientSignal(reply)), holder);
    },
  };
};
