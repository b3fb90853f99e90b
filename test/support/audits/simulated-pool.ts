/** A pool without browsers: the test chooses how long an audit takes, and each audit returns a small result. */
import { setTimeout as delay } from 'node:timers/promises';
import { AnalysisError, fromPlainError } from '../../../src/contract/errors.ts';
import type { HostConditions } from '../../../src/measure/lhr/to-result.ts';
import type { AuditOptions, AuditRequest, LocalAnalyser } from '../../../src/measure/lighthouse/pool.ts';
import { createArrivals } from '../arrivals.ts';
import { buildCategory, buildLhr } from '../builders/lhr.ts';

export type SimulatedAudit = {
  readonly request: AuditRequest;
  readonly options: AuditOptions;
  readonly signal: AbortSignal;
  /** Ends the audit with a result, or with this error. */
  finish(error?: Error): void;
};

export type SimulatedPool = LocalAnalyser & {
  /** The audits in the order in which they started. */
  readonly audits: ReturnType<typeof createArrivals<SimulatedAudit>>;
  /** Calls the handler whenever an audit starts. */
  onAudit(handler: (audit: SimulatedAudit) => void): void;
  /** Artifacts that were stored and not released. */
  readonly artifacts: ReadonlySet<string>;
  readonly reAudited: string[];
};

const conditions: HostConditions = {
  benchmarkTakenAt: '2026-11-20T10:00:00.000Z',
  benchmarkConcurrentAudits: 0,
  concurrentAudits: 0,
  machineId: '0123456789abcdef',
  processors: 2,
  benchmarkUsual: null,
  processorWait: null,
  leftOut: [],
  blockedRequests: 0,
};

/** The result of a page; a page whose path ends in `/blank` could not be measured. */
export const toSimulatedBytes = ({ url }: Pick<AuditRequest, 'url'>): Buffer =>
  Buffer.from(
    JSON.stringify({
      ...buildLhr({ requestedUrl: url, finalDisplayedUrl: url, categories: [buildCategory('performance')] }),
      ...(url.endsWith('/blank') ? { runtimeError: { code: 'NO_FCP', message: 'Nothing was painted.' } } : {}),
      filler: 'x'.repeat(50_000),
    }),
  );

/** @param durationMs how long an audit takes; if undefined, until the test ends it */
export function createSimulatedPool({
  slots = 2,
  durationMs,
}: {
  slots?: number;
  durationMs?: number;
} = {}): SimulatedPool {
  const audits = createArrivals<SimulatedAudit>();
  const artifacts = new Set<string>();
  const reAudited: string[] = [];
  const handlers: ((audit: SimulatedAudit) => void)[] = [];
  const closing = new AbortController();
  let running = 0;
  let count = 0;

  async function measure(request: AuditRequest, options: AuditOptions, signal: AbortSignal): Promise<void> {
    const end = Promise.withResolvers<void>();
    const ends = AbortSignal.any([signal, closing.signal]);
    ends.throwIfAborted();
    ends.addEventListener('abort', () => end.reject(ends.reason), { once: true });
    const finish = (error?: Error) => (error ? end.reject(error) : end.resolve());
    const audit = { request, options, signal, finish };
    audits.add(audit);
    for (const handler of handlers) handler(audit);
    options.onStart?.();
    options.onProgress?.({ event: 'started' });
    options.onProgress?.({ event: 'progress', stage: 'loading' });
    if (durationMs !== undefined) delay(durationMs, undefined, { signal: ends }).then(end.resolve, () => {});
    running += 1;
    try {
      await end.promise;
    } finally {
      running -= 1;
    }
  }

  return {
    audits,
    artifacts,
    reAudited,
    onAudit: handler => void handlers.push(handler),
    async audit(request, readPage, signal, options = {}) {
      await measure(request, options, signal);
      const value = await readPage(toSimulatedBytes(request), conditions);
      if ('failure' in value) throw fromPlainError(value.failure as never);
      if (!options.keepArtifacts) return { value, artifacts: undefined };
      count += 1;
      artifacts.add(`kept-${count}`);
      return { value, artifacts: `kept-${count}` };
    },
    async reAudit(id, settings) {
      if (!artifacts.has(id)) throw new AnalysisError('lighthouse_unavailable', 'Its artifacts are gone.');
      reAudited.push(id);
      return settings.map(() => ({}));
    },
    async readFacts() {
      throw new AnalysisError('lighthouse_unavailable', 'A simulated load has no facts.');
    },
    async whatIf() {
      throw new AnalysisError('lighthouse_unavailable', 'A simulated load cannot be simulated again.');
    },
    filesOf: id => (artifacts.has(id) ? { trace: id, networkLog: id, gathered: id } : undefined),
    async adopt() {
      count += 1;
      artifacts.add(`adopted-${count}`);
      return `adopted-${count}`;
    },
    release: async id => void artifacts.delete(id),
    warmUp: async () => {},
    status: () => ({
      available: true,
      browser: 'simulated',
      sandbox: 'on' as const,
      running,
      queued: 0,
      parallel_limit: slots,
    }),
    async close() {
      closing.abort(new AnalysisError('shutting_down', 'The service is shutting down.'));
    },
  };
}
