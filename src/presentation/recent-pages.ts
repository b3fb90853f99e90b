/** Pages that were measured lately, each with its last score and how it came to it. */

import type { Strategy } from '../contract/names.ts';
import type { KeptFacts } from '../contract/stored/kept.ts';

export type RecentPage = {
  readonly id: string;
  readonly url: string;
  readonly source: 'psi' | 'lighthouse';
  readonly strategy: Strategy;
  readonly measuredAt: string;
  /** Null where Lighthouse gave none. */
  readonly score: number | null;
  /** Its load was disturbed: the score is not the page's. */
  readonly isDisturbed: boolean;
  /** Performance scores of undisturbed loads, oldest first. */
  readonly trend: readonly number[];
};

const maxPages = 8;
const maxTrend = 20;

/** Newest first, each page once for each side and strategy. @param results as `/results` lists them: newest first */
export function toRecentPages(results: readonly KeptFacts[]): RecentPage[] {
  const groups = new Map<string, [KeptFacts, ...KeptFacts[]]>();
  for (const result of results) {
    if (result.kind !== 'result' || result.source === 'compare') continue;
    const key = JSON.stringify([result.url, result.source, result.strategy]);
    const known = groups.get(key);
    if (known) known.push(result);
    else groups.set(key, [result]);
  }
  return [...groups.values()].slice(0, maxPages).map(([last, ...earlier]) => ({
    id: last.id,
    url: last.url,
    source: last.source as RecentPage['source'],
    strategy: last.strategy,
    measuredAt: last.fetched_at,
    score: last.scores.performance ?? null,
    isDisturbed: last.disturbed === true,
    trend: [last, ...earlier]
      .filter(({ disturbed }) => disturbed !== true)
      .slice(0, maxTrend)
      .flatMap(({ scores }) => scores.performance ?? [])
      .toReversed(),
  }));
}
