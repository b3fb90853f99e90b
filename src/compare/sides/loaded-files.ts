/** The files of one load, by what they are called in any other load of the page. */
import { detailsOf, type Json, rowsOf, tableOf } from '../../contract/result/details.ts';
import type { Lhr } from '../../result/lhr.ts';
import { mostListed, toNumber, toText } from './values.ts';

/** One thing that the page asked for; of several under one address, all of them. */
export type LoadedFile = {
  /** Host and path, without the query: that part is often random. */
  place: string;
  host: string;
  /** As this load asked for it: with its query, and each time. */
  urls: readonly string[];
  /** As Lighthouse names it: `Script`, `Image`. */
  type: string;
  status: number | null;
  /** Unpacked, as far as the side says. */
  bytes: number;
  /** Over the network: packed, with headers. */
  transferred: number;
  /** From the request to its end; of several the longest. */
  durationMs: number | null;
  /** As the browser saw it from its place in the document; null where the side does not say. */
  priority: string | null;
  /** Time of the main thread in this script, without the slow-down that is simulated. */
  scriptMs: number;
};

/** Beacons, reports and what the browser asks for by itself say nothing of the page. */
const telling: ReadonlySet<string> = new Set([
  ...['Document', 'Stylesheet', 'Script', 'Image', 'Font', 'Media', 'XHR', 'Fetch'],
]);

const toUrl = (value: unknown): URL | undefined =>
  typeof value === 'string' && /^https?:/.test(value) ? (URL.parse(value) ?? undefined) : undefined;

/** A build, a version or a session in a path: `app.3f2ab9c1.js`. */
const variable = /[0-9a-f]{8,}|\d{5,}/gi;
const toKey = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(variable, '*')}`.slice(0, 500);

/** By key: the work of scripts, without the simulated slow-down. */
function toScriptTimes(lhr: Lhr, multiplier: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const item of rowsOf(lhr, 'bootup-time').slice(0, mostListed)) {
    const url = toUrl(item.url);
    const ms = (toNumber(item.scripting) ?? 0) / multiplier;
    if (url) times.set(toKey(url), (times.get(toKey(url)) ?? 0) + ms);
  }
  return times;
}

const isRedirect = (status: number | null): boolean => status !== null && status >= 300 && status < 400;

const toDuration = ({ networkRequestTime: from, networkEndTime: to }: Json): number | null => {
  const [begin, end] = [toNumber(from), toNumber(to)];
  return begin === null || end === null || end < begin ? null : end - begin;
};

function toFile(item: Json): (LoadedFile & { key: string }) | undefined {
  const url = toUrl(item.url);
  const status = toNumber(item.statusCode);
  if (!url || isRedirect(status) || url.pathname === '/favicon.ico') return undefined;
  const type = toText(item.resourceType);
  if (!telling.has(type)) return undefined;
  const bytes = toNumber(item.resourceSize) ?? toNumber(item.transferSize) ?? 0;
  const { host } = url;
  return {
    ...{ key: toKey(url), place: toText(`${host}${url.pathname}`), host, type, status, bytes, urls: [url.href] },
    transferred: toNumber(item.transferSize) ?? bytes,
    durationMs: toDuration(item),
    priority: toText(item.priority) || null,
    scriptMs: 0,
  };
}

export const isFailed = ({ status }: Pick<LoadedFile, 'status'>): boolean => status !== null && status >= 400;
/** Of several under one address: the failure counts. */
const worseOf = (one: LoadedFile, other: LoadedFile): number | null =>
  isFailed(other) && !isFailed(one) ? other.status : one.status;

const joinFiles = (one: LoadedFile, other: LoadedFile) => ({
  urls: [...one.urls, ...other.urls],
  bytes: one.bytes + other.bytes,
  transferred: one.transferred + other.transferred,
  durationMs: Math.max(one.durationMs ?? 0, other.durationMs ?? 0),
  status: worseOf(one, other),
});

/**
 * By a key that is the same for two loads of one page; null where the side does not say.
 * @param multiplier by which the times of the main thread are slowed down
 * @param documents URLs of the document itself, which is left out
 */
export function toFiles(
  lhr: Lhr,
  multiplier: number,
  documents: ReadonlySet<unknown>,
): ReadonlyMap<string, LoadedFile> | null {
  const items = tableOf(detailsOf(lhr, 'network-requests'));
  if (!items) return null;
  const times = toScriptTimes(lhr, multiplier);
  const files = new Map<string, LoadedFile>();
  for (const item of items.slice(0, mostListed)) {
    const file = documents.has(item.url) ? undefined : toFile(item);
    if (!file) continue;
    const { key, ...rest } = file;
    const same = files.get(key);
    files.set(key, {
      ...rest,
      scriptMs: times.get(key) ?? 0,
      ...(same ? joinFiles(same, rest) : {}),
    });
  }
  return files;
}
