/** Requests of a load, one row each, and their filters. */
import { type Json, listOf, rowsOf } from '../../contract/result/details.ts';
import { isRedirect, pairFiles } from '../file-pairs.ts';
import { type PhaseTime, toLcp } from './lcp.ts';
import { numberOf, oncePerWhole, textOf, type Whole } from './read.ts';

/* Owners of URLs. */

type Entity = { readonly name: string; readonly isThirdParty: boolean };

/** Returns a function that finds the owner of a URL in one result; it returns undefined for unknown origins. */
export function toEntityOf({ entities }: Whole): (url: string) => Entity | undefined {
  const known = listOf(entities).flatMap(({ name, isFirstParty, origins }) =>
    (Array.isArray(origins) ? origins : []).map((origin): [string, Entity] => [
      textOf(origin),
      { name: textOf(name), isThirdParty: isFirstParty !== true },
    ]),
  );
  const byOrigin = new Map(known);
  return url => (byOrigin.size > 0 ? byOrigin.get(URL.parse(url)?.origin ?? '') : undefined);
}

/** Returns a function that names the third party of a URL; it returns undefined for the site itself. */
export function toThirdPartyOf(whole: Whole): (url: string) => string | undefined {
  const entityOf = toEntityOf(whole);
  return url => {
    const entity = entityOf(url);
    return entity?.isThirdParty ? entity.name : undefined;
  };
}

export const requestTypes = ['document', 'style', 'script', 'font', 'image', 'media', 'data', 'other'] as const;
export type RequestType = (typeof requestTypes)[number];

export const typeWords: Readonly<Record<RequestType, string>> = {
  document: 'Documents',
  style: 'Styles',
  script: 'Scripts',
  font: 'Fonts',
  image: 'Images',
  media: 'Media',
  data: 'Data',
  other: 'Other',
};

export type RequestRow = ReturnType<typeof toRequests>[number];

const types: Readonly<Record<string, RequestType>> = {
  Document: 'document',
  Stylesheet: 'style',
  Script: 'script',
  Font: 'font',
  Image: 'image',
  Media: 'media',
  XHR: 'data',
  Fetch: 'data',
  EventSource: 'data',
};

const priorityWords: Readonly<Record<string, string>> = {
  VeryHigh: 'highest',
  High: 'high',
  Medium: 'medium',
  Low: 'low',
  VeryLow: 'lowest',
};

/** Max number of rows of a table, more than anyone reads. */
export const maxRequests = 1000;
const maxName = 60;

const shorten = (text: string): string => (text.length > maxName ? `${text.slice(0, maxName - 1)}…` : text);

function toName(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed || parsed.protocol === 'data:') return shorten(url);
  const [last] = parsed.pathname.split('/').filter(Boolean).slice(-1);
  return shorten(`${last ?? '/'}${parsed.search}`);
}

const blockingUrls = (whole: Whole): ReadonlySet<string> =>
  new Set(
    ['render-blocking-insight', 'render-blocking-resources'].flatMap(id =>
      rowsOf(whole, id).map(({ url }) => textOf(url)),
    ),
  );

/** Returns every image in markup: in `src`, `srcset` and inline backgrounds. */
function picturesIn(snippet: string): string[] {
  const markup = snippet.replaceAll(/&quot;|&#39;/g, "'").replaceAll('&amp;', '&');
  const sets = [...markup.matchAll(/\s(?:image)?srcset="([^"]+)"/gi)].flatMap(([, set = '']) =>
    set.split(/,\s+/).map(candidate => candidate.trim().split(/\s+/)[0] ?? ''),
  );
  const backgrounds = [...markup.matchAll(/url\(\s*['"]?([^'")]+)/gi)].map(([, url = '']) => url);
  const sources = [...markup.matchAll(/\s(?:src|poster)="([^"]+)"/gi)].map(([, url = '']) => url);
  return [...sets, ...backgrounds, ...sources];
}

/** Tolerance in milliseconds, because Lighthouse rounds the phases of the largest contentful paint. */
const phaseToleranceMs = 10;

/** Finds a background image of a style sheet, which no markup contains, by the times of the phases. */
function pictureAt(rows: readonly Json[], phases: readonly PhaseTime[]): string | undefined {
  const times = new Map(phases.map(({ phase, durationMs }) => [phase, durationMs]));
  const duration = times.get('load_duration');
  if (duration === undefined) return undefined;
  const start = (times.get('first_byte') ?? 0) + (times.get('load_delay') ?? 0);
  const isAt = (value: unknown, wanted: number) => Math.abs((numberOf(value) ?? Infinity) - wanted) <= phaseToleranceMs;
  const row = rows.find(
    ({ resourceType, networkRequestTime: from, networkEndTime: to }) =>
      resourceType === 'Image' && isAt(from, start) && isAt(to, start + duration),
  );
  return row && textOf(row.url);
}

/** Returns the loaded image that the element names, or the one that loaded at the times of the phases. */
function lcpSource(whole: Whole): string | undefined {
  const rows = rowsOf(whole, 'network-requests');
  const base = textOf(rows.find(({ resourceType }) => resourceType === 'Document')?.url);
  const loaded = new Set(rows.map(({ url }) => textOf(url)));
  const lcp = toLcp(whole);
  const named = picturesIn(lcp?.snippet ?? '').map(picture => URL.parse(picture, base)?.href ?? '');
  return named.find(url => loaded.has(url)) ?? pictureAt(rows, lcp?.phases ?? []);
}

/** Returns requests in the order of their starts; empty if the analyser sent none. */
export const toRequests = oncePerWhole(whole => {
  const [blocking, thirdPartyOf, lcp] = [blockingUrls(whole), toThirdPartyOf(whole), lcpSource(whole)];
  return rowsOf(whole, 'network-requests')
    .filter(({ url }) => textOf(url) !== '')
    .toSorted((a, b) => (numberOf(a.networkRequestTime) ?? 0) - (numberOf(b.networkRequestTime) ?? 0))
    .map((item, at) => {
      const url = textOf(item.url);
      return {
        number: at + 1,
        url,
        name: toName(url),
        host: URL.parse(url)?.host ?? '',
        entity: thirdPartyOf(url),
        type: types[textOf(item.resourceType)] ?? 'other',
        transferBytes: numberOf(item.transferSize),
        resourceBytes: numberOf(item.resourceSize),
        startMs: numberOf(item.networkRequestTime),
        endMs: numberOf(item.networkEndTime),
        status: numberOf(item.statusCode),
        priority: priorityWords[textOf(item.priority)] ?? '',
        protocol: textOf(item.protocol),
        mimeType: textOf(item.mimeType),
        isBlocking: blocking.has(url),
        // Its content is the largest contentful paint.
        isLcp: url === lcp,
        // The page needed the request at this time, and the browser sent it later.
        neededMs: numberOf(item.rendererStartTime),
        isCached: ['disk', 'memory', 'prefetch'].includes(textOf(item.cache)),
      };
    });
});

export type RequestFilter = { readonly type: RequestType | 'all'; readonly search: string };
export const wholeFilter: RequestFilter = { type: 'all', search: '' };

/** Filters by type, and by text in the URL or the name of a third party. */
export function filterRequests(rows: readonly RequestRow[], { type, search }: RequestFilter): RequestRow[] {
  const wanted = search.trim().toLowerCase();
  return rows.filter(
    row =>
      (type === 'all' || row.type === type) &&
      (wanted === '' || `${row.url} ${row.entity ?? ''}`.toLowerCase().includes(wanted)),
  );
}

export type RequestSorting = 'start' | 'name' | 'size' | 'duration';

const durationOf = ({ startMs, endMs }: RequestRow): number => (endMs ?? startMs ?? 0) - (startMs ?? 0);

const orders: Readonly<Record<RequestSorting, (a: RequestRow, b: RequestRow) => number>> = {
  start: (a, b) => a.number - b.number,
  name: (a, b) => a.name.localeCompare(b.name),
  size: (a, b) => (b.transferBytes ?? 0) - (a.transferBytes ?? 0),
  duration: (a, b) => durationOf(b) - durationOf(a),
};

/** Sorts by size and duration descending; by name and start ascending. */
export const sortRequests = (rows: readonly RequestRow[], by: RequestSorting): RequestRow[] =>
  rows.toSorted(orders[by]);

export type Task = { readonly startMs: number; readonly durationMs: number };

/** Min duration of a long task, in milliseconds. */
const longTaskMs = 50;

/** Returns observed long tasks; empty if Lighthouse lists none. */
export const toLongTasks = oncePerWhole((whole): readonly Task[] =>
  rowsOf(whole, 'main-thread-tasks').flatMap(({ startTime, duration }) => {
    const [startMs, durationMs] = [numberOf(startTime), numberOf(duration)];
    return startMs === undefined || durationMs === undefined || durationMs < longTaskMs
      ? []
      : [{ startMs, durationMs }];
  }),
);

export const toTotal = (rows: readonly RequestRow[]) => ({
  count: rows.length,
  bytes: rows.reduce((sum, { transferBytes }) => sum + (transferBytes ?? 0), 0),
});

/** Returns the types that occur, in a fixed order. */
export const typesOf = (rows: readonly RequestRow[]): RequestType[] =>
  requestTypes.filter(type => rows.some(row => row.type === type));

export const lastEnd = (rows: readonly RequestRow[]): number =>
  rows.reduce((last, { endMs, startMs }) => Math.max(last, endMs ?? startMs ?? 0), 0);

/** Returns the numbers of the requests that a table shows, by their URLs. */
export const numberRequests = oncePerWhole(
  (whole): ReadonlyMap<string, number> =>
    new Map(
      toRequests(whole)
        .slice(0, maxRequests)
        .toReversed()
        .map(({ url, number }) => [url, number]),
    ),
);

/** A request of both loads of a comparison; undefined if a side did not make it. */
export type RequestPair = { readonly psi: RequestRow | undefined; readonly lighthouse: RequestRow | undefined };

const toFeatures = ({ url, type, resourceBytes, transferBytes, status }: RequestRow) => ({
  url,
  type,
  bytes: resourceBytes ?? transferBytes ?? 0,
  isRedirect: isRedirect(status),
});

/** Pairs the requests of two loads, in the order in which either side started them. */
export const toRequestPairs = (psi: readonly RequestRow[], lighthouse: readonly RequestRow[]): RequestPair[] =>
  pairFiles(psi, lighthouse, toFeatures)
    .map(({ one, other }): RequestPair => ({ psi: one, lighthouse: other }))
    .toSorted((a, b) => numberOfPair(a) - numberOfPair(b));

const numberOfPair = ({ psi, lighthouse }: RequestPair): number => (psi ?? lighthouse)?.number ?? 0;

export const isOneSided = ({ psi, lighthouse }: RequestPair): boolean => !psi || !lighthouse;
