/**
 * Decides which phases of audits may run at the same time on one machine. Two page loads on two processors disturb each
 * other, and so does a load that shares them with Lighthouse's computations: the score would then not be the page's. So
 * a load has the processors to itself, while another audit gathers artifacts without timing.
 * docs/internals/measurement.md, "One slot and two", has the figures.
 */

/**
 * - `load`: the page loads, with all timing.
 * - `gather`: screenshot, accessibility, back/forward cache. It mostly waits, in a browser of low priority.
 * - `compute`: Lighthouse audits the artifacts, or a browser starts.
 * - `alone`: a whole audit on a machine that does nothing else.
 */
export type Phase = 'load' | 'gather' | 'compute' | 'alone';

type Waiting = { phase: Phase; admit: () => void };

/** Returns whether a phase may begin while the others run. */
const isCompatible = (phase: Phase, running: readonly Phase[], loadsAtOnce: number): boolean => {
  if (running.length === 0) return true;
  if (phase === 'alone' || running.includes('alone')) return false;
  if (loadsAtOnce > 1) return phase !== 'load' || running.filter(other => other === 'load').length < loadsAtOnce;
  if (phase === 'load') return running.every(other => other === 'gather');
  return phase === 'gather' || !running.includes('load');
};

/** The passage of one audit through the phases: it is in one phase at a time, or between two. */
export type Passage = {
  /**
   * Leaves the previous phase and waits until the next one may begin. An audit that runs alone stays alone.
   * @throws the signal's reason
   */
  enter(phase: Phase, signal: AbortSignal): Promise<void>;
  /** A load that waits for the network lets another begin. When it continues, it does not wait for the other one. */
  rest(isAtRest: boolean): void;
  leave(): void;
};

/** Creates the phases for all audits of this machine. @param loadsAtOnce 1, unless there are processors for more */
export function createPhases(loadsAtOnce: number): { begin(): Passage } {
  const running = new Set<{ phase: Phase }>();
  const queue: Waiting[] = [];

  const admitNext = () => {
    // Phases that end an audit precede those that start one. While an audit waits to be alone, no load starts.
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
