import pRetry from 'p-retry';
import { AnalysisError } from '../../contract/errors.ts';
import type { AnalyserOptions, AnalyserRequest, PsiAnalyser } from '../analyser.ts';
import type { LhrReader, Measured } from '../lhr/measured.ts';
import { createBackOff } from './back-off.ts';
import { CallFailure, createCall, type PsiServer } from './call.ts';
import { createCallQueue, type QueuedCall } from './call-queue.ts';
import { retryRules } from './retry-rules.ts';

/** Returns the name of an endpoint without keys, user and password. */
const toName = (endpoint: string): string => {
  const { host, pathname } = new URL(endpoint);
  return `${host}${pathname}`;
};

/** Creates an analyser that uses a remote server: Google's PageSpeed Insights, or another PSI v5 server. */
export function createPsiAnalyser(settings: PsiClientSettings): PsiAnalyser {
  const { kind, endpoint, host, apiKey } = settings.server;
  const identity = kind === 'google' ? 'google' : `custom · ${toName(endpoint)}`;
  const client = createPsiClient(settings);
  return {
    kind,
    identity,
    host: () => host,
    description: kind === 'google' ? "Google's PageSpeed Insights" : `the PSI v5 endpoint at ${host}`,
    hasKey: apiKey !== undefined,
    async measure(request, { signal, client: forClient, isBatch, onProgress = () => {} }) {
      onProgress({ event: 'started' });
      onProgress({ event: 'progress', stage: 'waiting' });
      const onRetry = () => onProgress({ event: 'progress', stage: 'retrying' });
      return client.analyse(request, signal, { client: forClient, isBatch, onRetry });
    },
    state: client.state,
    close: client.close,
  };
}

/** Waiting times in milliseconds. Tests do not wait. */
export type PsiPatience = {
  /** Delay before the first retry, which doubles before the second. Jitter may double it. */
  retryMs: number;
  /** Duration of the first back-off after repeated failures of the analyser or of an origin. */
  backOffMs: number;
  /** Pause of all calls if the quota per minute is exceeded and the response has no `Retry-After`. */
  minuteMs: number;
  /** Max time that one analysis waits in total while its calls are blocked. */
  maxWaitMs: number;
};

const usualPatience: PsiPatience = { retryMs: 1000, backOffMs: 5000, minuteMs: 60_000, maxWaitMs: 90_000 };

export type PsiClientSettings = {
  server: PsiServer;
  /** Threads that read the answers. */
  threads: Pick<LhrReader, 'readWireAnswer'>;
  /** Timeout for the calls of one page, including retries. Waiting in the queue or for a back-off does not count. */
  timeoutMs: number;
  concurrency: number;
  /** Max number of calls in any minute; Infinity for no limit. */
  ratePerMinute: number;
  patience?: PsiPatience | undefined;
  /** Returns the number of instances that divide the limits among them, by default one. */
  sharers?: (() => number) | undefined;
  /** Monotonic time, for waits. */
  now?: () => number;
  /** Time since the epoch, for dates. */
  wallNow?: () => number;
};

/** Creates a client of a remote PSI server. It retries temporary failures, and backs off after others. */
export function createPsiClient({
  server,
  threads,
  timeoutMs,
  concurrency,
  ratePerMinute,
  patience = usualPatience,
  sharers,
  now = () => performance.now(),
  wallNow = Date.now,
}: PsiClientSettings) {
  const backOff = createBackOff({ backOffMs: patience.backOffMs, minuteMs: patience.minuteMs, now, wallNow });
  const queue = createCallQueue({ concurrency, ratePerMinute, sharers, maxWaitMs: patience.maxWaitMs, backOff });
  const call = createCall({ server, threads, timeoutMs, now: wallNow });

  /** Makes one call and records its outcome. */
  async function callAndLearn(
    request: AnalyserRequest,
    { origin, signal }: QueuedCall,
    leftMs: number,
  ): Promise<Measured> {
    const startedMs = now();
    try {
      const answer = await call(request, leftMs, signal);
      backOff.answered(origin);
      return answer;
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      const { kind, failure } = error;
      // The page failed, or the server's queue was full, but the analyser works.
      if (kind === 'page_final' || kind === 'page_passing' || kind === 'own_busy') backOff.answered(origin);
      const explained = backOff.failed({ kind, error: failure, origin, startedMs, endedMs: now() });
      queue.review();
      throw new CallFailure(kind, explained);
    }
  }

  return {
    /**
     * Returns the PSI analyser's result for a page. A page that failed throws, and is never a result.
     * @param onRetry called when a call has failed and will be retried
     * @throws AnalysisError of source `psi`; the signal's reason when the client disconnected
     */
    async analyse(
      request: AnalyserRequest,
      signal: AbortSignal,
      {
        client,
        isBatch,
        onRetry = () => {},
      }: Pick<AnalyserOptions, 'client' | 'isBatch'> & { onRetry?: () => void } = {},
    ): Promise<Measured> {
      const queued = queue.register({ origin: new URL(request.url).origin, isBatch, signal }, client);
      let leftMs = timeoutMs;
      const tryOnce = () =>
        queue.run(queued, async () => {
          const began = performance.now();
          try {
            return await callAndLearn(request, queued, leftMs);
          } finally {
            leftMs -= performance.now() - began;
          }
        });
      try {
        return await pRetry(tryOnce, {
          retries: 2,
          minTimeout: patience.retryMs,
          randomize: true,
          signal,
          shouldRetry: ({ error, retriesConsumed }) => {
            if (!(error instanceof CallFailure) || leftMs <= 0) return false;
            const isWorthIt = retriesConsumed < retryRules[error.kind].retries;
            if (isWorthIt) onRetry();
            return isWorthIt;
          },
        });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof CallFailure) throw error.failure;
        throw error instanceof AnalysisError ? error.from('psi') : error;
      }
    },
    state: backOff.state,
    close: queue.close,
  };
}
