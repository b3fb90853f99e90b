import { detailsOf, rowsOf, tableOf } from '../../contract/result/details.ts';
import type { Lhr } from './lhr.ts';

/** Long tasks beyond what a page may take at a time, as total blocking time counts them. */
export type Blocking = {
  totalMs: number;
  /** In tasks that are no script's: layout, pictures, or other work on the machine. */
  withoutScriptMs: number;
  /** Whether most of the main thread's work is the page's own: script, layout, markup, painting. */
  isOfPage: boolean;
};

const toNumber = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;

/** What blocks is beyond this, by the definition of total blocking time. */
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

/** How much of the blocking time is no script's; null if a result does not say. */
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
  // Long tasks before the first paint do not block, by the definition.
  return {
    totalMs: total,
    withoutScriptMs: sum === 0 ? 0 : (total * without) / sum,
    isOfPage: isOwnWork(lhr),
  };
}

/** Less blocking time than this costs no point. */
const leastBlockingMs = 100;

/** Blocking time of a load that is no script's, where it is most of it. */
export const isStrange = (blocking: Blocking | null): blocking is Blocking =>
  blocking !== null && blocking.totalMs >= leastBlockingMs && blocking.withoutScriptMs >= blocking.totalMs / 2;
