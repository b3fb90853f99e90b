import type { HostConditions } from '../lhr/to-result.ts';

/** What Lighthouse measures before each audit, for a second: how fast this machine is. */
type Benchmark = { index: number; takenAt: number; concurrentAudits: number };

/** An audit under way, as far as the machine is concerned. */
export type Load = {
  /** The benchmark index to put into the result; undefined: Lighthouse takes it now. */
  readonly benchmarkIndex: number | undefined;
  /** What was measured in quiet before it, oldest first. */
  readonly quietIndices: readonly number[];
  /**
   * Once more does nothing.
   * @param index what stands in the result; absent: there is none
   * @param before what was measured just before that, to know more than one
   */
  end(
    index?: number,
    before?: readonly number[],
  ): Pick<HostConditions, 'benchmarkTakenAt' | 'benchmarkConcurrentAudits' | 'concurrentAudits' | 'benchmarkUsual'>;
};

/** A machine does not change its speed from audit to audit. Other work on it does, for as long as that runs. */
const freshMs = 60_000;
/** One that was taken in quiet is better than one taken next to another audit, for so long. */
const mostAgeMs = 15 * 60_000;
/** Of so many the median is what is usual here; of fewer than three nothing is. */
const remembered = 21;
const enoughToKnow = 3;

/**
 * Knows how many audits run at once, and how fast the machine was when it was last measured: about once a minute, by an
 * audit that runs alone. A second of the processor for each audit is saved, and the audits next to it are left in
 * peace.
 */
export function createMachineLoad(now: () => number = Date.now) {
  const running = new Set<{ concurrent: number }>();
  let last: Benchmark | undefined;
  /** What was measured in quiet, latest last. */
  const quiet: number[] = [];

  const remember = (benchmark: Benchmark) => {
    last = benchmark;
    if (benchmark.concurrentAudits > 0) return;
    quiet.push(benchmark.index);
    if (quiet.length > remembered) quiet.shift();
  };

  const usual = (): number | null =>
    quiet.length < enoughToKnow ? null : (quiet.toSorted((a, b) => a - b)[quiet.length >> 1] ?? null);

  const isUsable = (benchmark: Benchmark, isAlone: boolean): boolean => {
    const age = now() - benchmark.takenAt;
    const hasOthers = !isAlone && running.size > 1;
    if (age < freshMs) return benchmark.concurrentAudits === 0 || hasOthers;
    return benchmark.concurrentAudits === 0 && age < mostAgeMs && hasOthers;
  };

  return {
    /** @param isAlone all others wait until this audit has ended: it does not run next to them */
    begin(isAlone = false): Load {
      const audit = { concurrent: isAlone ? 0 : running.size };
      if (!isAlone) {
        for (const other of running) other.concurrent = Math.max(other.concurrent, running.size);
        running.add(audit);
      }
      const known = last && isUsable(last, isAlone) ? last : undefined;
      const startedAt = now();
      const besides = audit.concurrent;
      return {
        benchmarkIndex: known?.index,
        quietIndices: [...quiet],
        end(index, before = []) {
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
