import { type Blocking, toBlocking } from '../result/blocking.ts';
import type { Lhr } from '../result/lhr.ts';
import { withoutShard, withoutTokens } from './addresses.ts';
import { type Picture, readPicture } from './pictures.ts';

/** One thing that the page asked for; of several under one address, all of them. */
export type LoadedFile = {
  /** Host and path, without the query: that part is often random. */
  place: string;
  host: string;
  /** As this load asked for it: with its query, and each time. */
  urls: readonly string[];
  /** As Lighthouse names it: `Script`, `Image`. */
  type: string;
  /** 0 where there was no answer. */
  status: number | null;
  /** As the browser names it: `h2`; null where the side does not say. */
  protocol: string | null;
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

/** What a side loaded and saw; null or undefined where it does not say. */
export type LoadFacts = {
  /** By a key that is the same for two loads of one page. Without the document itself. */
  files: ReadonlyMap<string, LoadedFile> | null;
  /** Time of the main thread in scripts of the document itself, without the slow-down that is simulated. */
  documentScriptMs: number;
  consoleErrors: readonly string[] | null;
  largestElement: { selector: string; text: string } | null;
  /** The last one of the load. */
  picture: Picture | null;
  /** What the browser saw before anything was simulated, milliseconds. */
  observed: { firstPaint: number; largestPaint: number } | null;
  blocking: Blocking | null;
};

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const toFields = (value: unknown): Fields => (isFields(value) ? value : {});
const toNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
const toList = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

const detailsOf = (lhr: Lhr, id: string): Fields => toFields(lhr.audits[id]?.details);
const itemsOf = (lhr: Lhr, id: string): Fields[] => toList(detailsOf(lhr, id).items);

const maxText = 80;
/** The page wrote it: one line of it, without what a terminal would obey. */
export const toText = (value: unknown, most = maxText): string =>
  typeof value === 'string'
    ? value
        .slice(0, 4 * most)
        .replace(/[\p{C}\s]+/gu, ' ')
        .trim()
        .slice(0, most)
        .toWellFormed()
    : '';

/** The page chooses how many it asks for. */
const maxFiles = 1000;

/** Beacons, reports and what the browser asks for by itself say nothing of the page. */
const telling: ReadonlySet<string> = new Set([
  ...['Document', 'Stylesheet', 'Script', 'Image', 'Font', 'Media', 'XHR', 'Fetch'],
]);

const toUrl = (value: unknown): URL | undefined =>
  typeof value === 'string' && /^https?:/.test(value) ? (URL.parse(value) ?? undefined) : undefined;

/** The same by http and by https. */
const toKey = (url: URL): string => `${withoutShard(url)}${withoutTokens(url.pathname)}`.slice(0, 500);

const toDocumentScript = (lhr: Lhr, multiplier: number, documents: ReadonlySet<unknown>): number =>
  itemsOf(lhr, 'bootup-time')
    .filter(({ url }) => documents.has(url))
    .reduce((sum, { scripting }) => sum + (toNumber(scripting) ?? 0) / multiplier, 0);

/** By key: the work of scripts, without the simulated slow-down. */
function toScriptTimes(lhr: Lhr, multiplier: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const item of itemsOf(lhr, 'bootup-time').slice(0, maxFiles)) {
    const url = toUrl(item.url);
    const ms = (toNumber(item.scripting) ?? 0) / multiplier;
    if (url) times.set(toKey(url), (times.get(toKey(url)) ?? 0) + ms);
  }
  return times;
}

/** What the page or the end of the load may have cut off is no failure. */
const steady: ReadonlySet<string> = new Set(['Stylesheet', 'Script', 'Image', 'Font']);

/** Lighthouse gives a request that the network refused the status −1. */
const toStatus = ({ statusCode, finished }: Fields, type: string): number | null =>
  statusCode === -1 && finished !== false && steady.has(type) ? 0 : toNumber(statusCode);

const isRedirect = (status: number | null): boolean => status !== null && status >= 300 && status < 400;

export const toDuration = ({ networkRequestTime: from, networkEndTime: to }: Fields): number | null => {
  const [begin, end] = [toNumber(from), toNumber(to)];
  return begin === null || end === null || end < begin ? null : end - begin;
};

function toFile(item: Fields): (LoadedFile & { key: string }) | undefined {
  const url = toUrl(item.url);
  const type = toText(item.resourceType);
  const status = toStatus(item, type);
  if (!url || isRedirect(status) || url.pathname === '/favicon.ico') return undefined;
  if (!telling.has(type)) return undefined;
  const bytes = toNumber(item.resourceSize) ?? toNumber(item.transferSize) ?? 0;
  const { host } = url;
  return {
    ...{ key: toKey(url), place: toText(`${host}${url.pathname}`), host, type, status, bytes, urls: [url.href] },
    protocol: toText(item.protocol).toLowerCase() || null,
    transferred: toNumber(item.transferSize) ?? bytes,
    durationMs: toDuration(item),
    priority: toText(item.priority) || null,
    scriptMs: 0,
  };
}

export const isFailure = (status: number | null): boolean => status !== null && (status >= 400 || status === 0);
/** Of several under one address: the failure counts. */
const worseOf = (one: number | null, other: number | null): number | null =>
  isFailure(other) && !isFailure(one) ? other : one;

/** A worker, or a second use, asks for the same file again: that is no more of the page. */
const joinFiles = (one: LoadedFile, other: LoadedFile) => {
  const add = other.urls.every(url => one.urls.includes(url)) ? Math.max : (a: number, b: number) => a + b;
  return {
    urls: [...one.urls, ...other.urls],
    bytes: add(one.bytes, other.bytes),
    transferred: add(one.transferred, other.transferred),
    durationMs: Math.max(one.durationMs ?? 0, other.durationMs ?? 0),
    status: worseOf(one.status, other.status),
  };
};

function toFiles(lhr: Lhr, multiplier: number, documents: ReadonlySet<unknown>): LoadFacts['files'] {
  const { items } = detailsOf(lhr, 'network-requests');
  if (!Array.isArray(items)) return null;
  const times = toScriptTimes(lhr, multiplier);
  const files = new Map<string, LoadedFile>();
  for (const item of toList(items).slice(0, maxFiles)) {
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

const toErrors = (lhr: Lhr): LoadFacts['consoleErrors'] => {
  const { items } = detailsOf(lhr, 'errors-in-console');
  if (!Array.isArray(items)) return null;
  return toList(items)
    .slice(0, maxFiles)
    .map(({ description }) => toText(description))
    .filter(text => text !== '');
};

/** Lighthouse 13 has it in an insight, earlier ones in an audit of its own: somewhere in there is the node. */
function findNode(value: unknown, depth = 0): Fields | undefined {
  if (!isFields(value) || depth > 5) return undefined;
  if (value.type === 'node') return value;
  for (const part of Array.isArray(value) ? value.slice(0, 20) : [value.node, value.items]) {
    const found = findNode(part, depth + 1);
    if (found) return found;
  }
  return undefined;
}

const toLargestElement = (lhr: Lhr): LoadFacts['largestElement'] => {
  const node = ['lcp-breakdown-insight', 'largest-contentful-paint-element']
    .map(id => findNode(detailsOf(lhr, id)))
    .find(found => found !== undefined);
  return node ? { selector: toText(node.selector), text: toText(node.nodeLabel) } : null;
};

const toObserved = (lhr: Lhr): LoadFacts['observed'] => {
  const [metrics = {}] = itemsOf(lhr, 'metrics');
  const firstPaint = toNumber(metrics.observedFirstContentfulPaint);
  const largestPaint = toNumber(metrics.observedLargestContentfulPaint);
  return firstPaint === null || largestPaint === null ? null : { firstPaint, largestPaint };
};

/**
 * Reads what a Lighthouse result says of its load.
 * @param multiplier by which the times of the main thread are slowed down
 * @param documents URLs of the document itself
 */
export const toLoadFacts = (lhr: Lhr, multiplier: number, documents: ReadonlySet<unknown>): LoadFacts => ({
  files: toFiles(lhr, multiplier, documents),
  documentScriptMs: toDocumentScript(lhr, multiplier, documents),
  consoleErrors: toErrors(lhr),
  largestElement: toLargestElement(lhr),
  picture: readPicture(detailsOf(lhr, 'final-screenshot').data),
  observed: toObserved(lhr),
  blocking: toBlocking(lhr),
});
