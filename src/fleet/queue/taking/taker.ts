/** Takes jobs of the fleet when slots are free, and runs them in the pool of this machine. */

import type { AuditStage } from '../../../contract/analysis/progress.ts';
import { AnalysisError } from '../../../contract/errors.ts';
import type { TracePath } from '../../../contract/trace.ts';
import type { Bytes } from '../../../measure/lhr/measured.ts';
import type { HostConditions } from '../../../measure/lhr/to-result.ts';
import type { AuditOptions, LocalAnalyser } from '../../../measure/lighthouse/pool.ts';
import type { JudgedPage, ReadPage } from '../../../measure/lighthouse/read-page.ts';
import type { FleetDatabase } from '../../database.ts';
import type { Notices } from '../../notices.ts';
import { type AuditJob, type Notice, toTopic } from '../messages.ts';
import { claimJobs, giveBack, renewClaims } from './claimed-rows.ts';
import { type Claim, createClaims } from './claims.ts';
import { type Delivery, deliver } from './deliver.ts';

export type Taker = {
  readonly running: number;
  /** Returns the median duration of the last audits here, in milliseconds; undefined before the first one. */
  stayMs(): number | undefined;
  /** Polls immediately. */
  wake(): void;
  /** Ends a cancelled job. */
  cancel(id: string): void;
  /** Takes no more jobs. */
  stop(): void;
  /** Resolves when no job is running. */
  whenIdle(): Promise<void>;
};

export type TakerSettings = {
  instance: string;
  slots: number;
  queueName: string;
  database: Pick<FleetDatabase, 'query'>;
  notices: Pick<Notices, 'publish'>;
  /** Max duration of one audit, including retries of the pool. */
  longestMs: number;
  pool: Pick<LocalAnalyser, 'audit'>;
  /** Detects a failure of the page in Lighthouse's result, so that the audit is retried here. */
  checkPage: (job: AuditJob) => ReadPage<object>;
  /** Registers artifacts that another instance needs, until they are released. */
  holdArtifacts: (artifacts: string, owner: string) => string;
  releaseArtifacts: (artifacts: string) => Promise<void>;
  /** Undefined if tracing is off. */
  tracePath?: Pick<TracePath, 'within'> | undefined;
  suspect: () => void;
  log: (event: string, facts: Record<string, unknown>) => void;
};

type Raw = JudgedPage & { bytes: Bytes; conditions: HostConditions };
type Ended = Delivery & { artifacts: string | undefined };

/** Polling interval, in case notices are lost. The jitter prevents machines from polling at the same time. */
const pollMs = () => 1_500 + Math.random() * 1_000;
const remembered = 20;

/** Returns whether a load may be disturbed. If so, its result is parsed here, to decide about a repeat. */
const mayBeDisturbed = ({ processorWait }: HostConditions): boolean =>
  processorWait === null || processorWait.without !== undefined || processorWait.paintWaitMs !== undefined;

/** Returns whether a result may contain Lighthouse's runtime error. */
const mayHaveFailed = (bytes: Bytes): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('"runtimeError"');

const toFailure = (error: unknown): AnalysisError =>
  error instanceof AnalysisError
    ? error
    : new AnalysisError('internal', 'The audit failed on the machine that ran it. Its log shows the cause.', {
        source: 'lighthouse',
        cause: error,
      });

export function createTaker(settings: TakerSettings): Taker {
  const { instance, slots, database, notices, pool, checkPage, holdArtifacts, releaseArtifacts, suspect, log } =
    settings;
  const { queueName, longestMs, tracePath } = settings;
  const claims = createClaims({ renew: jobs => renewClaims(database, instance, jobs), longestMs, suspect });
  const stays: number[] = [];
  let isStopped = false;
  let taking: Promise<void> | undefined;
  let isAskedAgain = false;
  let pollTimer: NodeJS.Timeout | undefined;

  const freeSlots = (): number => (claims.hasExclusive ? 0 : slots - claims.size);

  const readRaw =
    (job: AuditJob): ReadPage<Raw> =>
    async (bytes, conditions) => {
      // The owner parses the whole result. Parsing it here is worthwhile only if it may lead to a retry.
      if (!mayHaveFailed(bytes) && !mayBeDisturbed(conditions)) return { bytes, conditions };
      const page = await checkPage(job)(bytes, conditions);
      return 'failure' in page ? (page as never) : { result: (page as JudgedPage).result, bytes, conditions };
    };

  async function measure({ job, signal }: Claim): Promise<Ended> {
    const { owner, client, request, keepArtifacts, wantsProgress, trace } = job.data;
    const tell = (stage: AuditStage) =>
      void notices.publish(toTopic(owner), { job: job.id, event: 'progress', stage } satisfies Notice);
    const { attempt } = job;
    const onProgress: AuditOptions['onProgress'] = progress => progress.event === 'progress' && tell(progress.stage);
    const told = wantsProgress ? onProgress : undefined;
    // The slot of the previous audit may still be cleaned up, even if no other audit may wait for it.
    const options = { keepArtifacts, client, isAdmitted: true, onProgress: told };
    const audit = () => pool.audit(request, readRaw(job.data), signal, options);
    try {
      const { value, artifacts, repeated } = await (tracePath ? tracePath.within(trace, audit) : audit());
      const held = artifacts === undefined ? undefined : holdArtifacts(artifacts, owner);
      const { conditions, bytes } = value;
      return { outcome: { conditions, attempt, artifacts: held, repeated }, bytes, artifacts };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AnalysisError)) log('an audit of the fleet failed', { err: error });
      return { outcome: { failure: toFailure(error).toPlain() }, bytes: undefined, artifacts: undefined };
    }
  }

  const isShutdown = ({ outcome }: Ended): boolean => 'failure' in outcome && outcome.failure.code === 'shutting_down';

  async function run(claim: Claim): Promise<void> {
    const since = performance.now();
    let artifacts: string | undefined;
    try {
      const ended = await measure(claim);
      artifacts = ended.artifacts;
      // This machine is shutting down, but another one can still run the audit.
      if (isShutdown(ended)) return await giveBack(database, instance, claim.job);
      await deliver(settings, claim, ended);
      if ('conditions' in ended.outcome) stays.push(Math.round(performance.now() - since));
      if (stays.length > remembered) stays.shift();
    } catch (error) {
      log('an audit of the fleet was abandoned', { err: error, job: claim.job.id });
      if (artifacts !== undefined) await releaseArtifacts(artifacts);
    } finally {
      claims.remove(claim);
      wake();
    }
  }

  async function take(): Promise<void> {
    const free = freeSlots();
    if (isStopped || free <= 0) return;
    const sentAt = performance.now();
    const jobs = await claimJobs(database, { queueName, worker: instance, atMost: free });
    for (const claim of jobs.map(job => claims.add(job, sentAt))) void run(claim);
  }

  async function takeAll(): Promise<void> {
    do {
      isAskedAgain = false;
      await take().catch(suspect);
    } while (isAskedAgain && !isStopped);
  }

  function wake(): void {
    clearTimeout(pollTimer);
    if (isStopped) return;
    pollTimer = setTimeout(wake, pollMs()).unref();
    if (taking) {
      isAskedAgain = true;
      return;
    }
    if (freeSlots() <= 0) return;
    taking = takeAll().finally(() => {
      taking = undefined;
    });
  }

  return {
    get running() {
      return claims.size;
    },
    stayMs: () => stays.toSorted((a, b) => a - b)[Math.floor(stays.length / 2)],
    wake,
    cancel: claims.cancel,
    stop() {
      isStopped = true;
      clearTimeout(pollTimer);
    },
    async whenIdle() {
      await taking;
      await claims.whenNone();
    },
  };
}
