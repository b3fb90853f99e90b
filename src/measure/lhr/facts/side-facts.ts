import type { Strategy } from '../../../contract/names.ts';
import { detailsOf, isObject, type Json, rowsOf, tableOf } from '../../../contract/result/details.ts';
import type { Analyser, Result } from '../../../contract/result/result.ts';
import { isRedirect } from '../../../presentation/file-pairs.ts';
import { whereOf } from '../../../presentation/side-names.ts';
import type { Lhr, LhrAudit } from '../lhr.ts';
import { toNumber } from '../values.ts';
import { toLoadFacts } from './load-facts.ts';
import { isTelling, toDuration, withoutHash } from './loaded-files.ts';

const isHop = ({ resourceType, statusCode }: Json): boolean =>
  resourceType === 'Document' && isRedirect(toNumber(statusCode));

/** Returns the status of the document. 304 becomes 200, the status of the cached document. */
const toDocumentStatus = (status: unknown): number | null => (status === 304 ? 200 : toNumber(status));

/** Returns the request of the displayed document. There may be several, because of frames and redirects. */
const findDocument = (lhr: Lhr, url: string | undefined): Json => {
  const documents = rowsOf(lhr, 'network-requests').filter(({ resourceType }) => resourceType === 'Document');
  const here = documents.filter(item => url !== undefined && item.url === withoutHash(url));
  return here.find(item => !isHop(item)) ?? here[0] ?? documents[0] ?? {};
};

/** Counts redirects before the document, without those of frames. */
const countRedirects = (lhr: Lhr, document: Json): number | null => {
  const items = rowsOf(lhr, 'network-requests');
  const at = items.indexOf(document);
  return at < 0 ? null : items.slice(0, at).filter(isHop).length;
};

export type SideThrottling = {
  method: string;
  rttMs: number;
  throughputKbps: number;
  cpuSlowdownMultiplier: number;
  /** Whether the analyser reports it; otherwise the settings of PageSpeed Insights are assumed. */
  isTold: boolean;
};

/** Latencies in milliseconds, by origin. */
export type Latencies = Readonly<Record<string, number>>;

/**
 * Copied from lighthouse/core/config/lr-mobile-config.js and lr-desktop-config.js; side-facts.test.ts compares them.
 */
export const psiPresets: Readonly<Record<Strategy, Omit<SideThrottling, 'isTold'>>> = {
  mobile: { method: 'simulate', rttMs: 150, throughputKbps: 1638.4, cpuSlowdownMultiplier: 1.2 },
  desktop: { method: 'simulate', rttMs: 40, throughputKbps: 10240, cpuSlowdownMultiplier: 1 },
};

/** Returns null for a speed of zero, which means unknown. */
const toSpeed = (value: unknown): number | null => (value === 0 ? null : toNumber(value));

/** Max number of origins, because the page determines them. */
const maxOrigins = 200;

const toLatencies = (lhr: Lhr, id: string, key: string): Latencies =>
  Object.fromEntries(
    rowsOf(lhr, id)
      .slice(0, maxOrigins)
      .flatMap(({ origin, [key]: value }) => {
        const ms = toNumber(value);
        return typeof origin === 'string' && origin.startsWith('http') && ms !== null ? [[origin, ms]] : [];
      }),
  );

/** Reads the throttling, which the embedded analyser and some v5 servers report; PSI does not. */
const toThrottling = (lhr: Lhr, strategy: Strategy): SideThrottling => {
  const { throttlingMethod: method, throttling } = lhr.configSettings ?? {};
  const [rttMs, throughputKbps] = [toNumber(throttling?.rttMs), toSpeed(throttling?.throughputKbps)];
  const cpuSlowdownMultiplier = toSpeed(throttling?.cpuSlowdownMultiplier);
  // Lighthouse applies no throttling with this method, so zero is no unknown speed, and CPU times are not scaled.
  if (method === 'provided')
    return {
      method,
      rttMs: rttMs ?? 0,
      throughputKbps: throughputKbps ?? 0,
      cpuSlowdownMultiplier: 1,
      isTold: true,
    };
  const isTold = method !== undefined && rttMs !== null && throughputKbps !== null && cpuSlowdownMultiplier !== null;
  return isTold
    ? { method, rttMs, throughputKbps, cpuSlowdownMultiplier, isTold }
    : { ...psiPresets[strategy], isTold: false };
};

const toMilestone = (userAgent: string | undefined): number | null =>
  toNumber(Number.parseInt(/Chrome\/(\d+)/.exec(userAgent ?? '')?.[1] ?? '', 10));

const countElements = (lhr: Lhr): number | null => {
  const details = detailsOf(lhr, 'dom-size-insight');
  return isObject(details) && isObject(details.debugData) ? toNumber(details.debugData.totalElements) : null;
};

/** Reads the settings and measurements of one side. An absent or malformed fact is null. */
export function toSideFacts(lhr: Lhr, strategy: Strategy, analyser?: Analyser, environment?: Result['environment']) {
  const url = lhr.mainDocumentUrl ?? lhr.finalDisplayedUrl ?? lhr.finalUrl;
  const document = findDocument(lhr, url);
  const throttling = toThrottling(lhr, strategy);
  return {
    /** Name of the side with a preposition, for sentences: `on Google`. */
    where: whereOf(analyser),
    lighthouseVersion: lhr.lighthouseVersion,
    chromeMilestone: toMilestone(lhr.environment?.hostUserAgent ?? lhr.userAgent),
    formFactor: lhr.configSettings?.formFactor ?? null,
    benchmarkIndex: toSpeed(lhr.environment?.benchmarkIndex),
    throttling,
    finalUrl: url === undefined ? null : withoutHash(url),
    statusCode: toDocumentStatus(document.statusCode),
    /** Number of redirects before the document. */
    redirects: countRedirects(lhr, document),
    documentBytes: toNumber(document.resourceSize),
    /** Transferred size: compressed, with headers. */
    documentTransferred: toNumber(document.transferSize),
    /** Time from the request for the document to its last byte. */
    documentMs: toDuration(document),
    totalBytes: toNumber(lhr.audits['total-byte-weight']?.numericValue),
    /** Number of requests, without beacons and the browser's own requests. */
    requests:
      tableOf(detailsOf(lhr, 'network-requests'))?.filter(row => row.resourceType === undefined || isTelling(row))
        .length ?? null,
    elements: countElements(lhr),
    serverResponseTime: toNumber(lhr.audits['server-response-time']?.numericValue),
    serverLatency: toLatencies(lhr, 'network-server-latency', 'serverResponseTime'),
    roundTripTime: toLatencies(lhr, 'network-rtt', 'rtt'),
    /** Number of processors that the side may use. */
    processors: environment?.processors ?? null,
    /** Median of the last undisturbed runs. */
    benchmarkUsual: environment?.benchmark_median ?? null,
    /** Time that main-thread tasks waited for a CPU. */
    waitedMs: environment?.processor_wait?.main_thread_ms ?? null,
    load: toLoadFacts(lhr, throttling.cpuSlowdownMultiplier, new Set([document.url, lhr.requestedUrl])),
  };
}
export type SideFacts = ReturnType<typeof toSideFacts>;

/** The part of a Lighthouse result that determines scores. */
export type Scored = Pick<Lhr, 'categories'> & {
  readonly audits: Readonly<Record<string, Pick<LhrAudit, 'score' | 'title'>>>;
};

/** The part of a Lighthouse result that a comparison needs, a hundredth of its size. */
export type Reading = { readonly facts: SideFacts; readonly scored: Scored };

/** Extracts a reading while a result is created, so that a comparison need not parse it again. */
export const toReading = (lhr: Lhr, { strategy, analyser, environment }: Result): Reading => ({
  facts: toSideFacts(lhr, strategy, analyser, environment),
  scored: {
    categories: lhr.categories,
    audits: Object.fromEntries(Object.entries(lhr.audits).map(([id, { score, title }]) => [id, { score, title }])),
  },
});
