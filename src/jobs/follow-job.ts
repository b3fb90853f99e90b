/** The events of a job from one on, and what comes while it runs. The last one is made of the job itself. */
import type { SqlDatabase } from '../storage/database/sql.ts';
import type { Changes } from './changes.ts';
import { isEnded, type JobEvent } from './job.ts';
import { listEvents } from './sql/page-rows.ts';
import { type JobState, toLastEvent } from './to-answer.ts';

export type FollowedEvent = { number: number; event: string; data: string };

/** Also without a word from anybody: another instance may be the one that works. */
const lookMs = 1500;
const readAtOnce = 500;
/** How long what one reader saw serves the others: many readers of a job cost the database hardly more than one. */
const sharedMs = 700;

/** What one look at a job found. */
type Look = {
  readonly state: Promise<JobState | undefined>;
  /** Events after this number. The state is no newer than they are. */
  eventsAfter(number: number): Promise<JobEvent[]>;
};

export type Looks = {
  at(jobId: string): Look;
  /** The job has changed: the next reader looks again. */
  forget(jobId: string): void;
};

/** The readers of a job share what they read of it. */
export function createLooks(database: SqlDatabase, readState: (jobId: string) => Promise<JobState | undefined>): Looks {
  const looks = new Map<string, Look>();

  const create = (jobId: string): Look => {
    const state = readState(jobId);
    const events = new Map<number, Promise<JobEvent[]>>();
    return {
      state,
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
      const last = looks.get(jobId);
      if (last) return last;
      const look = create(jobId);
      looks.set(jobId, look);
      const forget = () => void (looks.get(jobId) === look && looks.delete(jobId));
      setTimeout(forget, sharedMs).unref();
      look.state.catch(forget);
      return look;
    },
    forget: jobId => void looks.delete(jobId),
  };
}

export type FollowParts = { looks: Looks; changes: Changes };

/** @param after the number of the last event that the reader has; 0 for none */
export async function* followJob(
  { looks, changes }: FollowParts,
  jobId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent> {
  let last = after;
  // From before the first look on: what changes in between is not missed.
  const watch = changes.watch(jobId);
  try {
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
      if (events.length === 0) await watch.next(lookMs, signal);
    }
  } finally {
    watch.close();
  }
}

/** Whether a reader that has this event has them all. */
export async function hasAllEvents(looks: Looks, jobId: string, after: number): Promise<boolean> {
  const look = looks.at(jobId);
  const state = await look.state;
  if (!state || !isEnded(state.job)) return false;
  const [stored] = await look.eventsAfter(Math.max(0, after - 1));
  return after > 0 && stored === undefined;
}
