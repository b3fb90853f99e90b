/**
 * Decides which phases of the audits of one machine may run at the same time. Two page loads on two processors disturb
 * each other, and so does a load that shares them with Lighthouse's computations: the score is then not the page's. So
 * a load has the processors to itself, while the other audit gathers what is not timed. docs/internals/measurement.md,
 * "One slot and two", has the figures.
 */

/**
 * - `load`: the page loads, and everything that is timed happens.
 * - `gather`: screenshot, accessibility, back/forward cache. It mostly waits, in a browser of low priority.
 * - `compute`: Lighthouse audits what was gathered, or a browser starts.
 * - `alone`: all of an audit, on a machine that does nothing else.
 */
export type Phase = 'load' | 'gather' | 'compute' | 'alone';

type Waiting = { phase: Phase; admit: () => void };

/** Whether a phase may begin while the others run. */
const isCompatible = (phase: Phase, running: readonly Phase[], loadsAtOnce: number): boolean => {
  if (running.length === 0) return true;
  if (phase === 'alone' || running.includes('alone')) return false;
  if (loadsAtOnce > 1) return phase !== 'load' || running.filter(other => other === 'load').length < loadsAtOnce;
  if (phase === 'load') return running.every(other => other === 'gather');
  return phase === 'gather' || !running.includes('load');
};

/** One audit on its way through the phases. It is in one phase at a time, or between two. */
export type Passage = {
  /**
   * Leaves the phase before and waits until the next one may begin. An audit that runs alone stays alone.
   * @throws the signal's reason
   */
  enter(phase: Phase, signal: AbortSignal): Promise<void>;
  /** A load that waits for the network lets another begin; when it continues, it does not wait for that one. */
  rest(isAtRest: boolean): void;
  leave(): void;
};

/** The phases of all audits of this machine. @param loadsAtOnce 1, unless there are processors for more */
export function createPhases(loadsAtOnce: number): { begin(): Passage } {
  const running = new Set<{ phase: Phase }>();
  const queue: Waiting[] = [];

  const admitNext = () => {
    // What ends an audit comes before what starts one. Behind an audit that waits to be alone, no load starts.
    const inOrder = queue.toSorted((a, b) => rank(a.phase) - rank(b.phase));
    for (const waiting of inOrder) {
      const phases = [...running].map(({ phase }) => phase);
      if (isCompatible(waiting.phase, phases, loadsAtOnce)) {
        queue.splice(queue.indexOf(waiting), 1);
        waiting.admit();
      } else if (waiting.phase === 'alone') return;
    }
  };

  return {
    begin() {
      let held: { phase: Phase } | undefined;
      const leave = () => {
        if (!held) return;
        running.delete(held);
        held = undefined;
        admitNext();
      };
      return {
        leave,
        rest(isAtRest) {
          const [from, to] = isAtRest ? (['load', 'gather'] as const) : (['gather', 'load'] as const);
          if (held?.phase !== from) return;
          held.phase = to;
          admitNext();
        },
        async enter(phase, signal) {
          signal.throwIfAborted();
          if (held?.phase === 'alone') return;
          const { promise, resolve, reject } = Promise.withResolvers<void>();
          const waiting: Waiting = {
            phase,
            admit: () => {
              held = { phase };
              running.add(held);
              resolve();
            },
          };
          const onAbort = () => {
            const place = queue.indexOf(waiting);
            if (place === -1) return;
            queue.splice(place, 1);
            reject(signal.reason);
            admitNext();
          };
          queue.push(waiting);
          if (held) leave();
          else admitNext();
          signal.addEventListener('abort', onAbort, { once: true });
          await promise.finally(() => signal.removeEventListener('abort', onAbort));
        },
      };
    },
  };
}

const rank = (phase: Phase): number => ({ gather: 0, compute: 1, alone: 2, load: 3 })[phase];
