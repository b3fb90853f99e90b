import pRetry from 'p-retry';
import { createBackOff, type RemoteState } from './back-off.ts';
import { CallFailure, createCall, type PsiAnswer, type PsiRequest } from './call.ts';
import { createLine, type Turn } from './line.ts';
import type { RemoteAnalyser } from './remote-analyser.ts';
import { retriesAfter } from './retry-rules.ts';

/** How long the client waits for what, in milliseconds. Tests wait for nothing. */
export type Patience = {
  /** Before a second try; twice as long before the third, and up to twice as long again by chance. */
  retryMs: number;
  /** A first rest for an analyser or an origin that keeps failing. */
  restMs: number;
  /** A rest after a quota per minute that came without `Retry-After`. */
  minuteMs: number;
  /** What one call waits at most for such rests to be over. */
  restsMs: number;
};

const usualPatience: Patience = { retryMs: 1000, restMs: 5000, minuteMs: 60_000, restsMs: 90_000 };

export type PsiClientSettings = {
  analyser: RemoteAnalyser;
  /** Time that the analyser gets for one page, all tries together, without the wait for a free place or a better time. */
  timeoutMs: number;
  concurrency: number;
  ratePerMinute: number;
  patience?: Patience | undefined;
  now?: () => number;
};

export type PsiClient = {
  /**
   * The remote analyser's answer for a page, as JSON text and parsed. A page that failed is never an answer.
   * @param onRetry told when a call failed and will go out again
   * @throws AnalysisError of source `psi`; the signal's reason when the caller left
   */
  analyse(request: PsiRequest, signal: AbortSignal, onRetry?: () => void): Promise<PsiAnswer>;
  /** What was seen of the analyser so far. Calls nobody. */
  state(): RemoteState;
};

/** The remote analyser, asked again by rule where that helps, and left alone where it does not. */
export function createPsiClient({
  analyser,
  timeoutMs,
  concurrency,
  ratePerMinute,
  patience = usualPatience,
  now = Date.now,
}: PsiClientSettings): PsiClient {
  const backOff = createBackOff({ restMs: patience.restMs, minuteMs: patience.minuteMs, now });
  const line = createLine({ concurrency, ratePerMinute, patienceMs: patience.restsMs, backOff });
  const call = createCall(analyser, timeoutMs, now);

  /** One call, and what it says of the analyser. */
  async function callAndLearn(request: PsiRequest, { origin, signal }: Turn, leftMs: number): Promise<PsiAnswer> {
    const startedMs = now();
    try {
      const answer = await call(request, leftMs, signal);
      backOff.answered(origin);
      return answer;
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      const { kind, failure } = error;
      // What fails there is the page: the analyser is well.
      if (kind === 'page_final' || kind === 'page_passing') backOff.answered(origin);
      const told = backOff.failed({ kind, error: failure, origin, startedMs });
      line.review();
      throw new CallFailure(kind, told);
    }
  }

  return {
    async analyse(request, signal, onRetry = () => {}) {
      const turn = line.takeTurn(new URL(request.url).origin, signal);
      let leftMs = timeoutMs;
      const tryOnce = () =>
        line.run(turn, async () => {
          const began = performance.now();
          try {
            return await callAndLearn(request, turn, leftMs);
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
            const isWorthIt = retriesConsumed < retriesAfter(error.kind, analyser.kind);
            if (isWorthIt) onRetry();
            return isWorthIt;
          },
        });
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof CallFailure ? error.failure : error;
      }
    },
    state: () => backOff.state(),
  };
}
