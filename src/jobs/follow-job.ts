/** The events of a job from one on, and what comes while it runs. The last one is made of the job itself. */
import type { SqlDatabase } from '../results/sql/database.ts';
import type { Changes } from './changes.ts';
import { isEnded } from './job.ts';
import { listEvents } from './sql/event-rows.ts';
import { type JobState, toLastEvent } from './to-answer.ts';

export type FollowedEvent = { number: number; event: string; data: string };

/** Also without a word from anybody: another instance may be the one that works. */
const lookMs = 1500;
const readAtOnce = 500;

export type FollowParts = {
  database: SqlDatabase;
  changes: Changes;
  readState: (jobId: string) => Promise<JobState | undefined>;
};

/** @param after the number of the last event that the reader has; 0 for none */
export async function* followJob(
  { database, changes, readState }: FollowParts,
  jobId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent> {
  let last = after;
  // From before the first look on: what changes in between is not missed.
  const watch = changes.watch(jobId);
  try {
    while (!signal.aborted) {
      const state = await readState(jobId);
      const events = await listEvents(database, jobId, { after: last, limit: readAtOnce });
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
      if (events.length === 0) await watch.next(lookMs, signal);
    }
  } finally {
    watch.close();
  }
}

/** Whether a reader that has this event has them all. */
export async function hasAllEvents(
  { database, readState }: Omit<FollowParts, 'changes'>,
  jobId: string,
  after: number,
): Promise<boolean> {
  const state = await readState(jobId);
  if (!state || !isEnded(state.job)) return false;
  const [stored] = await listEvents(database, jobId, { after: Math.max(0, after - 1), limit: 1 });
  return after > 0 && stored === undefined;
}
