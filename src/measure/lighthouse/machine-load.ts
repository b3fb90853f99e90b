import type { HostConditions } from '../lhr/to-result.ts';

/** Benchmark that Lighthouse runs for a second before each audit: how fast this machine is. */
type Benchmark = { index: number; takenAt: number; concurrentAudits: number };

/** Load of the machine during an audit. */
export type Load = {
  /** Benchmark index for the result; undefined if Lighthouse should measure it now. */
  readonly benchmarkIndex: number | undefined;
  /** Indices that were measured on an idle machine before it, oldest first. */
  readonly quietIndices: readonly number[];
  /**
   * Ends the load; a second call has no effect.
   * @param index benchmark index of the result; absent if there is none
   * @param before additional indices measured just before it
   */
  end(
    index?: number,
    before?: readonly number[],
  ): Pick<HostConditions, 'benchmarkTakenAt' | 'benchmarkConcurrentAudits' | 'concurrentAudits' | 'benchmarkUsual'>;
};

/**
 * How long an index stays valid: the speed of a machine does not change from audit to audit, but other work lasts for a
 * while.
 */
const freshMs = 60_000;
/** How long an index from an idle machine is preferred to one measured during another audit. */
const mostAgeMs = 15 * 60_000;
/** Number of indices for the median; fewer than three have none. */
const remembered = 21;
const enoughToKnow = 3;

/**
 * Tracks how many audits run at once, and how fast the machine was when last measured: about once a minute, by an audit
 * that runs alone. This saves each audit a second of processor time, and does not disturb others.
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

  const usual = (): number | null =>
    quiet.length < enoughToKnow ? null : (quiet.toSorted((a, b) => a - b)[quiet.length >> 1] ?? null);

  const isUsable = (benchmark: Benchmark, isAlone: boolean): boolean => {
    const age = now() - benchmark.takenAt;
    const hasOthers = !isAlone && running.size > 1;
    if (age < freshMs) return benchmark.concurrentAudits === 0 || hasOthers;
    return benchmark.concurrentAudits === 0 && age < mostAgeMs && hasOthers;
  };

  return {
    /** @param isAlone all others wait until this audit has ended */
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
