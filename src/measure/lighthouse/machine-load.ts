import { upperMedianOf } from '../../presentation/values.ts';

/** Result of the benchmark that Lighthouse runs for a second before each audit: the speed of this machine. */
type Benchmark = { index: number; takenAt: number; concurrentAudits: number };

/** Max age of a benchmark index for reuse: other work on the machine usually continues for a while. */
const freshMs = 60_000;
/** Max age up to which an index from an idle machine is preferred to one that was measured during another audit. */
const mostAgeMs = 15 * 60_000;
/** Max number of indices for the median; with fewer than three, there is no median. */
const remembered = 21;
const enoughToKnow = 3;

/**
 * Tracks the number of running audits, and the speed of the machine when last measured: about once a minute, by an
 * audit that runs alone. This saves each audit a second of processor time, which would also disturb others.
 */
export function createMachineLoad(now: () => number = Date.now) {
  const running = new Set<{ concurrent: number }>();
  let last: Benchmark | undefined;
  /** Indices of an idle machine, newest last. */
  const quiet: number[] = [];

  const remember = (benchmark: Benchmark) => {
    last = benchmark;
    if (benchmark.concurrentAudits > 0) return;
    quiet.push(benchmark.index);
    if (quiet.length > remembered) quiet.shift();
  };

  const usual = (): number | null => (quiet.length < enoughToKnow ? null : (upperMedianOf(quiet) ?? null));

  const isUsable = (benchmark: Benchmark, isAlone: boolean): boolean => {
    // The clock may have been set back.
    const age = Math.abs(now() - benchmark.takenAt);
    const hasOthers = !isAlone && running.size > 1;
    if (age < freshMs) return benchmark.concurrentAudits === 0 || hasOthers;
    return benchmark.concurrentAudits === 0 && age < mostAgeMs && hasOthers;
  };

  return {
    /** @param isAlone whether all others wait until this audit has ended */
    begin(isAlone = false) {
      const audit = { concurrent: isAlone ? 0 : running.size };
      if (!isAlone) {
        for (const other of running) other.concurrent = Math.max(other.concurrent, running.size);
        running.add(audit);
      }
      const known = last && isUsable(last, isAlone) ? last : undefined;
      const startedAt = now();
      const besides = audit.concurrent;
      return {
        /** Benchmark index for the result; undefined if Lighthouse should measure it now. */
        benchmarkIndex: known?.index,
        /** Indices measured on an idle machine before this audit, oldest first. */
        quietIndices: [...quiet] as readonly number[],
        /**
         * Ends the load; a second call has no effect.
         * @param index benchmark index of the result; absent if there is none
         * @param before additional indices, measured just before it
         */
        end(index?: number, before: readonly number[] = []) {
          running.delete(audit);
          const taken = new Set([...before, ...(known || index === undefined ? [] : [index])]);
          for (const index of taken) remember({ index, takenAt: startedAt, concurrentAudits: besides });
          const used = known ?? { takenAt: startedAt, concurrentAudits: besides };
          return {
            benchmarkTakenAt: new Date(used.takenAt).toISOString(),
            benchmarkConcurrentAudits: used.concurrentAudits,
            concurrentAudits: audit.concurrent,
            benchmarkUsual: usual(),
          };
        },
      };
    },
  };
}
/** Load of the machine during an audit. */
export type OwnLoad = ReturnType<ReturnType<typeof createMachineLoad>['begin']>;
