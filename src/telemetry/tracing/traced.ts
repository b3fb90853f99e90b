/** Wraps parts of the service with spans. The parts themselves are not changed. */

import { AnalysisError } from '../../contract/errors.ts';
import type { PsiAnalyser } from '../../measure/analyser.ts';
import type { AuditRequest, LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import { disconnected, type OpenSpan, type SpanFacts, type Tracing } from './tracing.ts';

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

/** Waits for work and then ends its span. */
async function ended<T>(work: Promise<T>, span: () => OpenSpan | undefined, signal?: AbortSignal): Promise<T> {
  try {
    const value = await work;
    span()?.end();
    return value;
  } catch (error) {
    span()?.end(toError(error, signal));
    throw error;
  }
}

/** Adds the span `wait for a slot`: from the request for an audit until its start, on any machine. */
export const traceWaits = (local: LocalAnalyser, tracing: Tracing | undefined): LocalAnalyser =>
  tracing
    ? {
        ...local,
        audit(audit, readPage, signal, options = {}) {
          const span = tracing.open('wait for a slot', toFacts(audit));
          let isOver = false;
          const onStart = () => {
            if (!isOver) span.end();
            isOver = true;
            options.onStart?.();
          };
          const work = local.audit(audit, readPage, signal, { ...options, onStart });
          return ended(work, () => (isOver ? undefined : span), signal);
        },
      }
    : local;

/** Adds the spans `audit` and `audit again`, on the machine that runs the audit. */
export const traceAudits = (
  pool: LocalAnalyser | undefined,
  tracing: Tracing | undefined,
): LocalAnalyser | undefined =>
  pool && tracing
    ? {
        ...pool,
        audit(audit, readPage, signal, options = {}) {
          const path = tracing.current();
          let span: OpenSpan | undefined;
          const onStart = () => {
            span = tracing.within(path, () => tracing.open('audit', toFacts(audit)));
            options.onStart?.();
          };
          const work = pool.audit(audit, readPage, signal, { ...options, onStart });
          return ended(work, () => span, signal);
        },
        reAudit(artifacts, settings, signal) {
          const span = tracing.open('audit again', { 'rangelight.settings': settings.length });
          return ended(pool.reAudit(artifacts, settings, signal), () => span, signal);
        },
      }
    : pool;

/**
 * Adds the span `remote analysis`: one page, including its wait and retries. Trace headers are not sent to servers of
 * third parties.
 */
export const traceRemotePages = (analyser: PsiAnalyser, tracing: Tracing | undefined): PsiAnalyser =>
  tracing && analyser.kind !== 'embedded'
    ? {
        ...analyser,
        measure(request, options) {
          const span = tracing.open(
            'remote analysis',
            { ...toFacts(request), 'server.address': analyser.host() },
            'client',
          );
          const work = analyser.measure(request, {
            ...options,
            onProgress(progress) {
              if (progress.event === 'progress' && progress.stage === 'retrying') span.note('retry');
              options.onProgress?.(progress);
            },
          });
          return ended(work, () => span, options.signal);
        },
      }
    : analyser;

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
      return span.within(() => ended(runPage(request, url, options), () => span, options.signal));
    });
