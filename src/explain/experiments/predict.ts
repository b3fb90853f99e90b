/** Predicts the effect of a variant from a what-if that removes the same requests. */

import type { Prediction } from '../../contract/experiments/answer.ts';
import type { PrimaryMetric } from '../../contract/experiments/names.ts';
import type { Variant } from '../../contract/experiments/request.ts';
import { matchesPattern } from '../../contract/experiments/url-patterns.ts';
import { isCustomMetricName } from '../../contract/names.ts';
import type { WhatIf } from '../../contract/stored/what-if.ts';
import { withoutQuery } from '../../contract/without-query.ts';

/** A request of a stored load, with Lighthouse's name of its entity. */
export type SentRequest = { readonly url: string; readonly entity: string | null };

export type Predicted = { readonly whatIf: WhatIf; readonly requests: readonly SentRequest[] };

export const unpredicted = (reason: string): Prediction => ({ difference: null, result: null, reason });

/** Returns why a variant has no prediction; undefined if it only blocks requests. */
export function unpredictableOf({ name: _, block, ...changes }: Variant): string | undefined {
  const isOther = Object.values(changes).some(change => change !== null && Object.keys(change).length > 0);
  return isOther || !block?.length ? 'Only the effect of blocked requests is predicted.' : undefined;
}

const urlsOf = ({ name }: WhatIf['third_parties']['items'][number], requests: readonly SentRequest[]): string[] =>
  requests.filter(({ url, entity }) => url === name || entity === name).map(({ url }) => url);

/** @param block patterns of a variant that only blocks requests */
export function toPrediction(
  { whatIf, requests }: Predicted,
  block: readonly string[],
  metric: PrimaryMetric,
): Prediction {
  const { id: result, base, third_parties, scripts } = whatIf;
  if (metric === 'server_response_time')
    return { ...unpredicted('The simulation does not change the server.'), result };
  if (isCustomMetricName(metric)) return { ...unpredicted('Custom metrics are not simulated.'), result };
  const isBlocked = (url: string) => block.some(pattern => matchesPattern(url, pattern));
  const blocked = new Set(requests.map(({ url }) => url).filter(isBlocked));
  if (blocked.size === 0) return { ...unpredicted('The stored load contains none of the blocked requests.'), result };
  const removal = [...third_parties.items, ...scripts.items].find(item => {
    const urls = new Set(urlsOf(item, requests));
    return urls.size === blocked.size && [...urls].every(url => blocked.has(url));
  });
  if (!removal)
    return { ...unpredicted('The blocked requests are not exactly those of one third party or script.'), result };
  const { predicted, reason } = removal;
  if (!predicted) return { ...unpredicted(reason ?? 'Its removal cannot be predicted.'), result };
  // The difference of two rounded scores may be a point off.
  const difference = metric === 'performance' ? predicted.points : predicted.without[metric] - base[metric];
  return { difference, result, reason: null };
}

/**
 * Returns patterns that block the requests of a removal, and no others of the load: a third party by host, or a script.
 * @returns an empty array if there are none
 */
export function toBlockPatterns(
  removal: WhatIf['third_parties']['items'][number],
  requests: readonly SentRequest[],
): string[] {
  const urls = urlsOf(removal, requests).filter(url => URL.canParse(url));
  const isScript = urls.includes(removal.name);
  // The query is omitted if possible, because many URLs have a different one in each load.
  const toCandidates = (url: string) => (isScript ? [withoutQuery(url), url] : [`://${new URL(url).host}/`]);
  const isExact = (pattern: string) => requests.every(({ url }) => urls.includes(url) || !matchesPattern(url, pattern));
  const patterns = urls.map(url => toCandidates(url).find(isExact));
  return patterns.every(pattern => pattern !== undefined) ? [...new Set(patterns)] : [];
}

const longestName = 100;

/** Returns a name for the variant without a removal. The end of a long URL distinguishes it better than its start. */
function toName({ name }: WhatIf['third_parties']['items'][number]): string {
  const whole = `without ${name}`;
  return whole.length <= longestName ? whole : `without …${name.slice(whole.length - longestName + 1)}`;
}

/** Converts the best removals of a what-if to variants, without those that no allowed patterns block alone. */
export function toPromising(
  { whatIf, requests }: Predicted,
  count: number,
  isAllowed: (pattern: string) => boolean,
): { name: string; block: string[] }[] {
  const { third_parties, scripts } = whatIf;
  return [...third_parties.items, ...scripts.items]
    .filter(({ predicted }) => (predicted?.points ?? 0) > 0)
    .toSorted((a, b) => (b.predicted?.points ?? 0) - (a.predicted?.points ?? 0))
    .map(removal => ({ name: toName(removal), block: toBlockPatterns(removal, requests) }))
    .filter(({ block }) => block.length > 0 && block.every(isAllowed))
    .slice(0, count);
}
