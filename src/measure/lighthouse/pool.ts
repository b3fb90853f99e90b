import { join } from 'node:path';
import type { AuditProgress, AuditStage } from '../../contract/analysis/progress.ts';
import { AnalysisError } from '../../contract/errors.ts';
import type { LoadFacts } from '../../contract/result/load-facts.ts';
import type { WhatIfFacts, WhatIfOrder } from '../../contract/stored/what-if-order.ts';
import { toDisturbedMs } from '../lhr/disturbances.ts';
import { createAuditQueue } from './audit-queue.ts';
import { type AuditOrder, createAuditRunner, type RunnerSettings, type RunOptions } from './audit-runner.ts';
import type { SandboxState } from './browser/sandbox.ts';
import { type ArtifactPaths, artifactFiles, createKeptArtifacts } from './folders/kept-artifacts.ts';
import type { AuditSettings, ReAuditResult, ReAuditSettings } from './messages.ts';
import type { JudgedPage, ReadPage } from './read-page.ts';
import { createRepeats, type Load } from './repeats.ts';

export type PoolSettings = RunnerSettings & {
  /** Audits that run at once. */
  concurrency: number;
  /** Audits that may be queued beyond those. */
  queueLimit: number;
  /** How often a load that other work disturbed is repeated alone, 0 to 2. */
  repeats: number;
};

export type LocalStatus = {
  available: boolean;
  browser: string | null;
  /** Why no audit can run, and what to do, if that was plain from the start. Without a path of this machine. */
  fault?: string | undefined;
  sandbox: SandboxState;
  running: number;
  queued: number;
  parallel_limit: number;
};

type LocalAudit<T> = {
  /** What was made of the Lighthouse result. */
  value: T;
  /** Under which its artifacts can be audited again until they are released; undefined when they were not kept. */
  artifacts: string | undefined;
  /** How often the page was loaded again because other work disturbed its load; absent: never. */
  repeated?: number | undefined;
};

/** The rest is never a client's to choose. */
export type AuditRequest = Omit<AuditSettings, 'keepIn' | 'benchmarkIndex' | 'knownIndices'>;

export type AuditOptions = {
  keepArtifacts?: boolean;
  /** Runs alone on this machine. */
  isExclusive?: boolean | undefined;
  /** Runs on the machine of the caller, also in a fleet. */
  isHere?: boolean | undefined;
  /** The name of the client: clients take turns in the queue. */
  client?: string | undefined;
  /** One page of many: it comes after what someone waits for. */
  isBatch?: boolean | undefined;
  /** Called when the audit has its slot. Must not throw. */
  onStart?: (() => void) | undefined;
  onProgress?: ((progress: AuditProgress) => void) | undefined;
};

/** What the analysis room needs of local audits; another implementation may stand behind it. */
export type LocalAnalyser = {
  /**
   * Measures a page as soon as a slot is free. A load that other work disturbed is repeated alone, in the same slot. An
   * abort cancels a queued audit and kills a running one.
   * @throws AnalysisError of source `lighthouse`; the signal's reason when the client disconnected
   */
  audit<T extends object>(
    audit: AuditRequest,
    readPage: ReadPage<T>,
    signal: AbortSignal,
    options?: AuditOptions,
  ): Promise<LocalAudit<T>>;
  /**
   * Audits the kept artifacts of an audit again under each of these settings: no page is loaded. It takes a slot like
   * any audit, the next one that is free, and is killed after some seconds.
   * @throws AnalysisError of source `lighthouse`; the signal's reason when the client disconnected
   */
  reAudit(
    artifacts: string,
    settings: readonly ReAuditSettings[],
    signal: AbortSignal,
  ): Promise<readonly ReAuditResult[]>;
  /**
   * Reads what the simulation of a load depends on out of artifacts that this machine has. It takes a slot as a
   * re-audit does.
   * @throws as `reAudit` does
   */
  readFacts(artifacts: string, signal: AbortSignal): Promise<LoadFacts>;
  /**
   * Simulates a load under other conditions, out of artifacts that this machine has. It takes a slot as a re-audit
   * does.
   * @throws as `reAudit` does
   */
  whatIf(artifacts: string, order: WhatIfOrder, signal: AbortSignal): Promise<WhatIfFacts>;
  /** The files of kept artifacts, until they are released. */
  filesOf(artifacts: string): ArtifactPaths | undefined;
  /**
   * Takes copies of the artifacts of an earlier audit, packed with gzip, to audit it again until they are released;
   * undefined when they cannot be read, or there is no room for them.
   */
  adopt(packed: ArtifactPaths): Promise<string | undefined>;
  /** Removes kept artifacts: the task of the use case that asked for them. */
  release(artifacts: string): Promise<void>;
  /** Makes the first audit start faster, and finds out whether there can be one. Never throws. */
  warmUp(): Promise<void>;
  status(): LocalStatus;
  /** Refuses what is queued, lets what runs finish within the grace, then kills. */
  close(graceMs: number): Promise<void>;
};

/** A slot comes free within seconds, or the wait is not worth it. */
const slotWaitMs = 20_000;

const notAgain = (reason: string, cause?: unknown) =>
  new AnalysisError('lighthouse_unavailable', `The load could not be audited again: ${reason}.`, {
    source: 'lighthouse',
    cause,
  });

const disturbedMsOf = ({ result }: JudgedPage): number => (result ? toDisturbedMs(result) : 0);

export function createPool(pool: PoolSettings): LocalAnalyser {
  const runner = createAuditRunner(pool);
  const queue = createAuditQueue(pool.concurrency, pool.queueLimit);
  const kept = createKeptArtifacts(runner);
  const repeats = createRepeats({ most: pool.repeats, withinMs: pool.timeoutMs });

  /** One load, in a slot. */
  async function load<T extends object>(
    { audit, readPage }: AuditOrder<T>,
    signal: AbortSignal,
    { keepArtifacts = false, isAlone, onStage }: { keepArtifacts?: boolean | undefined } & RunOptions,
  ): Promise<Load & { value: T; artifacts: string | undefined }> {
    // What a variant sends and serves stays out of all that outlives its load.
    const keepIn = keepArtifacts && !audit.variant ? await kept.open() : undefined;
    try {
      const settings = keepIn ? { ...audit, keepIn } : audit;
      const { result, cleared } = runner.start({ audit: settings, readPage }, signal, { isAlone, onStage });
      const value = await result;
      const artifacts = keepIn && (await kept.take(keepIn));
      const discard = async () => (artifacts === undefined ? undefined : kept.release(artifacts));
      return { value, artifacts, cleared, discard, disturbedMs: disturbedMsOf(value) };
    } catch (error) {
      if (keepIn) await kept.discard(keepIn);
      throw error;
    }
  }

  async function measure<T extends object>(
    order: AuditOrder<T>,
    signal: AbortSignal,
    { client, isBatch, isExclusive, keepArtifacts, onStart, onProgress = () => {} }: AuditOptions,
  ): Promise<LocalAudit<T>> {
    const slot = await queue.enter(signal, {
      client,
      isBatch,
      isExclusive,
      onPosition: position => onProgress({ event: 'queued', position }),
    });
    const clearing: Promise<void>[] = [];
    try {
      onStart?.();
      onProgress({ event: 'started' });
      const onStage = (stage: AuditStage) => onProgress({ event: 'progress', stage });
      const measured = await repeats.measure(async isAlone => {
        if (isAlone) onStage('repeating');
        const loaded = await load(order, signal, { keepArtifacts, isAlone, onStage });
        clearing.push(loaded.cleared);
        return loaded;
      }, signal);
      const { value, artifacts } = measured.load;
      return { value, artifacts, repeated: measured.repeated };
    } finally {
      // The slot is free when browser and folder are gone, which is a little after the result is there.
      void Promise.all(clearing).finally(() => slot.release());
    }
  }

  /** Works on the artifacts of a load, in the next free slot and for some seconds at most. */
  async function again<T>(
    artifacts: string,
    start: (folder: string, signal: AbortSignal) => { result: Promise<T>; cleared: Promise<void> },
    signal: AbortSignal,
  ): Promise<T> {
    const folder = kept.find(artifacts);
    if (!folder) throw notAgain('its artifacts are gone');
    try {
      const slot = await queue.enterFirst(AbortSignal.any([signal, AbortSignal.timeout(slotWaitMs)]));
      const run = start(folder, signal);
      void run.cleared.finally(() => slot.release());
      return await run.result;
    } catch (error) {
      signal.throwIfAborted();
      // The comparison continues without it, so nothing else would say so.
      pool.log('a re-audit failed', { err: error });
      throw notAgain('it took too long or failed', error);
    }
  }

  return {
    async audit(settings, readPage, signal, options = {}) {
      try {
        return await measure({ audit: settings, readPage }, signal, options);
      } catch (error) {
        throw error instanceof AnalysisError ? error.from('lighthouse') : error;
      }
    },
    reAudit: (artifacts, settings, signal) =>
      again(artifacts, (folder, ends) => runner.startAgain({ folder, settings }, ends), signal),
    readFacts: (artifacts, signal) => again(artifacts, runner.startFacts, signal),
    whatIf: (artifacts, order, signal) =>
      again(artifacts, (folder, ends) => runner.startWhatIf(folder, order, ends), signal),
    filesOf(artifacts) {
      const folder = kept.find(artifacts);
      if (folder === undefined) return undefined;
      const { trace, networkLog, gathered } = artifactFiles;
      return { trace: join(folder, trace), networkLog: join(folder, networkLog), gathered: join(folder, gathered) };
    },
    adopt: kept.adopt,
    release: artifacts => kept.release(artifacts),
    warmUp: () => runner.warmUp(),
    status: () => ({
      ...runner.status(),
      running: queue.running,
      queued: queue.queued,
      parallel_limit: pool.concurrency,
    }),
    async close(graceMs) {
      repeats.stop();
      await queue.close(graceMs);
      await runner.close();
      await kept.close();
    },
  };
}
