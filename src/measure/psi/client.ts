import pRetry from 'p-retry';
import { AnalysisError } from '../../contract/errors.ts';
import type { Analyser, AnalyserRequest, AnalyserState } from '../analyser.ts';
import type { LhrReader, Measured } from '../lhr/measured.ts';
import { createBackOff } from './back-off.ts';
import { CallFailure, createCall, type PsiServer } from './call.ts';
import { createCallQueue, type QueuedCall, type SharedLimits } from './call-queue.ts';
import { retryRules } from './retry-rules.ts';

/** What the endpoint is called: without the key that it may hold, and without user and password. */
const toName = (endpoint: string): string => {
  const { host, pathname } = new URL(endpoint);
  return `${host}${pathname}`;
};

/** Measures over the wire: Google's PageSpeed Insights, or another server that speaks v5. */
export function createPsiAnalyser({
  limits,
  ...settings
}: Omit<PsiClientSettings, 'shared'> & {
  /** Counted over instances; undefined: they are those of this instance. */
  limits?: SharedLimits | undefined;
}): Analyser {
  const { kind, endpoint, host, apiKey } = settings.server;
  const identity = kind === 'google' ? 'google' : `custom · ${toName(endpoint)}`;
  const client = createPsiClient({ ...settings, shared: limits && { name: identity, limits } });
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
    state: () => client.state(),
    close: () => client.close(),
  };
}

/** How long it waits for what, in milliseconds. Tests wait for nothing. */
export type Patience = {
  /** Before the first retry; twice as long before the second, and up to twice as long by chance. */
  retryMs: number;
  /** How long it backs off at first from an analyser or an origin that keeps failing. */
  backOffMs: number;
  /** How long all calls pause after a quota per minute that came without `Retry-After`. */
  minuteMs: number;
  /** What one analysis waits at most, in all, while it is backed off from. */
  maxWaitMs: number;
};

const usualPatience: Patience = { retryMs: 1000, backOffMs: 5000, minuteMs: 60_000, maxWaitMs: 90_000 };

export type PsiClientSettings = {
  server: PsiServer;
  /** Reads the answers. */
  threads: Pick<LhrReader, 'readWireAnswer'>;
  /**
   * Time that the analyser gets for one page, retries included. Waiting in the queue, or for a back-off, does not
   * count.
   */
  timeoutMs: number;
  concurrency: number;
  ratePerMinute: number;
  patience?: Patience | undefined;
  /** Undefined: the limits are those of this instance. */
  shared?: { name: string; limits: SharedLimits } | undefined;
  now?: () => number;
};

type PsiOptions = {
  /** The name of the client: clients take turns, and all without a name are one. */
  client?: string | undefined;
  /** One page of many: it comes after what someone waits for. */
  isBatch?: boolean | undefined;
  /** Called when a call failed and will be retried. */
  onRetry?: (() => void) | undefined;
};

export type PsiClient = {
  /**
   * The remote analyser's result for a page. A page that failed is never a result.
   * @throws AnalysisError of source `psi`; the signal's reason when the client disconnected
   */
  analyse(request: AnalyserRequest, signal: AbortSignal, options?: PsiOptions): Promise<Measured>;
  /** What was seen of the analyser so far. Makes no call. */
  state(): AnalyserState;
  /** Starts no further call: what waits is refused with `shutting_down`, and calls that run may end. */
  close(): void;
};

/** The remote analyser over the wire: retries by rule where that helps, and backs off where it does not. */
export function createPsiClient({
  server,
  threads,
  timeoutMs,
  concurrency,
  ratePerMinute,
  patience = usualPatience,
  shared,
  now = Date.now,
}: PsiClientSettings): PsiClient {
  const backOff = createBackOff({ backOffMs: patience.backOffMs, minuteMs: patience.minuteMs, now });
  const gate = shared?.limits.createGate(shared.name, { concurrency, ratePerMinute });
  const queue = createCallQueue({ concurrency, ratePerMinute, maxWaitMs: patience.maxWaitMs, backOff, gate });
  const call = createCall({ server, threads, timeoutMs, now });

  /** One call, and what it says of the analyser. */
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
      // What fails there is the page, or its turn: the analyser is well.
      if (kind === 'page_final' || kind === 'page_passing' || kind === 'own_busy') backOff.answered(origin);
      const explained = backOff.failed({ kind, error: failure, origin, startedMs, endedMs: now() });
      queue.review();
      throw new CallFailure(kind, explained);
    }
  }

  return {
    async analyse(request, signal, { client, isBatch, onRetry = () => {} } = {}) {
      const queued = queue.register({ origin: new URL(request.url).origin, client, isBatch, signal });
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
    state: () => backOff.state(),
    close: () => queue.close(),
  };
}
