import type { Idempotency, JobRequest } from '../job.ts';

/** When a schedule runs: at the times of a cron expression in a time zone, or every so often since it was made. */
export type Rhythm = { cron: string; timezone: string } | { interval: string };

/** `verdict_changes`: only after a run in which a page got better or worse, failed at last, or was measured again. */
export const callbackWhens = ['always', 'verdict_changes'] as const;
export type CallbackWhen = (typeof callbackWhens)[number];

export type Schedule = {
  id: string;
  client: string;
  request: JobRequest;
  pages: number;
  rhythm: Rhythm;
  isPaused: boolean;
  callback: string | null;
  callbackWhen: CallbackWhen;
  createdAtMs: number;
  /** Null where there is no next time. */
  nextAtMs: number | null;
  lastAtMs: number | null;
  /** The job of its last run. */
  lastJobId: string | null;
  /** The last job that ended: the next one is held against it. */
  previousJobId: string | null;
  /** As of a job. */
  policy: string | null;
};

export type NewSchedule = Pick<
  Schedule,
  'id' | 'client' | 'request' | 'rhythm' | 'callback' | 'callbackWhen' | 'createdAtMs' | 'nextAtMs' | 'policy'
> & { urls: readonly string[]; idempotency?: Idempotency | undefined };
