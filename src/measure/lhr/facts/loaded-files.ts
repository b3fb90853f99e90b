import { detailsOf, type Json, rowsOf, tableOf } from '../../../contract/result/details.ts';
import type { Lhr } from '../lhr.ts';
import { mostListed, toNumber, toText } from './values.ts';

/** The files of one load, by what they are called in any other load of the page. */

/* Rows of `network-requests`, as Lighthouse lists them. */

/** Beacons, reports and what the browser asks for by itself say nothing of the page. */
const telling: ReadonlySet<unknown> = new Set([
  ...['Document', 'Stylesheet', 'Script', 'Image', 'Font', 'Media', 'XHR', 'Fetch'],
]);

export const isTelling = ({ resourceType }: Json): boolean => telling.has(resourceType);

/** Not modified is what the cache has. */
export const isRedirect = (status: number | null): boolean =>
  status !== null && status >= 300 && status < 400 && status !== 304;

export const toDuration = ({ networkRequestTime: from, networkEndTime: to }: Json): number | null => {
  const [begin, end] = [toNumber(from), toNumber(to)];
  return begin === null || end === null || end < begin ? null : end - begin;
};

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
  /** Refused by the browser itself, before it asked: by a policy of the page, or a list. */
  isBlocked: boolean;
  /** Asked for by a worker of the page, next to it. */
  isByWorker: boolean;
  /** Still coming when the load ended. */
  isCut: boolean;
  /** From the request to its end; of several the longest. */
  durationMs: number | null;
  /** As the browser saw it from its place in the document; null where the side does not say. */
  priority: string | null;
  /** Time of the main thread in this script, without the slow-down that is simulated. */
  scriptMs: number;
};

const toUrl = (value: unknown): URL | undefined =>
  typeof value === 'string' && /^https?:/.test(value) ? (URL.parse(value) ?? undefined) : undefined;

/** The same by http and by https. */
const toKey = (url: URL): string => `${withoutShard(url)}${withoutBuild(url.pathname)}`.slice(0, 500);

/** To parse and compile a script is its work, too. */
const workOf = ({ scripting, scriptParseCompile }: Json): number =>
  (toNumber(scripting) ?? 0) + (toNumber(scriptParseCompile) ?? 0);

/** Of scripts in the document itself, without the simulated slow-down. */
export const toDocumentScript = (lhr: Lhr, multiplier: number, documents: ReadonlySet<unknown>): number =>
  rowsOf(lhr, 'bootup-time')
    .filter(({ url }) => documents.has(url))
    .reduce((sum, row) => sum + workOf(row) / multiplier, 0);

/** The browser's own overhead has rows of its own. */
const browserRows: ReadonlySet<unknown> = new Set(['Browser', 'Browser GC']);

/**
 * Time of scripts that Lighthouse assigns to no file, without the simulated slow-down: what runs after a promise, and
 * scripts that the page made itself. Null where a side lists no work at all.
 */
export function toNamelessScript(lhr: Lhr, multiplier: number): number | null {
  const rows = tableOf(detailsOf(lhr, 'bootup-time'));
  return (
    rows
      ?.filter(({ url }) => !toUrl(url) && !browserRows.has(url) && !toText(url).startsWith('chrome-extension:'))
      .reduce((sum, row) => sum + workOf(row) / multiplier, 0) ?? null
  );
}

/** By key: the work of scripts, without the simulated slow-down. */
function toScriptTimes(lhr: Lhr, multiplier: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const item of rowsOf(lhr, 'bootup-time').slice(0, mostListed)) {
    const url = toUrl(item.url);
    const ms = workOf(item) / multiplier;
    if (url) times.set(toKey(url), (times.get(toKey(url)) ?? 0) + ms);
  }
  return times;
}

/** What the page or the end of the load may have cut off is no failure. */
const steady: ReadonlySet<string> = new Set(['Stylesheet', 'Script', 'Image', 'Font']);

/** Lighthouse gives a request that the network refused the status −1. */
const toStatus = ({ statusCode, finished }: Json, type: string): number | null =>
  statusCode === -1 && finished !== false && steady.has(type) ? 0 : toNumber(statusCode);

/** What never left the browser has no protocol, and ends as it begins; a network that refuses takes its time. */
const isRefused = (item: Json): boolean => toText(item.protocol) === '' && (toDuration(item) ?? Infinity) < 1;

function toFile(item: Json): (LoadedFile & { key: string }) | undefined {
  const url = toUrl(item.url);
  const type = toText(item.resourceType);
  const status = toStatus(item, type);
  if (!url || isRedirect(status) || url.pathname === '/favicon.ico') return undefined;
  if (!isTelling(item)) return undefined;
  const bytes = toNumber(item.resourceSize) ?? toNumber(item.transferSize) ?? 0;
  const { host } = url;
  return {
    key: toKey(url),
    place: toText(`${host}${url.pathname}`),
    host,
    type,
    status,
    bytes,
    urls: [url.href],
    protocol: toText(item.protocol).toLowerCase() || null,
    transferred: toNumber(item.transferSize) ?? bytes,
    isBlocked: status === 0 && isRefused(item),
    isByWorker: item.sessionTargetType === 'worker',
    isCut: item.finished === false,
    durationMs: toDuration(item),
    priority: toText(item.priority) || null,
    scriptMs: 0,
  };
}

export const isFailed = ({ status }: Pick<LoadedFile, 'status'>): boolean =>
  status !== null && (status >= 400 || status === 0);
/** Of several under one address: the failure counts. */
const worseOf = (one: LoadedFile, other: LoadedFile): number | null =>
  isFailed(other) && !isFailed(one) ? other.status : one.status;

/** A worker, or a second use, asks for the same file again: that is no more of the page. */
const joinFiles = (one: LoadedFile, other: LoadedFile) => {
  const add = other.urls.every(url => one.urls.includes(url)) ? Math.max : (a: number, b: number) => a + b;
  return {
    urls: [...one.urls, ...other.urls],
    bytes: add(one.bytes, other.bytes),
    transferred: add(one.transferred, other.transferred),
    durationMs: Math.max(one.durationMs ?? 0, other.durationMs ?? 0),
    status: worseOf(one, other),
    isBlocked: one.isBlocked && other.isBlocked,
    isByWorker: one.isByWorker && other.isByWorker,
    isCut: one.isCut && other.isCut,
  };
};

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
      ...(same ?? rest),
      scriptMs: times.get(key) ?? 0,
      ...(same ? joinFiles(same, rest) : {}),
    });
  }
  return files;
}

/* Names that a build or a release gives to a file: another one of each, for the same file of the same page. */

const kindOf = (sign: string): string => {
  if (/\d/.test(sign)) return 'digit';
  return /[A-Z]/.test(sign) ? 'capital' : 'letter';
};

const countTurns = (piece: string): number =>
  [...piece].filter((sign, at) => at > 0 && kindOf(sign) !== kindOf(piece.charAt(at - 1))).length;

/** Letters, capitals and digits take turns in a word only where it begins, and in `1200x800` once each way. */
const leastShareOfTurns = 0.4;

const isRandom = (text: string): boolean =>
  text.split(/[-_]/).reduce((turns, piece) => turns + countTurns(piece), 0) >= leastShareOfTurns * (text.length - 1);

/** esbuild and Angular write theirs in capitals. */
const isHash = (text: string): boolean => isRandom(text) || /^(?=.*[A-Z])[A-Z\d]+$/.test(text);

/** `main-Bq3x9LkA.js`, `chunk.3PQK4TZE.js`: bundlers take eight signs. */
const hash = /(?<=[-._/])[\w-]{8}(?=(?:\.min)?\.\w+$)/;

/** `main.a1b2c3.js`: six or seven, where digits and letters are mixed. */
const shortHash = /(?<=[-._])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,7}(?=(?:\.min)?\.\w+$)/;

/** A folder for each release. */
const release = /(?<=\/)[\w-]{20,}(?=\/)/g;

/** Of a load, a session, a visitor. */
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

export const withoutBuild = (path: string): string =>
  withoutTokens(
    path
      .replace(uuid, '*')
      .replace(hash, text => (isHash(text) ? '*' : text))
      .replace(shortHash, '*')
      .replace(release, text => (isRandom(text) ? '*' : text)),
  );

/** Where a load ended, by what of the address is the page's own. */

/** A build, a version or a session in a path: `app.3f2ab9c1.js`. */
const variable = /[0-9a-f]{8,}|\d{5,}/gi;

const withoutTokens = (path: string): string => path.replace(variable, '*');

/** Of several hosts with the same files the page takes any: img1, img2, with www and without. An address in numbers is one of its own. */
const withoutShard = ({ hostname, host, port }: URL): string =>
  /^[\d.]+$|^\[/.test(hostname)
    ? host
    : `${hostname.replace(/^www\d*\./, '').replace(/\d+/g, '*')}${port && `:${port}`}`;

export const withoutHash = (url: string): string => url.split('#', 1)[0] ?? url;

type Address = { place: string; keys: string };

/** A slash at its end, and the values of a query, are often no part of what is shown. */
function toAddress(url: string): Address {
  const parsed = URL.parse(url);
  if (!parsed) return { place: url, keys: '' };
  const { protocol, host, pathname, searchParams } = parsed;
  return {
    place: `${protocol}//${host}${withoutTokens(pathname).replace(/\/$/, '')}`,
    keys: [...new Set(searchParams.keys())].toSorted().join(' '),
  };
}

/** Whether two loads ended elsewhere; `query`: only something was added behind the address. */
export function compareAddresses(one: string, other: string): 'place' | 'query' | 'same' {
  const [first, second] = [toAddress(one), toAddress(other)];
  if (first.place !== second.place) return 'place';
  return first.keys === second.keys ? 'same' : 'query';
}
