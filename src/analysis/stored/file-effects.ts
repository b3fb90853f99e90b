/**
 * Simulates a load with each of its changed files as on the other side: the difference is the part that this file
 * explains.
 */

import type { AlikeLoad } from '../../explain/change/shared-conditions/alike-loads.ts';
import type { FileEffect, FoundFileChange } from '../../explain/change/shared-conditions/file-changes.ts';
import { findChanges } from '../../explain/change/shared-conditions/judge-alike.ts';
import { toFileUrl } from '../../explain/change/shared-conditions/page-relative.ts';
import type { Sides } from '../../explain/change/shared-conditions/sides.ts';
import { type PageChanges, type ReAuditSettings, wholeScore } from '../../measure/lighthouse/messages.ts';
import type { ReAuditResult } from '../../measure/lighthouse/replies.ts';

/** Max number of files that are simulated: each takes a fraction of a second. */
const mostFiles = 6;
/** Bytes of a response without content. */
const leastBytes = 300;

const scoreOf = ({ audited }: AlikeLoad): number => audited[wholeScore]?.score ?? 0;

/** Returns the index of the load in the middle of a side. */
const middleOf = (loads: readonly AlikeLoad[]): number =>
  [...loads.keys()].toSorted((one, other) => scoreOf(loads[one] as AlikeLoad) - scoreOf(loads[other] as AlikeLoad))[
    Math.floor(loads.length / 2)
  ] ?? 0;

/** Returns the ways to undo a change in a load, the best first; none if no simulation can. */
function undo({ kind, bytes, cpuMs }: FoundFileChange, url: string): Partial<PageChanges>[] {
  const [here, there] = kind === 'removed' ? (['before', 'after'] as const) : (['after', 'before'] as const);
  const scriptShares = cpuMs[here] > 0 ? { [url]: cpuMs[there] / cpuMs[here] } : {};
  const asThere = { transferSizes: { [url]: Math.max(leastBytes, Math.round(bytes[there])) }, scriptShares };
  if (kind === 'requests') return [];
  if (kind === 'work') return [{ scriptShares }];
  return kind === 'added' || kind === 'removed' ? [{ without: [url] }, asThere] : [asThere];
}

type AuditOf = (
  side: keyof Sides<unknown>,
  at: number,
  change: (settings: ReAuditSettings) => readonly ReAuditSettings[],
) => Promise<readonly ReAuditResult[] | undefined>;

function toEffect(base: ReAuditResult | undefined, undone: ReAuditResult, isBefore: boolean): FileEffect | undefined {
  const [one, other] = isBefore ? [undone, base] : [base, undone];
  const differenceOf = (id: string, key: 'score' | 'value') =>
    (one?.[id]?.[key] ?? Number.NaN) - (other?.[id]?.[key] ?? Number.NaN);
  const points = 100 * differenceOf(wholeScore, 'score');
  const [largestPaintMs, blockingMs] = ['largest-contentful-paint', 'total-blocking-time'].map(id =>
    differenceOf(id, 'value'),
  );
  if (Number.isNaN(points)) return undefined;
  return { points, largestPaintMs: largestPaintMs || 0, blockingMs: blockingMs || 0 };
}

/**
 * Returns what each of the largest changed files explains, by its name.
 * @param audit audits a load of a side with changed settings
 */
export async function toFileEffects(
  sides: Sides<readonly AlikeLoad[]>,
  audit: AuditOf,
): Promise<ReadonlyMap<string, FileEffect>> {
  const effects = new Map<string, FileEffect>();
  const changes = findChanges(sides).files.slice(0, mostFiles);
  for (const side of ['before', 'after'] as const) {
    const at = middleOf(sides[side]);
    const url = sides[side][at]?.entry.url ?? '';
    const tried = changes
      .filter(({ kind }) => (kind === 'removed') === (side === 'before'))
      .flatMap(change => undo(change, toFileUrl(change.url, url)).map(page => ({ name: change.url, page })));
    if (tried.length === 0) continue;
    const [base, ...undone] =
      (await audit(side, at, settings => [
        settings,
        ...tried.map(({ page }) => ({
          ...settings,
          page: { without: [], transferSizes: {}, scriptShares: {}, ...settings.page, ...page },
        })),
      ])) ?? [];
    for (const [index, { name }] of tried.entries()) {
      const effect = toEffect(base, undone[index] ?? {}, side === 'before');
      if (effect && !effects.has(name)) effects.set(name, effect);
    }
  }
  return effects;
}
