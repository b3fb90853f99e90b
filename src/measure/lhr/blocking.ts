import { detailsOf, rowsOf, tableOf } from '../../contract/result/details.ts';
import type { Lhr } from './lhr.ts';
import { longTasksOf, toNumber } from './values.ts';

const ownGroups: ReadonlySet<unknown> = new Set([
  ...['scriptEvaluation', 'scriptParseCompile', 'styleLayout', 'parseHTML', 'paintCompositeRender'],
]);

function isOwnWork(lhr: Lhr): boolean {
  let [own, all] = [0, 0];
  for (const { group, duration } of rowsOf(lhr, 'mainthread-work-breakdown')) {
    const ms = toNumber(duration) ?? 0;
    all += ms;
    if (ownGroups.has(group)) own += ms;
  }
  return own > all / 2;
}

/** Returns how much blocking time is not caused by scripts; null if a result lacks the data. */
export function toBlocking(lhr: Lhr) {
  const total = lhr.audits['total-blocking-time']?.numericValue;
  if (!tableOf(detailsOf(lhr, 'long-tasks')) || typeof total !== 'number') return null;
  const scripts = new Set(
    rowsOf(lhr, 'bootup-time')
      .filter(({ scripting, total: all }) => (toNumber(scripting) ?? 0) / (toNumber(all) || 1) >= 0.5)
      .map(({ url }) => url),
  );
  let [sum, without] = [0, 0];
  for (const { url, ms } of longTasksOf(lhr)) {
    sum += ms;
    if (!scripts.has(url)) without += ms;
  }
  // By definition, long tasks before the first contentful paint do not block.
  return {
    totalMs: total,
    /** Blocking time in tasks other than scripts: layout, images, or other work on the machine. */
    withoutScriptMs: sum === 0 ? 0 : (total * without) / sum,
    /** Whether most of the main thread's work belongs to the page: script, layout, markup, painting. */
    isOfPage: isOwnWork(lhr),
  };
}
type Blocking = NonNullable<ReturnType<typeof toBlocking>>;

/** Min blocking time that is considered: less does not cost a point. */
const leastBlockingMs = 100;

/** Returns whether most of a load's blocking time is not caused by scripts. */
export const isStrange = (blocking: Blocking | null): blocking is Blocking =>
  blocking !== null && blocking.totalMs >= leastBlockingMs && blocking.withoutScriptMs >= blocking.totalMs / 2;
