import { AnalysisError } from '../errors.ts';
import { createAuditRunner, type LocalMeasurement, type RunnerSettings } from './audit-runner.ts';
import type { AuditSettings } from './messages.ts';
import type { SandboxState } from './sandbox.ts';
import { createWaitingLine } from './waiting-line.ts';

export type PoolSettings = RunnerSettings & {
  /** Audits that run at once. */
  concurrency: number;
  /** Audits that may wait beyond those. */
  queueLimit: number;
};

export type LocalStatus = {
  available: boolean;
  browser: string | null;
  sandbox: SandboxState;
  running: number;
  queued: number;
  parallel_limit: number;
};

/** What the analysis room needs of local audits; another implementation may stand behind it. */
export type LocalAnalyser = {
  /**
   * Measures a page as soon as a place is free. An abort takes a waiting audit out of the line and kills a running one.
   * @throws AnalysisError of source `lighthouse`; the signal's reason when the caller left
   */
  audit(audit: AuditSettings, signal: AbortSignal): Promise<LocalMeasurement>;
  /** Makes the first audit start faster, and finds out whether there can be one. Never throws. */
  warmUp(): Promise<void>;
  status(): LocalStatus;
  /** Refuses what waits, lets what runs finish within the grace, then kills. */
  close(graceMs: number): Promise<void>;
};

export function createPool(settings: PoolSettings): LocalAnalyser {
  const runner = createAuditRunner(settings);
  const line = createWaitingLine(settings.concurrency, settings.queueLimit);

  async function audit(order: AuditSettings, signal: AbortSignal): Promise<LocalMeasurement> {
    const place = await line.enter(signal);
    const run = runner.start(order, signal);
    // The place is free when browser and folder are gone, which is a little after the result is there.
    void run.cleared.finally(() => place.leave());
    return run.result;
  }

  return {
    async audit(order, signal) {
      try {
        return await audit(order, signal);
      } catch (error) {
        throw error instanceof AnalysisError ? error.from('lighthouse') : error;
      }
    },
    warmUp: () => runner.warmUp(),
    status: () => ({
      ...runner.status(),
      running: line.running,
      queued: line.waiting,
      parallel_limit: settings.concurrency,
    }),
    async close(graceMs) {
      await line.close(graceMs);
      await runner.close();
    },
  };
}
