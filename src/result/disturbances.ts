import type { Result } from '../contract/result/result.ts';
import { isStrange, toBlocking } from './blocking.ts';
import type { Lhr } from './lhr.ts';
import { toPercent } from './scores.ts';

type Environment = Result['environment'];

/** One machine, left alone, gives indices that differ less. */
const slowShare = 0.6;

/** Whether the machine was far slower than it usually is. */
export const wasSlow = ({ benchmark_index: index, benchmark_usual: usual }: Environment): boolean =>
  typeof index === 'number' && typeof usual === 'number' && index < slowShare * usual;

/** Two loads on a quiet machine often differ by less, in points and in milliseconds of blocking time. */
const least = { points: 3, blockingMs: 100 };

type Measured = { score: number | null | undefined; blockingMs: number | null | undefined };

/** What a load is where its tasks have a processor at once; undefined where that is about the same, or not told. */
export function toWithoutWait(
  { score, blockingMs }: Measured,
  { processor_wait: wait }: Environment,
): { waitedMs: number; performance: number; blockingMs: number; lost: number } | undefined {
  if (!wait?.without || typeof score !== 'number' || typeof blockingMs !== 'number') return undefined;
  const { performance, total_blocking_time: left } = wait.without;
  const lost = performance - score;
  if (lost < least.points && blockingMs - left < least.blockingMs) return undefined;
  return { waitedMs: wait.main_thread_ms, performance, blockingMs: left, lost };
}

const sayIndex = (index: number | null): string => Math.round(index ?? 0).toLocaleString('en-US');

const sayOthers = (count: number): string =>
  ` while ${count === 1 ? 'another audit' : `${count} other audits`} ran on this machine`;

function sayWait(lhr: Lhr, environment: Environment, others: string): string[] {
  const score = toPercent(lhr.categories.performance?.score);
  const blockingMs = lhr.audits['total-blocking-time']?.numericValue;
  const without = toWithoutWait({ score, blockingMs }, environment);
  return without
    ? [
        `This run was disturbed: the page waited ${without.waitedMs} ms for a processor${others}. Without that this load has ${without.blockingMs} ms of blocking time, not ${Math.round(blockingMs ?? 0)}, and scores performance ${without.performance}, not ${score}.`,
      ]
    : [];
}

/** Where the wait is known, and the load simulated without it, nothing has to be concluded from long tasks. */
function sayStrangeTasks(lhr: Lhr, environment: Environment, others: string): string[] {
  const { processor_wait: wait = null, throttling_method: method, concurrent_audits: beside = null } = environment;
  if (beside === null || (wait !== null && method === 'simulate')) return [];
  const blocking = toBlocking(lhr);
  return isStrange(blocking) && (!blocking.isOfPage || wasSlow(environment))
    ? [
        `This run was disturbed: it has ${Math.round(blocking.totalMs)} ms of blocking time without long scripts${others}, so the score may be too low.`,
      ]
    : [];
}

/** What disturbed a run that was measured here, in sentences for a person; empty for a quiet one. */
export function sayDisturbances(lhr: Lhr, environment: Environment): string[] {
  const { benchmark_index: index, benchmark_usual: usual = null, concurrent_audits: beside } = environment;
  const others = beside ? sayOthers(beside) : '';
  return [
    ...(wasSlow(environment)
      ? [
          `This run may have been disturbed: when the machine was timed it was slower than usual (benchmark index ${sayIndex(index)}, usually ${sayIndex(usual)}), so times may be too long.`,
        ]
      : []),
    ...sayWait(lhr, environment, others),
    ...sayStrangeTasks(lhr, environment, others),
  ];
}
