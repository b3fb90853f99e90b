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
import type { AuditSettings, ReAuditOrder, ReAuditSettings } from './messages.ts';
import type { JudgedPage, ReadPage } from './read-page.ts';
import { createRepeats, type Tried } from './repeats.ts';
import { type ReAuditResult, readLoadFacts, readReAuditResults, readWhatIfFacts } from './replies.ts';

export type PoolSettings = RunnerSettings & {
  /** Max number of parallel audits. */
  concurrency: number;
  /** Max number of queued audits. */
  queueLimit: number;
  /** Max number of times that a disturbed load is repeated alone, 0 to 2. */
  repeats: number;
};

export type LocalStatus = {
  available: boolean;
  browser: string | null;
  /** Reason why no audit can run, with advice, if it was known at the start. It contains no path of this machine. */
  fault?: string | undefined;
  sandbox: SandboxState;
  running: number;
  queued: number;
  parallel_limit: number;
};

type LocalAudit<T> = {
  /** Value read from the Lighthouse result. */
  value: T;
  /** Id for auditing its artifacts again until they are released; undefined if they were not stored. */
  artifacts: string | undefined;
  /** Number of times that the page was loaded again because other work disturbed its load; absent if never. */
  repeated?: number | undefined;
};

/** Settings that the caller may choose. The pool sets the others. */
export type AuditRequest = Omit<AuditSettings, 'keepIn' | 'benchmarkIndex' | 'knownIndices'>;

export type AuditOptions = {
  keepArtifacts?: boolean;
  /** Whether the audit must run on the machine of the caller, even in a fleet. */
  isHere?: boolean | undefined;
  /** Name of the client: clients take turns in the queue. */
  client?: string | undefined;
  /** Whether this is one page of many: such a page waits behind single requests. */
  isBatch?: boolean | undefined;
  /** Whether a full queue accepts the audit, because its request already had a slot. */
  isAdmitted?: boolean | undefined;
  /** Called when the audit has its slot. Must not throw. */
  onStart?: (() => void) | undefined;
  onProgress?: ((progress: AuditProgress) => void) | undefined;
};

/** Local audits for `src/analysis`. There are several implementations. */
export type LocalAnalyser = {
  /**
   * Measures a page as soon as a slot is free. A disturbed load is repeated alone, in the same slot. An abort cancels a
   * queued audit and kills a running one.
   * @throws AnalysisError of source `lighthouse`; the signal's reason when the client disconnected
   */
  audit<T extends object>(
    audit: AuditRequest,
    readPage: ReadPage<T>,
    signal: AbortSignal,
    options?: AuditOptions,
  ): Promise<LocalAudit<T>>;
  /**
   * Audits stored artifacts again with each of these settings, without loading the page. The re-audit takes the next
   * free slot, and is killed after a few seconds.
   * @throws AnalysisError of source `lighthouse`; the signal's reason when the client disconnected
   */
  reAudit(
    artifacts: string,
    settings: readonly ReAuditSettings[],
    signal: AbortSignal,
  ): Promise<readonly ReAuditResult[]>;
  /**
   * Extracts the facts that determine the simulation of a load from artifacts on this machine. It takes a slot like a
   * re-audit.
   * @throws the errors of `reAudit`
   */
  readFacts(artifacts: string, signal: AbortSignal): Promise<LoadFacts>;
  /**
   * Simulates a load under different conditions from artifacts on this machine. It takes a slot like a re-audit.
   * @throws the errors of `reAudit`
   */
  whatIf(artifacts: string, order: WhatIfOrder, signal: AbortSignal): Promise<WhatIfFacts>;
  /** Returns the files of stored artifacts, until they are released. */
  filesOf(artifacts: string): ArtifactPaths | undefined;
  /**
   * Copies the gzip-compressed artifacts of an earlier audit, to audit it again until they are released; undefined if
   * they cannot be read, or the disk is full.
   */
  adopt(packed: ArtifactPaths): Promise<string | undefined>;
  /** Removes stored artifacts. The caller that requested them must call this. */
  release(artifacts: string): Promise<void>;
  /** Makes the first audit start faster, and checks whether audits are possible. Never throws. */
  warmUp(): Promise<void>;
  status(): LocalStatus;
  /** Refuses queued audits, lets running ones finish within the grace period, then kills them. */
  close(graceMs: number): Promise<void>;
};

/** Max time that a re-audit waits for a slot. A longer wait would delay its comparison too much. */
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

  /** Measures one load in a slot. */
  async function load<T extends object>(
    { audit, readPage }: AuditOrder<T>,
    signal: AbortSignal,
    { keepArtifacts = false, isAlone, onStage }: { keepArtifacts?: boolean | undefined } & RunOptions,
  ): Promise<Tried & { value: T; artifacts: string | undefined }> {
    // Artifacts of a variant contain data that it sends and serves, which must not outlive the load.
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
    { client, isBatch, isAdmitted, keepArtifacts, onStart, onProgress = () => {} }: AuditOptions,
  ): Promise<LocalAudit<T>> {
    const slot = await queue.enter(signal, {
      client,
      isBatch,
      isAdmitted,
      exclusive: order.audit.exclusive,
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
      // The slot is released when browser and folder are removed, shortly after the result.
      void Promise.all(clearing).finally(() => slot.release());
    }
  }

  /** Processes the artifacts of a load, in the next free slot and within a few seconds. */
  async function again<T>(
    artifacts: string,
    order: Omit<ReAuditOrder, 'folder'>,
    read: (json: string) => T,
    signal: AbortSignal,
  ): Promise<T> {
    const folder = kept.find(artifacts);
    if (!folder) throw notAgain('its artifacts are gone');
    try {
      const slot = await queue.enterFirst(AbortSignal.any([signal, AbortSignal.timeout(slotWaitMs)]));
      const run = runner.startAgain({ folder, ...order }, ({ bytes }) => read(bytes.toString()), signal);
      void run.cleared.finally(() => slot.release());
      return await run.result;
    } catch (error) {
      signal.throwIfAborted();
      // The comparison continues without the re-audit, so the failure is reported only here.
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
      again(artifacts, { settings }, json => readReAuditResults(json, settings.length), signal),
    readFacts: (artifacts, signal) => again(artifacts, { settings: [], wantsFacts: true }, readLoadFacts, signal),
    whatIf: (artifacts, whatIf, signal) =>
      again(artifacts, { settings: [], whatIf }, json => readWhatIfFacts(json, whatIf), signal),
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
