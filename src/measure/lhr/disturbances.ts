import { rowsOf } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import type { DeniableMetric, Disturbance, DisturbanceKind } from '../../contract/result/runs.ts';
import { isStrange, toBlocking } from './blocking.ts';
import type { Lhr } from './lhr.ts';
import { toPercent } from './metrics.ts';
import { observedOf, toNumber } from './values.ts';

type Environment = Result['environment'];

/** Share of the usual benchmark index below which a machine counts as slow. An idle machine varies less. */
const slowShare = 0.6;

/** Returns whether the machine was far slower than usual. */
export const wasSlow = ({ benchmark_index: index, benchmark_median: usual }: Environment): boolean =>
  typeof index === 'number' && typeof usual === 'number' && index < slowShare * usual;

/** Min differences in points and milliseconds. Two loads on an idle machine often differ by less. */
const least = { points: 3, blockingMs: 100 };

/**
 * Returns whether tasks waited longer for a CPU than other programs ran: if so, they waited for the browser's own
 * processes.
 */
const isOwnWait = ({ processor_wait: wait }: Environment): boolean =>
  wait?.others_ms !== undefined && wait.others_ms < wait.main_thread_ms;

type ScoreAndBlocking = { score: number | null | undefined; blockingMs: number | null | undefined };

/** Returns the score of a load whose tasks never waited for a CPU; undefined if it is about the same, or unknown. */
export function toWithoutWait(
  { score, blockingMs }: ScoreAndBlocking,
  { processor_wait: wait }: Pick<Environment, 'processor_wait'>,
): { waitedMs: number; performance: number; blockingMs: number; lost: number } | undefined {
  if (!wait?.without || typeof score !== 'number' || typeof blockingMs !== 'number') return undefined;
  const { performance, total_blocking_time: left } = wait.without;
  const lost = performance - score;
  if (lost < least.points && blockingMs - left < least.blockingMs) return undefined;
  return { waitedMs: wait.main_thread_ms, performance, blockingMs: left, lost };
}

/** A disturbance of a load, with its sentence for users. */
type FoundDisturbance = {
  readonly kind: DisturbanceKind;
  readonly denied: readonly DeniableMetric[];
  readonly without?: {
    readonly performance: number;
    readonly blockingMs: number;
    readonly paints: Readonly<Record<string, number>> | undefined;
  };
  readonly sentence: string;
};

const blockingMetrics = ['total_blocking_time', 'interactive'] as const;
const paintMetrics = ['first_contentful_paint', 'largest_contentful_paint', 'speed_index', 'interactive'] as const;

const sayIndex = (index: number | null): string => Math.round(index ?? 0).toLocaleString('en-US');

const besideOne = 'while another audit ran on this machine';

const sayOthers = ({ concurrent_audits: count }: Environment): string =>
  count ? ` ${count === 1 ? besideOne : `while ${count} other audits ran on this machine`}` : '';

/**
 * Rewords the warnings of a result that ran at the same time as the other half of its comparison. Other texts are
 * unchanged.
 */
export const nameOtherHalf = ({ warnings }: Pick<Result, 'warnings'>): string[] =>
  warnings.map(warning => warning.replace(besideOne, 'while the other half of this comparison ran on this machine'));

function findSlowMachine(_: Lhr, environment: Environment): FoundDisturbance | undefined {
  const { benchmark_index: index, benchmark_median: usual = null } = environment;
  if (!wasSlow(environment)) return undefined;
  return {
    kind: 'slow_machine',
    denied: ['first_contentful_paint', 'largest_contentful_paint', 'total_blocking_time', 'speed_index', 'interactive'],
    sentence: `This run may have been disturbed: the machine was slower than usual (benchmark index ${sayIndex(index)}, usually ${sayIndex(usual)}), so times may be too long.`,
  };
}

/**
 * Returns the metrics that a wait for a CPU made unreliable.
 * @param later paints that it delayed; undefined if unknown
 */
function toDenied(isBlocking: boolean, later: Readonly<Record<string, number>> | undefined): readonly DeniableMetric[] {
  const delayed = paintMetrics.filter(name => later?.[name] !== undefined);
  if (!isBlocking && delayed.length === 0) return paintMetrics;
  return [...(isBlocking ? blockingMetrics : (['interactive'] as const)), ...delayed];
}

function findWait(lhr: Lhr, environment: Environment): FoundDisturbance | undefined {
  const score = toPercent(lhr.categories.performance?.score);
  const blockingMs = lhr.audits['total-blocking-time']?.numericValue;
  const without = toWithoutWait({ score, blockingMs }, environment);
  if (!without) return undefined;
  const paints = environment.processor_wait?.without?.later_paints;
  // A task before the first paint delays the paint, but blocks nothing.
  const isBlocking = without.blockingMs !== Math.round(blockingMs ?? 0);
  const blocked = isBlocking
    ? `Total Blocking Time is ${without.blockingMs} ms instead of ${Math.round(blockingMs ?? 0)} ms, and `
    : '';
  return {
    kind: 'processor_wait',
    denied: toDenied(isBlocking, paints),
    without: { ...without, paints },
    sentence: `This run was disturbed: main-thread tasks waited ${without.waitedMs} ms for a CPU${isOwnWait(environment) ? '' : sayOthers(environment)}. Without that wait, ${blocked}performance ${without.performance === score ? `still scores ${score}` : `scores ${without.performance} instead of ${score}`}.`,
  };
}

/**
 * Finds long tasks without scripts. The check is skipped if the load was simulated without its known wait for a CPU,
 * which is more exact.
 */
function findStrangeTasks(lhr: Lhr, environment: Environment): FoundDisturbance | undefined {
  const { processor_wait: wait = null, throttling_method: method, concurrent_audits: beside = null } = environment;
  if (beside === null || (wait !== null && method === 'simulate')) return undefined;
  const blocking = toBlocking(lhr);
  if (!isStrange(blocking) || (blocking.isOfPage && !wasSlow(environment))) return undefined;
  return {
    kind: 'tasks_without_script',
    denied: blockingMetrics,
    sentence: `This run was disturbed: the page blocked for ${Math.round(blocking.totalMs)} ms without long scripts${sayOthers(environment)}, so the score may be too low.`,
  };
}

/** Headless Chrome paints some loads this much later than the page is ready (GoogleChrome/lighthouse#17148). */
const leastLateMs = 1000;
/** Request types that no paint waits for. */
const unseenTypes: ReadonlySet<unknown> = new Set(['Ping', 'Preflight', 'CSPViolationReport', 'Preload']);

/**
 * Returns the time between the end of the last pending request or script and the first contentful paint, in
 * milliseconds. A late paint is normal for a page that fetches its content after the load event, or reveals it by
 * script.
 */
function toPaintDelay(lhr: Lhr, { paint_wait_ms: sinceScript }: Environment): number {
  const { load, firstPaint: paint } = observedOf(lhr);
  if (load === null || paint === null) return 0;
  let readyMs = load;
  for (const { networkEndTime, endTime, resourceType } of rowsOf(lhr, 'network-requests')) {
    const end = toNumber(networkEndTime) ?? toNumber(endTime);
    if (end !== null && end <= paint && end > readyMs && !unseenTypes.has(resourceType)) readyMs = end;
  }
  return Math.min(paint - readyMs, sinceScript ?? Number.POSITIVE_INFINITY);
}

function findLatePaint(lhr: Lhr, environment: Environment): FoundDisturbance | undefined {
  const delayMs = toPaintDelay(lhr, environment);
  if (delayMs < leastLateMs) return undefined;
  return {
    kind: 'late_paint',
    denied: paintMetrics,
    sentence: `This run was disturbed: the browser painted the page ${(delayMs / 1000).toFixed(1)} s after it had loaded, so its paint times are too long and the score is too low.`,
  };
}

/**
 * Returns how much other work on the machine disturbed a load, in milliseconds: the wait for a CPU, Total Blocking Time
 * if scripts do not explain most of it, and the paint delay. Values are comparable only between loads of one page. 0
 * for an undisturbed load, and if a repeat would not help: the only disturbance is a slow machine, or a wait for the
 * browser's own processes.
 */
export function toDisturbedMs({
  disturbance,
  environment,
  metrics,
}: Pick<Result, 'disturbance' | 'environment' | 'metrics'>): number {
  const disturbedMs: Readonly<Record<DisturbanceKind, number>> = {
    processor_wait: isOwnWait(environment) ? 0 : (environment.processor_wait?.main_thread_ms ?? 0),
    tasks_without_script: metrics.total_blocking_time.value ?? 0,
    late_paint: environment.paint_wait_ms ?? leastLateMs,
    slow_machine: 0,
  };
  return (disturbance?.kinds ?? []).reduce((sum, kind) => sum + disturbedMs[kind], 0);
}

export type Disturbances = {
  /** Null if the analyser does not report what else ran on its machine, and no disturbance was found. */
  readonly disturbed: boolean | null;
  readonly disturbance?: Disturbance;
  /** Sentences for users; empty for an undisturbed run. */
  readonly sentences: readonly string[];
};

/** Finds disturbances of a load: whether it was disturbed, which metrics are unreliable, and sentences for users. */
export function toDisturbances(lhr: Lhr, environment: Environment): Disturbances {
  // Certain disturbances come before likely ones, and those with numbers first.
  const found = [findWait, findStrangeTasks, findLatePaint, findSlowMachine].flatMap(
    find => find(lhr, environment) ?? [],
  );
  const isWatched = typeof environment.concurrent_audits === 'number';
  if (found.length === 0) return { disturbed: isWatched ? false : null, sentences: [] };
  // The score without the wait is known only if there is no other disturbance.
  const without = found.length === 1 ? found[0]?.without : undefined;
  return {
    disturbed: true,
    disturbance: {
      kinds: found.map(({ kind }) => kind),
      denied: [...new Set(found.flatMap(({ denied }) => denied))],
      performance: without?.performance ?? null,
      total_blocking_time: without?.blockingMs ?? null,
      ...(without?.paints ? { paints: without.paints } : {}),
    },
    sentences: found.map(({ sentence }) => sentence),
  };
}
