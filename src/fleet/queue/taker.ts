/**
 * Takes audits of the fleet when slots are free, runs them in the pool of this machine, and delivers each outcome once.
 * An audit belongs to this machine while the heartbeats of this instance are confirmed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { AuditStage } from '../../contract/analysis/progress.ts';
import { AnalysisError } from '../../contract/errors.ts';
import type { Bytes } from '../../measure/lhr/measured.ts';
import type { HostConditions } from '../../measure/lhr/to-result.ts';
import type { AuditOptions, AuditRequest, LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import type { JudgedPage, ReadPage } from '../../measure/lighthouse/read-page.ts';
import { upperMedianOf } from '../../presentation/values.ts';
import { openSealed } from '../../storage/access/profiles.ts';
import type { Vault } from '../../storage/access/vault.ts';
import type { OwnedAudits } from '../membership.ts';
import type { FleetContext } from './context.ts';
import { type AuditJob, type AuditOutcome, type Notice, ownLeaseMs, toTopic } from './messages.ts';
import { type ClaimedJob, claimJobs, deliverOutcome, giveBack } from './statements.ts';

export type Taker = {
  readonly running: number;
  /** Returns the median duration of the last audits here, in milliseconds; undefined before the first one. */
  stayMs(): number | undefined;
  wake(): void;
  cancel(id: string): void;
  /** Returns a function that ends those of the present jobs that this instance no longer owns. */
  beforeBeat(): (owned: OwnedAudits) => void;
  /** Takes no more jobs. */
  stop(): void;
  /** Resolves when no job is running. */
  whenIdle(): Promise<void>;
};

type TakerHooks = {
  /** Registers artifacts that another instance needs, until they are released. */
  holdArtifacts: (artifacts: string, owner: string) => string;
  releaseArtifacts: (artifacts: string) => Promise<void>;
  /** Returns the time since the last confirmed heartbeat of this instance, in milliseconds. */
  silentForMs: () => number;
};

/** Ends work without an answer, because another worker has the job or it was cancelled. */
class NotOurs extends Error {}

type Claim = {
  readonly job: ClaimedJob;
  /** Aborts when this worker loses the job, or the job is cancelled. */
  readonly control: AbortController;
  readonly claimedAt: number;
};

const checkMs = 500;

type Raw = JudgedPage & { bytes: Bytes; conditions: HostConditions };
type Ended = { outcome: AuditOutcome; bytes: Bytes | undefined; artifacts: string | undefined };

/** Polling interval, in case notices are lost. The jitter prevents machines from polling at the same time. */
const pollMs = () => 1_500 + Math.random() * 1_000;
const remembered = 20;
const retryMs = 500;
const pack = promisify(gzip);

/** Returns whether a load may be disturbed. If so, its result is parsed here, to decide about a repeat. */
const mayBeDisturbed = ({ processorWait }: HostConditions): boolean =>
  processorWait === null || processorWait.without !== undefined || processorWait.paintWaitMs !== undefined;

/** Returns whether a result may contain Lighthouse's runtime error. */
const mayHaveFailed = (bytes: Bytes): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('"runtimeError"');

function openRequest({ id, data: { request, sealed } }: ClaimedJob, vault: Vault | undefined): AuditRequest {
  return sealed ? { ...request, access: JSON.parse(openSealed(vault, sealed.access, id)) } : request;
}

const toFailure = (error: unknown): AnalysisError =>
  error instanceof AnalysisError
    ? error
    : new AnalysisError('internal', 'The audit failed on the machine that ran it. Its log shows the cause.', {
        source: 'lighthouse',
        cause: error,
      });

export function createTaker(
  { instance, queueName, slots, database, notices, checkPage, timeoutMs, tracePath, vault, log }: FleetContext,
  pool: Pick<LocalAnalyser, 'audit'>,
  { holdArtifacts, releaseArtifacts, silentForMs }: TakerHooks,
): Taker {
  const { suspect } = database.availability;
  // The pool itself retries once. The last repeat of a disturbed load starts within the first time limit, and may wait
  // for another audit with its own limit. An audit that takes longer has hung.
  const longestMs = 3 * timeoutMs + 60_000;
  const claims = new Map<Claim, Promise<void>>();
  const stays: number[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let taking: Promise<void> | undefined;
  let isAskedAgain = false;
  let pollTimer: NodeJS.Timeout | undefined;

  const freeSlots = (): number =>
    [...claims.keys()].some(({ job }) => job.data.request.exclusive) ? 0 : slots - claims.size;

  const isInContact = (): boolean => silentForMs() < ownLeaseMs;
  const isHeld = ({ control }: Claim): boolean => !control.signal.aborted && isInContact();

  /** Ends jobs that are lost or have hung. This runs first after a pause of the process. */
  const check = (): void => {
    for (const { control, claimedAt } of claims.keys()) {
      if (!isInContact()) control.abort(new NotOurs('The worker has sent no heartbeat for too long.'));
      else if (performance.now() - claimedAt > longestMs) control.abort(new NotOurs('The audit has hung.'));
    }
  };

  const readRaw =
    (job: AuditJob): ReadPage<Raw> =>
    async (bytes, conditions) => {
      // The owner parses the whole result. Parsing it here is worthwhile only if it may lead to a retry.
      if (!mayHaveFailed(bytes) && !mayBeDisturbed(conditions)) return { bytes, conditions };
      const page = await checkPage(job)(bytes, conditions);
      return 'failure' in page ? (page as never) : { result: (page as JudgedPage).result, bytes, conditions };
    };

  async function measure({ job, control: { signal } }: Claim): Promise<Ended> {
    const { owner, client, keepArtifacts, wantsProgress, trace } = job.data;
    const tell = (stage: AuditStage) =>
      void notices.publish(toTopic(owner), { job: job.id, event: 'progress', stage } satisfies Notice);
    const { attempt } = job;
    const onProgress: AuditOptions['onProgress'] = progress => progress.event === 'progress' && tell(progress.stage);
    const told = wantsProgress ? onProgress : undefined;
    // The slot of the previous audit may still be cleaned up, even if no other audit may wait for it.
    const options = { keepArtifacts, client, isAdmitted: true, onProgress: told };
    const audit = () => pool.audit(openRequest(job, vault), readRaw(job.data), signal, options);
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

  /**
   * Writes the result and the end of the job in one statement. The write is retried while the database is unavailable
   * and this worker owns the job.
   * @throws NotOurs
   */
  async function deliver(claim: Claim, { outcome, bytes }: Ended): Promise<void> {
    const content = bytes ? await pack(bytes, { level: 1 }) : null;
    while (isHeld(claim)) {
      try {
        if (await deliverOutcome(database, instance, claim.job, { outcome, content })) return;
        break;
      } catch (error) {
        log('a result waits for the database', { err: error });
        suspect();
        await delay(retryMs);
      }
    }
    throw new NotOurs('The job was lost before its result was delivered.');
  }

  /** Returns an audit to the queue, unless it was cancelled or another worker has it, as soon as the database is there. */
  async function abandon({ job }: Claim): Promise<void> {
    while (!isStopped)
      try {
        return await giveBack(database, instance, job);
      } catch {
        suspect();
        await delay(retryMs);
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
      await deliver(claim, ended);
      if ('conditions' in ended.outcome) stays.push(Math.round(performance.now() - since));
      if (stays.length > remembered) stays.shift();
    } catch (error) {
      log('an audit of the fleet was abandoned', { err: error, job: claim.job.id });
      if (artifacts !== undefined) await releaseArtifacts(artifacts);
      await abandon(claim);
    } finally {
      claims.delete(claim);
      if (claims.size === 0) clearInterval(timer);
      wake();
    }
  }

  async function take(): Promise<void> {
    const free = freeSlots();
    // Another worker would take what this one claims without a heartbeat.
    if (isStopped || free <= 0 || !isInContact()) return;
    const sentAt = performance.now();
    const keys = vault?.keyIds ?? [];
    const jobs = await claimJobs(database, { queueName, worker: instance, atMost: free, keys });
    if (jobs.length === 0) return;
    clearInterval(timer);
    timer = setInterval(check, checkMs);
    for (const job of jobs) {
      const claim = { job, control: new AbortController(), claimedAt: sentAt };
      claims.set(claim, run(claim));
    }
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
    stayMs: () => upperMedianOf(stays),
    wake,
    cancel(id) {
      for (const { job, control } of claims.keys())
        if (job.id === id) control.abort(new NotOurs('The client disconnected.'));
    },
    beforeBeat() {
      const present = [...claims.keys()];
      return owned => {
        for (const { job, control } of present)
          if (owned[job.id] !== job.attempt)
            control.abort(new NotOurs('The job was cancelled, or another worker has it.'));
      };
    },
    stop() {
      isStopped = true;
      clearTimeout(pollTimer);
    },
    async whenIdle() {
      await taking;
      await Promise.all(claims.values());
    },
  };
}
