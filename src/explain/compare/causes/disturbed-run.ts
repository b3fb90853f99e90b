/** Finds evidence that other work on the machine delayed the page. */

import type { Result } from '../../../contract/result/result.ts';
import { isStrange } from '../../../measure/lhr/blocking.ts';
import { toWithoutWait, wasSlow } from '../../../measure/lhr/disturbances.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { leastStatedPoints } from '../constants.ts';
import { type Fact, type FoundCause, fact } from '../evidence.ts';
import { tidy } from '../phrases.ts';
import { ranTogether } from '../side.ts';
import { carries, type RestFacts, type Told } from './rest-facts.ts';

const isBusy = ({ environment }: Result): boolean => (environment.concurrent_audits ?? 0) > 0;

const toWithoutScript = ({ load: { blocking } }: SideFacts): number | null =>
  blocking && Math.round(blocking.withoutScriptMs);

const toIndices = ([psi, lighthouse]: RestFacts['results']): Fact[] =>
  (['benchmark_index', 'benchmark_median'] as const).map(name =>
    fact(name, psi.environment[name] ?? null, lighthouse.environment[name] ?? null),
  );

const toBlockingEvidence = ([psi, lighthouse]: RestFacts['facts']): Fact =>
  fact('blocking_without_script_ms', toWithoutScript(psi), toWithoutScript(lighthouse));

/** Describes concurrent audits. If the two runs of a comparison overlapped, each counts the other. */
const sayOtherAudits = (results: RestFacts['results']): string => {
  const counts = results.map(({ environment }) => environment.concurrent_audits ?? 0);
  const others = Math.max(...counts) - (ranTogether(results) ? 1 : 0);
  const halves = 'Both runs of this comparison shared this machine';
  const end = 'which may have made tasks longer in one run.';
  if (!ranTogether(results)) return `Another audit ran on this machine at the same time, ${end}`;
  return others > 0
    ? `${halves} with ${others === 1 ? 'another audit' : `${others} other audits`}, ${end}`
    : `${halves}, ${end} Use exclusive=true to run them one after the other.`;
};

/** Returns the side with fewer points. */
const slowerOf = (rest: number): 0 | 1 => (rest < 0 ? 1 : 0);

/** Returns whether the side with fewer points has a simulated load with a measured wait for a CPU. */
export const isWaitMeasured = ({ results }: RestFacts, rest: number): boolean => {
  const { processor_wait: wait, throttling_method: method } = results[slowerOf(rest)].environment;
  return typeof wait?.main_thread_ms === 'number' && (method ?? 'simulate') === 'simulate';
};

/**
 * Returns the points that the measured wait for a CPU cost, at most the rest: the same load was simulated without it.
 * The cost of the wait on the other side is subtracted.
 * @returns undefined if the wait was not measured, or is negligible
 */
export function toMeasuredWait({ facts, results }: RestFacts, rest: number): (Told & { points: number }) | undefined {
  const at = slowerOf(rest);
  const [own, other] = [results[at], results[at === 0 ? 1 : 0]].map(({ scores, metrics, environment }) =>
    toWithoutWait({ score: scores.performance, blockingMs: metrics.total_blocking_time.value }, environment),
  );
  const lost = own ? Math.max(0, own.lost - (other?.lost ?? 0)) : 0;
  if (!own || lost < leastStatedPoints) return undefined;
  const [psi, lighthouse] = results.map(({ environment }) => environment.processor_wait?.main_thread_ms ?? null);
  return {
    cause: 'disturbed_run',
    certainty: 'observed',
    points: Math.sign(rest) * Math.min(Math.abs(rest), lost),
    evidence: [fact('processor_wait_ms', psi ?? null, lighthouse ?? null)],
    explanation: `The page waited ${own.waitedMs} ms for a CPU ${facts[at].where}. Without that wait, the same load scores ${own.performance} instead of ${own.performance - own.lost}.`,
  };
}

/** Returns whether garbage collection explains at least half of the blocking time. */
const isGarbage = ({ load, throttling }: SideFacts, { totalMs }: { totalMs: number }): boolean =>
  (load.garbageMs ?? 0) * throttling.cpuSlowdownMultiplier >= totalMs / 2;

/** Returns signs that other work on the machine made tasks longer, for a run whose wait was not measured. */
export function toDisturbance(given: RestFacts, rest: number): Told | undefined {
  const { facts, results, split, isSameMachine } = given;
  if (!carries(split, ['total_blocking_time'], rest)) return undefined;
  const at = slowerOf(rest);
  const { blocking } = facts[at].load;
  const { where } = facts[at];
  const evidence = [
    toBlockingEvidence(facts),
    fact(
      'concurrent_audits',
      results[0].environment.concurrent_audits ?? null,
      results[1].environment.concurrent_audits ?? null,
    ),
  ];
  if (isStrange(blocking) && !blocking.isOfPage && !isGarbage(facts[at], blocking))
    return {
      cause: 'disturbed_run',
      certainty: 'observed',
      evidence,
      explanation: `The run ${where} has ${Math.round(blocking.totalMs)} ms of blocking time without long scripts: other processes or the browser itself used the CPU.`,
    };
  if (wasSlow(results[at].environment))
    return {
      cause: 'disturbed_run',
      certainty: 'possible',
      evidence: [...evidence, ...toIndices(results)],
      explanation: `The machine was far slower than usual during the run ${where}, which may have made tasks longer.`,
    };
  if (!isSameMachine || !(results.some(isBusy) || ranTogether(results))) return undefined;
  return {
    cause: 'disturbed_run',
    certainty: 'possible',
    evidence,
    explanation: sayOtherAudits(results),
  };
}

/** Returns late paints of a run during which the machine was far slower than usual. */
export function toLatePaints({ facts, results, split }: RestFacts, rest: number): Told | undefined {
  const at = slowerOf(rest);
  if (!carries(split, ['first_contentful_paint', 'largest_contentful_paint', 'speed_index'], rest)) return undefined;
  if (!wasSlow(results[at].environment)) return undefined;
  return {
    cause: 'disturbed_run',
    certainty: 'possible',
    evidence: toIndices(results),
    explanation: `The machine was far slower than usual during the run ${facts[at].where}, which may have delayed painting.`,
  };
}

/**
 * Returns whether the cost of CPU throttling is doubtful: most blocking time is outside scripts, and either it is not
 * work of the page or the machine was slow.
 */
export const isDoubtful = ({ facts: [, lighthouse], results: [, own] }: RestFacts): boolean =>
  isStrange(lighthouse.load.blocking) && (!lighthouse.load.blocking.isOfPage || wasSlow(own.environment));

/** Splits the cost of CPU throttling into the measured wait, which never exceeds it, and the remainder. */
const splitByWait = (given: RestFacts, cpu: FoundCause, cost: number): FoundCause[] => {
  const wait = toMeasuredWait(given, cost);
  if (!wait) return [cpu];
  const { points, ...told } = wait;
  return [
    { category: 'performance', evidence: [], ...told, points: tidy(points, 1) },
    { ...cpu, points: tidy(cost - points, 1) },
  ];
};

/**
 * Attributes the cost of CPU throttling to a disturbed run: the measured wait, or all of it if no wait was measured. A
 * measured wait of the local load does not explain why it is faster.
 */
export function toDoubted(given: RestFacts, cpu: FoundCause): FoundCause[] {
  if (isWaitMeasured(given, cpu.points ?? -1)) return splitByWait(given, cpu, cpu.points ?? 0);
  return given.results[1].environment.processor_wait ? [cpu] : toWhollyDoubted(given, cpu);
}

const toWhollyDoubted = (given: RestFacts, cpu: FoundCause): FoundCause[] => [
  {
    cause: 'disturbed_run',
    category: 'performance',
    points: cpu.points,
    certainty: 'possible',
    evidence: [toBlockingEvidence(given.facts)],
    explanation: `The local load scores differently with the CPU throttling ${given.facts[0].where}, but its long tasks are not work of the page: other processes on the machine may have caused them.`,
  },
  {
    ...cpu,
    points: null,
    certainty: 'observed',
    explanation: `${cpu.explanation} The effect on this page is unknown.`,
  },
];
