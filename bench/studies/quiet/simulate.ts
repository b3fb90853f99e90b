/**
 * How long a list of recorded loads takes on a machine of any size: the real phases, with a simulated clock. It assumes
 * that a load takes as long as alone, and that a browser is ready for each audit.
 */
import { setImmediate as settle } from 'node:timers/promises';
import { createPhases } from '../../../src/measure/lighthouse/phases.ts';
import type { LoadTimeline } from './load-timeline.ts';
import { kindsAfter, toQuietAt } from './quiet-moment.ts';

/** Time without requests and CPU work before a rest: 500 ms, and half the interval of the checks. */
const quietMs = 625;

/** Durations of an audit in milliseconds. `quiet` is the part of the load in which its page needs no CPU. */
export type AuditParts = {
  readonly busy: number;
  readonly quiet: number;
  readonly gather: number;
  readonly compute: number;
};

/** A page that wakes in its quiet is remembered, so nothing starts in it. */
export function toParts(load: LoadTimeline): AuditParts {
  const { setup, finish, gather, compute } = load.phases;
  const quietAt = toQuietAt(load, quietMs);
  const isUsable = quietAt !== undefined && !kindsAfter(load, quietAt).includes('long task');
  const busy = setup + (isUsable ? quietAt : load.end + finish);
  return { busy, quiet: setup + load.end + finish - busy, gather, compute };
}

/** A clock that jumps to the next event when nothing else is left to do. */
function createClock() {
  const timers = new Set<{ at: number; fire: () => void }>();
  let now = 0;
  return {
    get now() {
      return now;
    },
    /** @returns a function that cancels the timer, and the time that is left */
    after(ms: number, fire: () => void): () => number {
      const timer = { at: now + ms, fire };
      timers.add(timer);
      return () => {
        timers.delete(timer);
        return timer.at - now;
      };
    },
    async run(): Promise<void> {
      await settle();
      while (timers.size > 0) {
        const next = [...timers].reduce((first, timer) => (timer.at < first.at ? timer : first));
        timers.delete(next);
        now = next.at;
        next.fire();
        await settle();
      }
    },
  };
}

export type Machine = { readonly processors: number; readonly slots: number; readonly usesQuiet: boolean };

/** Returns the time of a list in seconds. */
export async function simulateList(
  audits: readonly AuditParts[],
  { processors, slots, usesQuiet }: Machine,
): Promise<number> {
  const clock = createClock();
  const phases = createPhases(processors / 2);
  const never = new AbortController().signal;
  const left = [...audits];
  const pass = (ms: number) => new Promise<void>(resolve => void clock.after(ms, resolve));

  async function measure({ busy, quiet, gather, compute }: AuditParts): Promise<void> {
    let [isPaused, isGathering, leftMs] = [false, false, gather];
    const gathered = Promise.withResolvers<void>();
    let stop = () => leftMs;
    const goOn = () => {
      stop = clock.after(leftMs, gathered.resolve);
    };
    const passage = phases.begin(paused => {
      isPaused = paused;
      if (!isGathering) return;
      if (paused) leftMs = stop();
      else goOn();
    });
    await passage.enter('load', never);
    await pass(busy);
    if (usesQuiet) passage.rest(true);
    await pass(quiet);
    await passage.enter('gather', never);
    isGathering = true;
    if (!isPaused) goOn();
    await gathered.promise;
    await passage.enter('compute', never);
    await pass(compute);
    passage.leave();
  }

  const slot = async () => {
    for (let audit = left.shift(); audit; audit = left.shift()) await measure(audit);
  };
  const all = Promise.all(Array.from({ length: slots }, slot));
  await clock.run();
  await all;
  return clock.now / 1000;
}
