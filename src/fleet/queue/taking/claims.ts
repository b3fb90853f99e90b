/** The jobs that run on this machine, and how long it may believe that they are its own: as long as it is heard. */
import { type Job, type JobQueue, ownLeaseMs, touchMs } from '../boss.ts';
import type { AuditJob } from '../job.ts';

export type Claim = {
  readonly job: Job<AuditJob>;
  /** Aborts when the job is no longer ours, or nobody wants it any more. */
  readonly signal: AbortSignal;
  readonly isHeld: boolean;
};

export type Claims = {
  readonly size: number;
  has(id: string): boolean;
  /** Whether one of them has the whole machine. */
  readonly hasExclusive: boolean;
  /** @param sentAt when the job was asked for, of `performance.now()` */
  add(job: Job<AuditJob>, sentAt: number): Claim;
  remove(id: string): void;
  /** Ends a job that nobody wants any more. */
  cancel(id: string): void;
  /** Settles when nothing runs. */
  whenNone(): Promise<void>;
};

/** Ends work without a word to whoever asked: somebody else has the job, or nobody wants it. */
export class NotOurs extends Error {}

type OwnClaim = Claim & { control: AbortController; touchedAt: number };

const checkMs = 500;

export function createClaims(queue: () => JobQueue<AuditJob> | undefined, suspect: () => void): Claims {
  const claims = new Map<string, OwnClaim>();
  let timer: NodeJS.Timeout | undefined;
  let touchedAt = 0;
  let isTouching = false;
  let none = Promise.withResolvers<void>();
  none.resolve();

  async function touch(queue: JobQueue<AuditJob>): Promise<void> {
    const sentAt = performance.now();
    touchedAt = sentAt;
    const touched = [...claims.values()];
    try {
      const ours = await queue.touch(touched.map(({ job }) => job));
      for (const claim of touched) {
        if (ours.has(claim.job.id)) claim.touchedAt = sentAt;
        else claim.control.abort(new NotOurs('The job was cancelled, or another worker has it.'));
      }
    } catch {
      suspect();
    }
  }

  /** A process that was stopped for a while comes here first, and ends what it has lost meanwhile. */
  const check = (): void => {
    for (const { isHeld, control } of claims.values())
      if (!isHeld) control.abort(new NotOurs('No sign of life has arrived for too long.'));
    const known = queue();
    if (!known || isTouching || performance.now() - touchedAt < touchMs) return;
    isTouching = true;
    void touch(known).finally(() => {
      isTouching = false;
    });
  };

  return {
    get size() {
      return claims.size;
    },
    has: id => claims.has(id),
    get hasExclusive() {
      return [...claims.values()].some(({ job }) => job.data.isExclusive);
    },
    add(job, sentAt) {
      const control = new AbortController();
      const claim: OwnClaim = {
        ...{ job, control, signal: control.signal, touchedAt: sentAt },
        get isHeld() {
          return !control.signal.aborted && performance.now() - claim.touchedAt < ownLeaseMs;
        },
      };
      if (claims.size === 0) none = Promise.withResolvers();
      claims.set(job.id, claim);
      timer ??= setInterval(check, checkMs);
      return claim;
    },
    remove(id) {
      claims.delete(id);
      if (claims.size > 0) return;
      clearInterval(timer);
      timer = undefined;
      none.resolve();
    },
    cancel: id => claims.get(id)?.control.abort(new NotOurs('Nobody wants the result any more.')),
    whenNone: () => none.promise,
  };
}
