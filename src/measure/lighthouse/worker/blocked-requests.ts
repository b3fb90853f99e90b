/** Counts the requests that the browser blocked, by pattern. */
import type { Artifacts } from 'lighthouse';
import { matchesPattern } from '../../../contract/experiments/url-patterns.ts';

/** Returns the number of blocked requests for each pattern, including those that blocked none. */
export function countBlocked(log: Artifacts['DevtoolsLog'], patterns: readonly string[]): Record<string, number> {
  const urls = new Map<string, string>();
  const blocked = new Set<string>();
  for (const { method, params } of log) {
    if (method === 'Network.requestWillBeSent') urls.set(params.requestId, params.request.url);
    if (method === 'Network.loadingFailed' && params.blockedReason === 'inspector') blocked.add(params.requestId);
  }
  const stopped = [...blocked].flatMap(id => urls.get(id) ?? []);
  return Object.fromEntries(
    patterns.map(pattern => [pattern, stopped.filter(url => matchesPattern(url, pattern)).length]),
  );
}
