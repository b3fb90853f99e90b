/** Jobs that run on this machine. They belong to it while its heartbeats are confirmed. */
import { ownLeaseMs, touchMs } from '../messages.ts';
import type { ClaimedJob } from './claimed-rows.ts';

export type Claim = {
  readonly job: ClaimedJob;
  /** Aborts when this worker loses the job, or the job is cancelled. */
  readonly signal: AbortSignal;
  readonly isHeld: boolean;
};

export type Claims = {
  readonly size: number;
  /** Whether one of them runs alone on the machine. */
  readonly hasExclusive: boolean;
  /** @param sentAt time when the claim was requested, by `performance.now()` */
  add(job: ClaimedJob, sentAt: number): Claim;
  remove(claim: Claim): void;
  /** Ends a cancelled job. */
  cancel(id: string): void;
  /** Resolves when no job is running. */
  whenNone(): Promise<void>;
};

/** Ends work without an answer, because another worker has the job or it was cancelled. */
export class NotOurs extends Error {}

type OwnClaim = Claim & { control: AbortController; touchedAt: number; claimedAt: number };

const checkMs = 500;

export type ClaimSettings = {
  /** @returns the ids of the jobs that this worker still owns */
  renew: (jobs: readonly ClaimedJob[]) => Promise<ReadonlySet<unknown>>;
  /** Duration after which an audit counts as hung. */
  longestMs: number;
  suspect: () => void;
};

export function createClaims({ renew, longestMs, suspect }: ClaimSettings): Claims {
  const claims = new Map<string, OwnClaim>();
  let timer: NodeJS.Timeout | undefined;
  let touchedAt = 0;
  let isTouching = false;
  let none = Promise.withResolvers<void>();
  none.resolve();

  async function touch(): Promise<void> {
    const sentAt = performance.now();
    touchedAt = sentAt;
    const touched = [...claims.values()];
    try {
      const ours = await renew(touched.map(({ job }) => job));
      for (const claim of touched) {
        if (ours.has(claim.job.id)) claim.touchedAt = sentAt;
        else claim.control.abort(new NotOurs('The job was cancelled, or another worker has it.'));
      }
    } catch {
      suspect();
    }
  }

  /**
   * Ends jobs that are lost or have hung, and sends a heartbeat if it is due. This runs first after a pause of the
   * process.
   */
  const check = (): void => {
    for (const { isHeld, control, claimedAt } of claims.values()) {
      if (!isHeld) control.abort(new NotOurs('The worker has sent no heartbeat for too long.'));
      else if (performance.now() - claimedAt > longestMs) control.abort(new NotOurs('The audit has hung.'));
    }
    if (isTouching || performance.now() - touchedAt < touchMs) return;
    isTouching = true;
    void touch().finally(() => {
      isTouching = false;
    });
  };

  return {
    get size() {
      return claims.size;
    },
    get hasExclusive() {
      return [...claims.values()].some(({ job }) => job.data.request.exclusive === true);
    },
    add(job, sentAt) {
      const control = new AbortController();
      const claim: OwnClaim = {
        job,
        control,
        signal: control.signal,
        touchedAt: sentAt,
        claimedAt: sentAt,
        get isHeld() {
          return !control.signal.aborted && performance.now() - claim.touchedAt < ownLeaseMs;
        },
      };
      if (claims.size === 0) none = Promise.withResolvers();
      claims.set(job.id, claim);
      timer ??= setInterval(check, checkMs);
      return claim;
    },
    remove(claim) {
      // The same job may have been claimed here again, as another attempt.
      if (claims.get(claim.job.id) === claim) claims.delete(claim.job.id);
      if (claims.size > 0) return;
      clearInterval(timer);
      timer = undefined;
      none.resolve();
    },
    cancel: id => claims.get(id)?.control.abort(new NotOurs('The client disconnected.')),
    whenNone: () => none.promise,
  };
}
