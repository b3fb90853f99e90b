import { detailsOf, type Json, rowsOf, tableOf } from '../../../contract/result/details.ts';
import { isRedirect, toFileName, withoutTokens } from '../../../presentation/file-pairs.ts';
import type { Lhr } from '../lhr.ts';
import { mostListed, toNumber, toText } from '../values.ts';

/** Files of one load, under keys that are the same in every load of the page. */

/** Resource types that describe the page, unlike beacons, reports and the browser's own requests. */
const telling: ReadonlySet<unknown> = new Set([
  ...['Document', 'Stylesheet', 'Script', 'Image', 'Font', 'Media', 'XHR', 'Fetch'],
]);

export const isTelling = ({ resourceType }: Json): boolean => telling.has(resourceType);

export const toDuration = ({ networkRequestTime: from, networkEndTime: to }: Json): number | null => {
  const [begin, end] = [toNumber(from), toNumber(to)];
  return begin === null || end === null || end < begin ? null : end - begin;
};

const toUrl = (value: unknown): URL | undefined =>
  typeof value === 'string' && /^https?:/.test(value) ? (URL.parse(value) ?? undefined) : undefined;

/** Returns the main-thread time of a script, including parsing and compiling. */
const workOf = ({ scripting, scriptParseCompile }: Json): number =>
  (toNumber(scripting) ?? 0) + (toNumber(scriptParseCompile) ?? 0);

/** Returns the main-thread time of inline scripts in the document, without simulated throttling. */
export const toDocumentScript = (lhr: Lhr, multiplier: number, documents: ReadonlySet<unknown>): number =>
  rowsOf(lhr, 'bootup-time')
    .filter(({ url }) => documents.has(url))
    .reduce((sum, row) => sum + workOf(row) / multiplier, 0);

/** Rows for the browser's own overhead. */
const browserRows: ReadonlySet<unknown> = new Set(['Browser', 'Browser GC']);

/**
 * Returns the main-thread time of scripts that Lighthouse assigns to no file, without simulated throttling: code after
 * a promise, and scripts that the page generated. Null if the result lists no main-thread time at all.
 */
export function toNamelessScript(lhr: Lhr, multiplier: number): number | null {
  const rows = tableOf(detailsOf(lhr, 'bootup-time'));
  return (
    rows
      ?.filter(({ url }) => !toUrl(url) && !browserRows.has(url) && !toText(url).startsWith('chrome-extension:'))
      .reduce((sum, row) => sum + workOf(row) / multiplier, 0) ?? null
  );
}

/** Returns script times by key, without simulated throttling. */
function toScriptTimes(lhr: Lhr, multiplier: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const item of rowsOf(lhr, 'bootup-time').slice(0, mostListed)) {
    const url = toUrl(item.url);
    const ms = workOf(item) / multiplier;
    const key = url && toFileName(url.href);
    if (key) times.set(key, (times.get(key) ?? 0) + ms);
  }
  return times;
}

/**
 * Resource types for which an aborted request counts as a failure. Requests of other types may be aborted by the page
 * or the end of the load.
 */
const steady: ReadonlySet<string> = new Set(['Stylesheet', 'Script', 'Image', 'Font']);

/** Returns the status. Lighthouse uses −1 for a request that the network refused. */
const toStatus = ({ statusCode, finished }: Json, type: string): number | null =>
  statusCode === -1 && finished !== false && steady.has(type) ? 0 : toNumber(statusCode);

/**
 * Returns whether the browser blocked a request. A blocked request has no protocol and a duration of zero, while a
 * refusal by the network takes time.
 */
const isRefused = (item: Json): boolean => toText(item.protocol) === '' && (toDuration(item) ?? Infinity) < 1;

/** Reads a request; several requests under one key are combined. */
function toFile(item: Json) {
  const url = toUrl(item.url);
  const type = toText(item.resourceType);
  const status = toStatus(item, type);
  if (!url || isRedirect(status) || url.pathname === '/favicon.ico') return undefined;
  if (!isTelling(item)) return undefined;
  const bytes = toNumber(item.resourceSize) ?? toNumber(item.transferSize) ?? 0;
  const { host } = url;
  return {
    key: toFileName(url.href),
    /** Host and path, without the query, which is often random. */
    place: toText(`${host}${url.pathname}`),
    host,
    /** Lighthouse's resource type, such as `Script` or `Image`. */
    type,
    /** HTTP status. 0 if the browser or the network refused the request; null if it was aborted or not reported. */
    status,
    /** Uncompressed size, or the transferred size if that is not reported. */
    bytes,
    /** URLs of all its requests in this load, with queries. */
    urls: [url.href] as readonly string[],
    /** Protocol in the browser's notation, such as `h2`; null if not reported. */
    protocol: toText(item.protocol).toLowerCase() || null,
    /** Transferred size: compressed, with headers. */
    transferred: toNumber(item.transferSize) ?? bytes,
    /** Whether the page's policy or a block list made the browser block it before the request. */
    isBlocked: status === 0 && isRefused(item),
    /** Whether only a worker of the page requested the file. */
    isByWorker: item.sessionTargetType === 'worker',
    /** Whether the file was still loading when the load ended. */
    isCut: item.finished === false,
    /** Time from the request to its end; the longest if there were several. */
    durationMs: toDuration(item),
    /** Initial priority in the browser; null if not reported. */
    priority: toText(item.priority) || null,
    /** Main-thread time of this script, without simulated throttling. */
    scriptMs: 0,
  };
}
export type LoadedFile = Omit<NonNullable<ReturnType<typeof toFile>>, 'key'>;

export const isFailed = ({ status }: Pick<LoadedFile, 'status'>): boolean =>
  status !== null && (status >= 400 || status === 0);
/** Returns the status of a combined file. A failure takes precedence. */
const worseOf = (one: LoadedFile, other: LoadedFile): number | null =>
  isFailed(other) && !isFailed(one) ? other.status : one.status;

/**
 * Combines two files with one key. Sizes are added only if the URLs differ, because a worker may request the same URL
 * again.
 */
const joinFiles = (one: LoadedFile, other: LoadedFile) => {
  const add = other.urls.every(url => one.urls.includes(url)) ? Math.max : (a: number, b: number) => a + b;
  return {
    urls: [...one.urls, ...other.urls],
    bytes: add(one.bytes, other.bytes),
    transferred: add(one.transferred, other.transferred),
    durationMs: one.durationMs === null ? other.durationMs : Math.max(one.durationMs, other.durationMs ?? 0),
    status: worseOf(one, other),
    isBlocked: one.isBlocked && other.isBlocked,
    isByWorker: one.isByWorker && other.isByWorker,
    isCut: one.isCut && other.isCut,
  };
};

/**
 * Returns files by a key that is the same in every load of the page; null if not reported.
 * @param multiplier CPU throttling of main-thread times
 * @param documents URLs of the document itself, which is excluded
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
      ...(same ?? rest),
      scriptMs: times.get(key) ?? 0,
      ...(same ? joinFiles(same, rest) : {}),
    });
  }
  return files;
}

/** Compares the final URLs of two loads, without parts that vary between loads. */

export const withoutHash = (url: string): string => url.split('#', 1)[0] ?? url;

/** Removes the trailing slash and query values of a URL, which rarely change the page shown. */
function toAddress(url: string): { place: string; keys: string } {
  const parsed = URL.parse(url);
  if (!parsed) return { place: url, keys: '' };
  const { protocol, host, pathname, searchParams } = parsed;
  return {
    place: `${protocol}//${host}${withoutTokens(pathname).replace(/\/$/, '')}`,
    keys: [...new Set(searchParams.keys())].toSorted().join(' '),
  };
}

/** Compares final URLs: `place` for different pages; `query` if only the names of their query parameters differ. */
export function compareAddresses(one: string, other: string): 'place' | 'query' | 'same' {
  const [first, second] = [toAddress(one), toAddress(other)];
  if (first.place !== second.place) return 'place';
  return first.keys === second.keys ? 'same' : 'query';
}
