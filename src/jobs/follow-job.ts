/** Streams the events of a job while it runs, from a given number on. The last event is built from the job itself. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SqlDatabase } from '../storage/database/sql.ts';
import { isEnded, type JobEvent } from './job.ts';
import { listEvents } from './statements.ts';
import { type JobState, toLastEvent } from './to-answer.ts';

export type FollowedEvent = { number: number; event: string; data: string };

/**
 * Time for which readers share one query of a job, so that many readers cost the database about as much as one. Then
 * they query again, because another instance may be working on the job.
 */
const lookMs = 1500;
const readAtOnce = 500;

/** Result of one query of a job. */
type JobLook = {
  readonly state: Promise<JobState | undefined>;
  /** Returns the events after this number. The state is never newer than these events. */
  eventsAfter(number: number): Promise<JobEvent[]>;
  /** Aborts when the job has changed, or may have. */
  readonly over: AbortController;
};

export type Looks = {
  at(jobId: string): JobLook;
  /** Ends the shared query after a change of the job, so that its readers query again. */
  changed(jobId: string): void;
};

/** Shares database reads among the readers of a job. */
export function createLooks(database: SqlDatabase, readState: (jobId: string) => Promise<JobState | undefined>): Looks {
  const looks = new Map<string, JobLook>();

  const create = (jobId: string): JobLook => {
    const state = readState(jobId);
    const events = new Map<number, Promise<JobEvent[]>>();
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), lookMs).unref();
    over.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      looks.delete(jobId);
    });
    state.catch(() => over.abort());
    return {
      state,
      over,
      eventsAfter(number) {
        const read =
          events.get(number) ?? state.then(() => listEvents(database, jobId, { after: number, limit: readAtOnce }));
        events.set(number, read);
        return read;
      },
    };
  };

  return {
    at(jobId) {
      const look = looks.get(jobId) ?? create(jobId);
      if (!look.over.signal.aborted) looks.set(jobId, look);
      return look;
    },
    changed: jobId => looks.get(jobId)?.over.abort(),
  };
}

/** @param after number of the last event that the reader has; 0 for none */
export async function* followJob(
  looks: Looks,
  jobId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent> {
  let last = after;
  while (!signal.aborted) {
    const look = looks.at(jobId);
    const [state, events] = [await look.state, await look.eventsAfter(last)];
    for (const event of events) {
      yield event;
      last = event.number;
    }
    if (!state) return;
    if (isEnded(state.job) && events.length < readAtOnce) {
      const { event, data } = toLastEvent(state);
      yield { number: last + 1, event, data: JSON.stringify(data) };
      return;
    }
    const either = AbortSignal.any([signal, look.over.signal]);
    if (events.length === 0) await delay(lookMs, undefined, { signal: either }).catch(() => {});
  }
}

/** Returns whether a reader that has this event has all of them. */
export async function hasAllEvents(looks: Looks, jobId: string, after: number): Promise<boolean> {
  const look = looks.at(jobId);
  const state = await look.state;
  if (!state || !isEnded(state.job)) return false;
  const [stored] = await look.eventsAfter(Math.max(0, after - 1));
  return after > 0 && stored === undefined;
}
