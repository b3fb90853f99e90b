/** Wraps parts of the service with counters and spans. The parts themselves are not changed. */
import { AnalysisError } from '../contract/errors.ts';
import type { PsiAnalyser } from '../measure/analyser.ts';
import type { AuditRequest, LocalAnalyser } from '../measure/lighthouse/pool.ts';
import type { ResultCache } from '../storage/cache/result-cache.ts';
import type { MetricsRegistry } from './metrics.ts';
import { disconnected, type OpenSpan, type SpanFacts, type Tracing } from './tracing/tracing.ts';

type Observers = {
  readonly metrics: MetricsRegistry;
  /** Undefined if tracing is off. */
  readonly tracing: Tracing | undefined;
};

const maxTargetCharacters = 200;

/** Returns origin and path of a URL, as in the log, because the rest may contain a token. */
const toTarget = (url: string): string => url.replace(/[?#].*$/s, '').slice(0, maxTargetCharacters);

const toFacts = ({ url, strategy }: Pick<AuditRequest, 'url' | 'strategy'>): SpanFacts => ({
  'rangelight.target': toTarget(url),
  'rangelight.strategy': strategy,
});

const toError = (error: unknown, signal: AbortSignal | undefined): string => {
  if (signal?.aborted) return disconnected;
  return error instanceof AnalysisError ? error.code : 'internal';
};

/** Calls back once with the end of the work: undefined, or the code of its failure. */
async function ended<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  onEnd: (error: string | undefined) => void,
): Promise<T> {
  try {
    const value = await work;
    onEnd(undefined);
    return value;
  } catch (error) {
    onEnd(toError(error, signal));
    throw error;
  }
}

const ok = 'ok';
const secondsSince = (beganMs: number): number => (performance.now() - beganMs) / 1000;

/** Counts the audits that had a slot on this machine, whichever instance requested them: spans `audit`, `audit again`. */
export const observeAudits = (pool: LocalAnalyser, { metrics, tracing }: Observers): LocalAnalyser => ({
  ...pool,
  audit(audit, readPage, signal, options = {}) {
    const path = tracing?.current();
    let started: { atMs: number; span: OpenSpan | undefined } | undefined;
    const onStart = () => {
      const span = tracing?.within(path, () => tracing.open('audit', toFacts(audit)));
      started = { atMs: performance.now(), span };
      options.onStart?.();
    };
    return ended(pool.audit(audit, readPage, signal, { ...options, onStart }), signal, error => {
      if (started) metrics.countAudit(error ?? ok, secondsSince(started.atMs));
      started?.span?.end(error);
    });
  },
  reAudit(artifacts, settings, signal) {
    const span = tracing?.open('audit again', { 'rangelight.settings': settings.length });
    return ended(pool.reAudit(artifacts, settings, signal), undefined, error => span?.end(error));
  },
});

/** Measures how long audits that this instance requested waited, on any machine: span `wait for a slot`. */
export const observeWaits = (local: LocalAnalyser, { metrics, tracing }: Observers): LocalAnalyser => ({
  ...local,
  audit(audit, readPage, signal, options = {}) {
    const askedMs = performance.now();
    let span = tracing?.open('wait for a slot', toFacts(audit));
    const onStart = () => {
      metrics.countWait(secondsSince(askedMs));
      span?.end();
      span = undefined;
      options.onStart?.();
    };
    const work = local.audit(audit, readPage, signal, { ...options, onStart });
    return ended(work, signal, error => span?.end(error));
  },
});

/**
 * Counts the pages that the PSI analyser measures, including waits and retries: span `remote analysis`, unless this
 * machine measures. Trace headers are not sent to servers of third parties.
 */
export const observeRemotePages = (analyser: PsiAnalyser, { metrics, tracing }: Observers): PsiAnalyser => ({
  ...analyser,
  measure(request, options) {
    const beganMs = performance.now();
    const span =
      analyser.kind === 'embedded'
        ? undefined
        : tracing?.open('remote analysis', { ...toFacts(request), 'server.address': analyser.host() }, 'client');
    const onProgress: typeof options.onProgress = progress => {
      if (progress.event === 'progress' && progress.stage === 'retrying') {
        metrics.countRemoteRetry();
        span?.note('retry');
      }
      options.onProgress?.(progress);
    };
    return ended(analyser.measure(request, { ...options, onProgress }), options.signal, error => {
      metrics.countRemotePage(error ?? ok, secondsSince(beganMs));
      span?.end(error);
    });
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

type TracedJob = { kind: string; trace?: Parameters<Tracing['within']>[0] };

/**
 * Adds the span `page of a job`: in the trace of the request that submitted the job, or in a trace of its own for a
 * schedule.
 */
export const tracePages =
  (tracing: Tracing) =>
  <Request extends TracedJob, Options extends { signal: AbortSignal }, Page>(
    runPage: (request: Request, url: string, options: Options) => Promise<Page>,
  ): typeof runPage =>
  (request, url, options) =>
    tracing.within(request.trace, () => {
      const span = tracing.open('page of a job', {
        'rangelight.target': toTarget(url),
        'rangelight.kind': request.kind,
      });
      return span.within(() => ended(runPage(request, url, options), options.signal, error => span.end(error)));
    });
