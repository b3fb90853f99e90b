/**
 * Decides which phases of audits may run at the same time on one machine. Two page loads on two CPUs disturb each
 * other, and so does a load that shares them with Lighthouse's computations or the browser of another audit: the score
 * would not be that of the page. Therefore each load has two CPUs for itself until its page is quiet, and the browsers
 * of other audits are paused. docs/internals/measurement.md, "One slot and two", has the figures.
 */
import type { Rest } from './worker/browser-processes.ts';

/**
 * - `load`: the page loads, with all timing.
 * - `gather`: screenshot, accessibility, back/forward cache, in a browser of low priority.
 * - `compute`: Lighthouse audits the artifacts, or a browser starts.
 * - `alone`: a browser start and a load, with no other audit on this machine.
 */
export type Phase = 'load' | 'gather' | 'compute' | 'alone';

/**
 * CPUs that a phase needs. `rest` is a load that waits for the network, or whose page is quiet. A load that has been
 * quiet for a while is `late`: another load would meet the end of its trace, which takes CPU time.
 */
const processorsOf = { load: 2, compute: 1, gather: 0, rest: 0, late: 1, alone: 2 } as const;

/** Time after the start of a quiet in which another load may start. Most pages are painted after a second. */
const lateMs = 1_000;

/** A running audit. */
type Held = { phase: Phase | 'rest' | 'late'; isPaused: boolean; readonly onPause: OnPause };
type Waiting = { phase: Phase; admit: () => void };

/** Called when other audits pause the browser of an audit that gathers, and when it may resume. */
type OnPause = (isPaused: boolean) => void;

const sumOf = (running: readonly Held['phase'][]): number =>
  running.reduce((sum, phase) => sum + processorsOf[phase], 0);

/** Returns whether a phase may start while the others run. */
const isCompatible = (phase: Phase, running: readonly Held['phase'][], processors: number): boolean => {
  if (phase === 'gather') return true;
  if (phase === 'alone' || running.includes('alone')) return running.every(other => other === 'gather');
  return sumOf(running) + processorsOf[phase] <= processors;
};

/** The progress of one audit through the phases. It is in one phase at a time, or between two. */
export type Passage = {
  /**
   * Leaves the previous phase and waits until the next one may start. An audit in phase `alone` remains alone until it
   * gathers.
   * @throws the signal's reason
   */
  enter(phase: Phase, signal: AbortSignal): Promise<void>;
  /**
   * Reports whether a load needs no CPU for now. If so, another phase may start in its place. When this load continues,
   * it does not wait for the other.
   */
  rest(isAtRest: boolean, kind?: Rest): void;
  /** Leaves the phase, or stops waiting for one: `enter` then rejects. */
  leave(): void;
};

/** Creates the phases for all audits of this machine. @param loadsAtOnce 1, unless there are enough CPUs for more */
export function createPhases(loadsAtOnce: number): { begin(onPause?: OnPause): Passage } {
  const processors = loadsAtOnce * processorsOf.load;
  const running = new Set<Held>();
  const queue: Waiting[] = [];

  const admitNext = () => {
    // Phases that end an audit come before those that start one. While an audit waits to be alone, no load starts.
    const inOrder = queue.toSorted((a, b) => rank(a.phase) - rank(b.phase));
    for (const waiting of inOrder) {
      const phases = [...running].map(({ phase }) => phase);
      if (isCompatible(waiting.phase, phases, processors)) {
        queue.splice(queue.indexOf(waiting), 1);
        waiting.admit();
      } else if (waiting.phase === 'alone') return;
    }
  };

  /** Pauses all audits that gather while loads need all CPUs. */
  const pauseOthers = () => {
    const phases = [...running].map(({ phase }) => phase);
    const loads = phases.filter(phase => phase === 'load');
    const isFull = phases.includes('alone') || sumOf(loads) >= processors;
    for (const held of running) pause(held, isFull && held.phase === 'gather');
  };
  const change = () => {
    admitNext();
    pauseOthers();
  };

  return {
    begin(onPause = () => {}) {
      let held: Held | undefined;
      let lateness: NodeJS.Timeout | undefined;
      /** Ends the wait for a phase. */
      let withdraw: ((reason: unknown) => void) | undefined;
      const release = () => {
        if (!held) return;
        running.delete(held);
        pause(held, false);
        held = undefined;
        change();
      };
      return {
        leave() {
          withdraw?.(new Error('the audit ended while it waited for a phase'));
          release();
        },
        rest(isAtRest, kind) {
          const resting = held;
          if (!resting || (resting.phase === 'load') !== isAtRest) return;
          if (resting.phase !== 'load' && resting.phase !== 'rest' && resting.phase !== 'late') return;
          clearTimeout(lateness);
          resting.phase = isAtRest ? 'rest' : 'load';
          if (isAtRest && kind === 'quiet')
            lateness = setTimeout(() => {
              if (resting.phase === 'rest') resting.phase = 'late';
            }, lateMs).unref();
          change();
        },
        async enter(phase, signal) {
          signal.throwIfAborted();
          if (held?.phase === 'alone' && phase !== 'gather') return;
          const { promise, resolve, reject } = Promise.withResolvers<void>();
          const waiting: Waiting = {
            phase,
            admit: () => {
              held = { phase, isPaused: false, onPause };
              running.add(held);
              resolve();
            },
          };
          withdraw = reason => {
            const place = queue.indexOf(waiting);
            if (place === -1) return;
            queue.splice(place, 1);
            reject(reason);
            change();
          };
          const onAbort = () => withdraw?.(signal.reason);
          queue.push(waiting);
          if (held) release();
          else change();
          signal.addEventListener('abort', onAbort, { once: true });
          await promise.finally(() => signal.removeEventListener('abort', onAbort));
        },
      };
    },
  };
}

function pause(held: Held, isPaused: boolean): void {
  if (held.isPaused === isPaused) return;
  held.isPaused = isPaused;
  held.onPause(isPaused);
}

const rank = (phase: Phase): number => ({ gather: 0, compute: 1, alone: 2, load: 3 })[phase];
