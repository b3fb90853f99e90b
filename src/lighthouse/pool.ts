import { AnalysisError } from '../errors.ts';
import { createAuditRunner, type LocalMeasurement, type RunnerSettings } from './audit-runner.ts';
import { createKeptArtifacts } from './kept-artifacts.ts';
import type { AuditSettings, ReAuditResult, ReAuditSettings } from './messages.ts';
import type { SandboxState } from './sandbox.ts';
import type { Stage } from './stages.ts';
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

export type LocalAudit = LocalMeasurement & {
  /** Under which its artifacts can be audited again until they are released; undefined when they were not kept. */
  artifacts: string | undefined;
};

/** Never a caller's to choose. */
export type AuditRequest = Omit<AuditSettings, 'keepIn'>;

/** A step of one audit: its place in the line (1 is next), its start, what it does. */
export type AuditProgress =
  | { event: 'queued'; position: number }
  | { event: 'started' }
  | { event: 'progress'; stage: Stage };

export type AuditOptions = { keepArtifacts?: boolean; onProgress?: ((progress: AuditProgress) => void) | undefined };

/** What the analysis room needs of local audits; another implementation may stand behind it. */
export type LocalAnalyser = {
  /**
   * Measures a page as soon as a place is free. An abort takes a waiting audit out of the line and kills a running one.
   * @throws AnalysisError of source `lighthouse`; the signal's reason when the caller left
   */
  audit(audit: AuditRequest, signal: AbortSignal, options?: AuditOptions): Promise<LocalAudit>;
  /**
   * Audits the kept artifacts of an audit again under each of these settings: no page is loaded. It takes a place like
   * any audit, the next one that is free, and is ended by force after some seconds.
   * @throws AnalysisError of source `lighthouse`; the signal's reason when the caller left
   */
  reAudit(
    artifacts: string,
    settings: readonly ReAuditSettings[],
    signal: AbortSignal,
  ): Promise<readonly ReAuditResult[]>;
  /** Removes kept artifacts. Whoever asked for them has to. */
  release(artifacts: string): Promise<void>;
  /** Makes the first audit start faster, and finds out whether there can be one. Never throws. */
  warmUp(): Promise<void>;
  status(): LocalStatus;
  /** Refuses what waits, lets what runs finish within the grace, then kills. */
  close(graceMs: number): Promise<void>;
};

/** A place comes free within seconds, or the wait is not worth it; four re-audits take well under 2 s. */
const placeWaitMs = 20_000;
const reAuditMs = 10_000;

const notAgain = (reason: string, cause?: unknown) =>
  new AnalysisError('lighthouse_unavailable', `The load could not be audited again: ${reason}.`, {
    source: 'lighthouse',
    cause,
  });

export function createPool(settings: PoolSettings): LocalAnalyser {
  const runner = createAuditRunner(settings);
  const line = createWaitingLine(settings.concurrency, settings.queueLimit);
  const kept = createKeptArtifacts(runner);

  async function audit(
    order: AuditSettings,
    signal: AbortSignal,
    onProgress: AuditOptions['onProgress'] = () => {},
  ): Promise<LocalMeasurement> {
    const place = await line.enter(signal, position => onProgress({ event: 'queued', position }));
    onProgress({ event: 'started' });
    const run = runner.start(order, signal, stage => onProgress({ event: 'progress', stage }));
    // The place is free when browser and folder are gone, which is a little after the result is there.
    void run.cleared.finally(() => place.leave());
    return run.result;
  }

  async function auditAndKeep(
    order: AuditSettings,
    signal: AbortSignal,
    onProgress: AuditOptions['onProgress'],
  ): Promise<LocalAudit> {
    const keepIn = await kept.open();
    try {
      const measurement = await audit(keepIn ? { ...order, keepIn } : order, signal, onProgress);
      return { ...measurement, artifacts: keepIn && (await kept.take(keepIn)) };
    } catch (error) {
      if (keepIn) await kept.discard(keepIn);
      throw error;
    }
  }

  async function reAudit(folder: string, changes: readonly ReAuditSettings[], signal: AbortSignal) {
    const place = await line.enterFirst(AbortSignal.any([signal, AbortSignal.timeout(placeWaitMs)]));
    const deadline = AbortSignal.timeout(reAuditMs);
    const run = runner.startAgain({ folder, settings: changes }, AbortSignal.any([signal, deadline]));
    void run.cleared.finally(() => place.leave());
    return JSON.parse(await run.result) as ReAuditResult[];
  }

  return {
    async audit(order, signal, { keepArtifacts, onProgress } = {}) {
      try {
        if (keepArtifacts) return await auditAndKeep(order, signal, onProgress);
        return { ...(await audit(order, signal, onProgress)), artifacts: undefined };
      } catch (error) {
        throw error instanceof AnalysisError ? error.from('lighthouse') : error;
      }
    },
    async reAudit(artifacts, changes, signal) {
      const folder = kept.find(artifacts);
      if (!folder) throw notAgain('its artifacts are gone');
      try {
        return await reAudit(folder, changes, signal);
      } catch (error) {
        signal.throwIfAborted();
        // The comparison goes on without it, so nobody else would tell.
        settings.log('a re-audit failed', { err: error });
        throw notAgain('it took too long or failed', error);
      }
    },
    release: artifacts => kept.release(artifacts),
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
      await kept.close();
    },
  };
}
