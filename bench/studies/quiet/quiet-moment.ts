/** Pure: when a page is quiet, and what comes after it. */
import type { LoadTimeline } from './load-timeline.ts';

/** A task of this length is long, and Lighthouse's wait for a quiet CPU starts again. */
const longMs = 50;

/**
 * Returns when a page is quiet: it has painted and loaded, and for this time no request was in flight and no task was
 * longer than 50 ms.
 * @returns undefined if Lighthouse stopped waiting before that
 */
export function toQuietAt(load: LoadTimeline, forMs: number): number | undefined {
  const busy = [
    ...load.tasks.filter(({ ms }) => ms >= longMs).map(({ at, ms }) => ({ at, end: at + ms })),
    ...load.requests,
  ].toSorted((one, other) => one.at - other.at);
  let since = Math.max(load.firstPaint, load.load);
  for (const { at, end } of busy) {
    if (at >= since + forMs) break;
    since = Math.max(since, end);
  }
  const quietAt = since + forMs;
  return quietAt < load.end ? quietAt : undefined;
}

/** Events that a result depends on, by what they change. */
export const eventKinds = {
  'long task': ({ tasks }: LoadTimeline) => tasks.filter(({ ms }) => ms >= longMs).map(({ at, ms }) => at + ms),
  'task, long if simulated': ({ tasks }: LoadTimeline) => tasks.map(({ at, ms }) => at + ms),
  'layout shift': ({ shifts }: LoadTimeline) => shifts,
  'LCP candidate': ({ paints }: LoadTimeline) => paints,
  'visual change': ({ lastChange }: LoadTimeline) => [lastChange],
  request: ({ requests }: LoadTimeline) => requests.flatMap(({ at, end }) => [at, end]),
} as const satisfies Record<string, (load: LoadTimeline) => readonly number[]>;
export type EventKind = keyof typeof eventKinds;
export const kindNames = Object.keys(eventKinds) as EventKind[];

/** Returns the time of the last event before Lighthouse stops waiting; undefined if there is none. */
export function lastOf(load: LoadTimeline, kind: EventKind): number | undefined {
  const times = eventKinds[kind](load).filter(at => at <= load.end);
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** Returns the kinds of events that come after a time and before Lighthouse stops waiting. */
export const kindsAfter = (load: LoadTimeline, after: number): EventKind[] =>
  kindNames.filter(kind => (lastOf(load, kind) ?? 0) > after);

/** Returns the most CPU time that the browser used in any window of this length within a time, in milliseconds. */
export function mostCpuMs({ cpu }: LoadTimeline, from: number, to: number, windowMs: number): number {
  const within = cpu.filter(({ at }) => at >= from && at <= to);
  return Math.max(
    0,
    ...within.map(({ at, ms }) => (within.find(later => later.at >= at + windowMs) ?? within.at(-1) ?? { ms }).ms - ms),
  );
}
