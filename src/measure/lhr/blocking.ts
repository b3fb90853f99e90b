import { detailsOf, rowsOf, tableOf } from '../../contract/result/details.ts';
import type { Lhr } from './lhr.ts';

/** Long tasks beyond 50 ms, as counted by total blocking time. */
export type Blocking = {
  totalMs: number;
  /** Blocking time in tasks other than scripts: layout, images, or other work on the machine. */
  withoutScriptMs: number;
  /** Whether most of the main thread's work belongs to the page: script, layout, markup, painting. */
  isOfPage: boolean;
};

const toNumber = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;

/** Threshold in the definition of total blocking time. */
const quantumMs = 50;

const ownGroups: ReadonlySet<unknown> = new Set([
  ...['scriptEvaluation', 'scriptParseCompile', 'styleLayout', 'parseHTML', 'paintCompositeRender'],
]);

function isOwnWork(lhr: Lhr): boolean {
  const groups = rowsOf(lhr, 'mainthread-work-breakdown').map(({ group, duration }) => ({
    ms: toNumber(duration),
    isOwn: ownGroups.has(group),
  }));
  const sum = groups.reduce((all, { ms }) => all + ms, 0);
  return groups.reduce((all, { ms, isOwn }) => all + (isOwn ? ms : 0), 0) > sum / 2;
}

/** Returns how much blocking time is not caused by scripts; null if a result lacks the data. */
export function toBlocking(lhr: Lhr): Blocking | null {
  const items = tableOf(detailsOf(lhr, 'long-tasks'));
  const total = lhr.audits['total-blocking-time']?.numericValue;
  if (!items || typeof total !== 'number') return null;
  const shares = new Map(
    rowsOf(lhr, 'bootup-time').map(({ url, scripting, total: all }) => [
      url,
      toNumber(scripting) / (toNumber(all) || 1),
    ]),
  );
  const tasks = items.map(({ url, duration }) => ({
    ms: Math.max(0, toNumber(duration) - quantumMs),
    isScript: (shares.get(url) ?? 0) >= 0.5,
  }));
  const sum = tasks.reduce((all, { ms }) => all + ms, 0);
  const without = tasks.reduce((all, { ms, isScript }) => all + (isScript ? 0 : ms), 0);
  // By definition, long tasks before the first contentful paint do not block.
  return {
    totalMs: total,
    withoutScriptMs: sum === 0 ? 0 : (total * without) / sum,
    isOfPage: isOwnWork(lhr),
  };
}

/** Min blocking time that is considered: less does not cost a point. */
const leastBlockingMs = 100;

/** Returns whether most of a load's blocking time is not caused by scripts. */
export const isStrange = (blocking: Blocking | null): blocking is Blocking =>
  blocking !== null && blocking.totalMs >= leastBlockingMs && blocking.withoutScriptMs >= blocking.totalMs / 2;
