import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { analyseBatch, type BatchOptions } from '../../analysis/analyse-batch.ts';
import type { AnalyseRemote } from '../../analysis/analyse-remote.ts';
import { analyseStrategies } from '../../analysis/analyse-strategies.ts';
import { BatchLine, BatchResult, StrategiesResult } from '../../contract/analysis/answers.ts';
import type { OnProgress } from '../../contract/analysis/progress.ts';
import { AnalysisRequest } from '../../contract/analysis/requests.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { JobFacts } from '../../contract/jobs/job.ts';
import { mostBatchUrls, mostJobUrls } from '../../contract/names.ts';
import { Result } from '../../contract/result/result.ts';
import { isFresh, toPageAnswer } from '../answers/answer.ts';
import { answerAnalysis } from '../answers/answer-analysis.ts';
import { ndjson, sendBatch, sendBatchEvents, sendBatchLines } from '../answers/batch.ts';
import { eventStream } from '../answers/event-stream.ts';
import { createHolders } from '../answers/held-parts.ts';
import { prefers } from '../input/accept.ts';
import { findForeignConditions } from '../input/condition-faults.ts';
import { readBody, toCategories } from '../input/read-input.ts';
import type { Route } from '../route.ts';
import { clientSignal, onceClosed } from '../server/client-signal.ts';
import { listBodyLimit, serverLimits } from '../server/server-limits.ts';
import { type AcceptSources, acceptJob, assertNoCallback, asyncWords, wantsJob } from './jobs/accept-job.ts';

export type BatchSources = { analyseRemote: AnalyseRemote; settings: { psiConcurrency: number } };

/** Memory limit, across all batches, for answers that wait for their turn; others wait in files. */
const maxHeldBytes = 32 * 1024 * 1024;

/** Limits the body of a synchronous request; that of a job may be larger. @throws AnalysisError `payload_too_large` */
function assertLength(bytes: number): void {
  if (bytes > serverLimits.bodyLimit)
    throw new AnalysisError('payload_too_large', 'The request body is larger than 1 MB.');
}

/** A synchronous request has fewer URLs than a job. */
const SynchronousRequest = Type.Object({
  ...AnalysisRequest.properties,
  urls: Type.Optional(Type.Union([Type.Array(Type.String(), { minItems: 1, maxItems: mostBatchUrls }), Type.Null()])),
});

/** @throws AnalysisError `payload_too_large`, ValidationFailure */
function read({ body, contentType }: FastifyRequest, isJob: boolean) {
  const bytes = body as Buffer | undefined;
  if (!isJob) assertLength(bytes?.length ?? 0);
  const schema = isJob ? AnalysisRequest : SynchronousRequest;
  const { url, urls, categories, ...others } = readBody<typeof AnalysisRequest>(
    schema,
    { bytes, contentType },
    {
      ignoresUnknown: true,
      check: (_read, isGiven) => [
        ...(isGiven('url') === isGiven('urls') ? [{ fault: "specify exactly one of 'url' and 'urls'" }] : []),
        ...findForeignConditions(isGiven),
      ],
    },
  );
  const page: { url: string } | { urls: string[] } = url === null ? { urls: urls ?? [] } : { url };
  return { ...others, page, categories: toCategories(categories) };
}

export const psiPostRoute = ({ analyseRemote, settings, ...accepting }: AcceptSources & BatchSources): Route => {
  const holders = createHolders({ maxBytes: maxHeldBytes });
  return {
    operation: {
      method: 'POST',
      path: '/psi',
      tag: 'analysis',
      summary: 'Analyse one page or a batch with PageSpeed Insights',
      description:
        'Full analysis of one URL (`url`) or a batch (`urls`). A batch always returns 200: each entry is a result or a failure. ' +
        `With \`Accept: ${ndjson}\` a batch is streamed line by line: each entry as soon as it is complete, then the totals. ${asyncWords} A batch may then have up to ${mostJobUrls} URLs.`,
      body: AnalysisRequest,
      answer: Type.Union([Result, StrategiesResult, BatchResult]),
      accepts: JobFacts,
      streams: { contentType: ndjson, line: BatchLine },
    },
    bodyLimit: listBodyLimit,
    assertAnnounced: request => {
      if (!wantsJob(request)) assertLength(Number(request.headers['content-length'] ?? 0));
    },
    effort: 'measurement',
    handle: async (request, reply) => {
      const isJob = wantsJob(request);
      const { page, callback, callback_format: callbackFormat, detailed, ...wanted } = read(request, isJob);
      if (isJob) {
        const jobRequest = { kind: 'psi', ...wanted, fresh: isFresh(request) } as const;
        return acceptJob(accepting, request, reply, {
          request: jobRequest,
          page,
          callback,
          callbackFormat,
          where: 'body',
        });
      }
      assertNoCallback(callback, 'body');
      const client = await accepting.admit(request, 'url' in page ? [page.url] : page.urls, 'psi');
      const options = { detailed, fresh: isFresh(request), client };
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
          ...options,
          isBatch: page.urls.length > 1,
          signal,
          onProgress,
          order,
          // The limit is one more than the analyser's slots, so that no slot is idle while a result is packed.
          runningAtOnce: settings.psiConcurrency + 1,
          // Finished pages that wait to be read must not leave a slot idle either.
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
