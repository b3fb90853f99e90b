/** Finds evidence that other work on the machine delayed the page. */

import { paintMetrics } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import { isStrange } from '../../../measure/lhr/blocking.ts';
import { toWithoutWait, wasSlow } from '../../../measure/lhr/disturbances.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { tidy } from '../../../presentation/values.ts';
import { leastStatedPoints } from '../constants.ts';
import { type Fact, type FoundCause, fact } from '../evidence.ts';
import { ranTogether } from '../side.ts';
import { type ComparedFacts, carries, type Told, toRule } from './cause-rule.ts';

const isBusy = ({ environment }: Result): boolean => (environment.concurrent_audits ?? 0) > 0;

const toWithoutScript = ({ load: { blocking } }: SideFacts): number | null =>
  blocking && Math.round(blocking.withoutScriptMs);

const toIndices = ([psi, lighthouse]: ComparedFacts['results']): Fact[] =>
  (['benchmark_index', 'benchmark_median'] as const).map(name =>
    fact(name, psi.environment[name] ?? null, lighthouse.environment[name] ?? null),
  );

const toBlockingEvidence = ([psi, lighthouse]: ComparedFacts['facts']): Fact =>
  fact('blocking_without_script_ms', toWithoutScript(psi), toWithoutScript(lighthouse));

/** Describes concurrent audits. If the two runs of a comparison overlapped, each counts the other. */
const sayOtherAudits = (results: ComparedFacts['results']): string => {
  const counts = results.map(({ environment }) => environment.concurrent_audits ?? 0);
  const others = Math.max(...counts) - (ranTogether(results) ? 1 : 0);
  const halves = 'Both runs of this comparison shared one machine';
  const end = 'which may have made tasks longer in one run.';
  if (!ranTogether(results)) return `Another audit ran on this machine at the same time, ${end}`;
  return others > 0
    ? `${halves} with ${others === 1 ? 'another audit' : `${others} other audits`}, ${end}`
    : `${halves}, ${end} Use exclusive=true to run them one after the other.`;
};

/** Returns the side with fewer points. */
const slowerOf = (rest: number): 0 | 1 => (rest < 0 ? 1 : 0);

/** Returns whether the side with fewer points has a simulated load with a measured wait for a CPU. */
export const isWaitMeasured = ({ results }: ComparedFacts, rest: number): boolean => {
  const { processor_wait: wait, throttling_method: method } = results[slowerOf(rest)].environment;
  return typeof wait?.main_thread_ms === 'number' && (method ?? 'simulate') === 'simulate';
};

/**
 * Returns the points that the measured wait for a CPU cost, at most the rest: the same load was simulated without it.
 * The cost of the wait on the other side is subtracted.
 * @returns undefined if the wait was not measured, or is negligible
 */
export function toMeasuredWait(
  { facts, results }: ComparedFacts,
  rest: number,
): (Told & { points: number }) | undefined {
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

/** Returns the slower side if blocking time carries the rest, and its wait was not measured. */
function findBlocked(given: ComparedFacts, rest: number) {
  if (isWaitMeasured(given, rest) || !carries(given.split, ['total_blocking_time'], rest)) return undefined;
  const at = slowerOf(rest);
  return { facts: given.facts[at], result: given.results[at] };
}

const toBlockedEvidence = ({ facts, results: [psi, lighthouse] }: ComparedFacts): Fact[] => [
  toBlockingEvidence(facts),
  fact(
    'concurrent_audits',
    psi.environment.concurrent_audits ?? null,
    lighthouse.environment.concurrent_audits ?? null,
  ),
];

/** Long tasks that are not work of the page. */
export const strangeTasks = toRule({
  cause: 'disturbed_run',
  needs: (given, rest) => {
    const { facts } = findBlocked(given, rest) ?? {};
    const blocking = facts?.load.blocking ?? null;
    const isOthers = facts && isStrange(blocking) && !blocking.isOfPage && !isGarbage(facts, blocking);
    return isOthers ? { where: facts.where, blockingMs: Math.round(blocking.totalMs) } : undefined;
  },
  weigh: 'observed',
  say: ({ where, blockingMs }, given) => ({
    evidence: toBlockedEvidence(given),
    explanation: `The run ${where} has ${blockingMs} ms of blocking time without long scripts: other processes or the browser itself used the CPU.`,
  }),
});

/** Longer tasks of a run during which the machine was far slower than usual. */
export const slowMachine = toRule({
  cause: 'disturbed_run',
  needs: (given, rest) => {
    const { facts, result } = findBlocked(given, rest) ?? {};
    return result && wasSlow(result.environment) ? facts : undefined;
  },
  weigh: 'possible',
  say: ({ where }, given) => ({
    evidence: [...toBlockedEvidence(given), ...toIndices(given.results)],
    explanation: `The machine was far slower than usual during the run ${where}, which may have made tasks longer.`,
  }),
});

export const otherAudits = toRule({
  cause: 'disturbed_run',
  needs: (given, rest) => {
    const { results, isSameMachine } = given;
    const isShared = isSameMachine && (results.some(isBusy) || ranTogether(results));
    return isShared ? findBlocked(given, rest) : undefined;
  },
  weigh: 'possible',
  say: (_found, given) => ({ evidence: toBlockedEvidence(given), explanation: sayOtherAudits(given.results) }),
});

/** Late paints of a run during which the machine was far slower than usual. */
export const latePaints = toRule({
  cause: 'disturbed_run',
  needs: (given, rest) => {
    const at = slowerOf(rest);
    const isSlow = !isWaitMeasured(given, rest) && wasSlow(given.results[at].environment);
    return isSlow && carries(given.split, paintMetrics, rest) ? given.facts[at] : undefined;
  },
  weigh: 'possible',
  say: ({ where }, { results }) => ({
    evidence: toIndices(results),
    explanation: `The machine was far slower than usual during the run ${where}, which may have delayed painting.`,
  }),
});

/** Most blocking time is outside scripts, and it is not work of the page, or the machine was slow. */
export const isDoubtful = ({ facts: [, lighthouse], results: [, own] }: ComparedFacts): boolean =>
  isStrange(lighthouse.load.blocking) && (!lighthouse.load.blocking.isOfPage || wasSlow(own.environment));

/** Splits the cost of CPU throttling into the measured wait, which never exceeds it, and the remainder. */
const splitByWait = (given: ComparedFacts, cpu: FoundCause, cost: number): FoundCause[] => {
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
export function toDoubted(given: ComparedFacts, cpu: FoundCause): FoundCause[] {
  if (isWaitMeasured(given, cpu.points ?? -1)) return splitByWait(given, cpu, cpu.points ?? 0);
  return given.results[1].environment.processor_wait ? [cpu] : toWhollyDoubted(given, cpu);
}

const toWhollyDoubted = (given: ComparedFacts, cpu: FoundCause): FoundCause[] => [
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
