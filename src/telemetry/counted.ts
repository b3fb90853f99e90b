/** Wraps parts of the service with counters. The parts themselves are not changed. */

import { AnalysisError } from '../contract/errors.ts';
import type { PsiAnalyser } from '../measure/analyser.ts';
import type { AuditOptions, LocalAnalyser } from '../measure/lighthouse/pool.ts';
import type { ResultCache } from '../storage/cache/result-cache.ts';
import type { MetricsRegistry } from './metrics.ts';

const toOutcome = (error: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return 'client_disconnected';
  return error instanceof AnalysisError ? error.code : 'internal';
};

/** Calls back once with the outcome of the work: `ok` or a code. */
async function counted<T>(work: Promise<T>, signal: AbortSignal, onEnd: (outcome: string) => void): Promise<T> {
  try {
    const value = await work;
    onEnd('ok');
    return value;
  } catch (error) {
    onEnd(toOutcome(error, signal));
    throw error;
  }
}

const secondsSince = (beganMs: number): number => (performance.now() - beganMs) / 1000;

/** Returns a callback that counts, then calls the caller's own. */
const before =
  (count: () => void, onStart: AuditOptions['onStart']): (() => void) =>
  () => {
    count();
    onStart?.();
  };

/** Counts the audits that had a slot on this machine by outcome, whichever instance requested them. */
export const countAudits = (pool: LocalAnalyser, metrics: MetricsRegistry): LocalAnalyser => ({
  ...pool,
  audit(audit, readPage, signal, options = {}) {
    let startedMs: number | undefined;
    const onStart = before(() => {
      startedMs = performance.now();
    }, options.onStart);
    return counted(pool.audit(audit, readPage, signal, { ...options, onStart }), signal, outcome => {
      if (startedMs !== undefined) metrics.countAudit(outcome, secondsSince(startedMs));
    });
  },
});

/** Measures how long audits that this instance requested waited for a slot, on any machine. */
export const countWaits = (local: LocalAnalyser, metrics: MetricsRegistry): LocalAnalyser => ({
  ...local,
  audit(audit, readPage, signal, options = {}) {
    const askedMs = performance.now();
    const onStart = before(() => metrics.countWait(secondsSince(askedMs)), options.onStart);
    return local.audit(audit, readPage, signal, { ...options, onStart });
  },
});

export const countRemotePages = (analyser: PsiAnalyser, metrics: MetricsRegistry): PsiAnalyser => ({
  ...analyser,
  measure(request, options) {
    const beganMs = performance.now();
    const work = analyser.measure(request, {
      ...options,
      onProgress(progress) {
        if (progress.event === 'progress' && progress.stage === 'retrying') metrics.countRemoteRetry();
        options.onProgress?.(progress);
      },
    });
    return counted(work, options.signal, outcome => metrics.countRemotePage(outcome, secondsSince(beganMs)));
  },
});

export const countCacheAnswers = (cache: ResultCache, metrics: MetricsRegistry): ResultCache => ({
  ...cache,
  async resolve(key, produce, client) {
    const cached = await cache.resolve(key, produce, client);
    metrics.countCacheAnswer(cached.status);
    return cached;
  },
});
