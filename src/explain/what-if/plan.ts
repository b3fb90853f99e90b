/**
 * Plans simulations of a stored load from its Lighthouse result: devices, networks, and the fixes that its audits
 * propose.
 */
import { isObject, itemsOf, rowsOf } from '../../contract/result/details.ts';
import type { Fix, Network, WhatIfOrder } from '../../contract/stored/what-if-order.ts';
import { isLhr, type Lhr, type LhrAudit } from '../../measure/lhr/lhr.ts';

/**
 * Networks from fast to slow. `fast_4g` and `slow_4g` are Lighthouse's own, for desktops and phones; `3g` and `slow_3g`
 * are WebPageTest's.
 */
export const networks = {
  wired: { rttMs: 10, throughputKbps: 100_000 },
  fast_4g: { rttMs: 40, throughputKbps: 10_240 },
  slow_4g: { rttMs: 150, throughputKbps: 1638.4 },
  '3g': { rttMs: 300, throughputKbps: 1600 },
  slow_3g: { rttMs: 400, throughputKbps: 400 },
} as const satisfies Record<string, Network>;
export type NetworkName = keyof typeof networks;

export const networkNames = Object.keys(networks) as NetworkName[];
export const cpuMultipliers: readonly number[] = [1, 2, 4, 10, 20];
export const thresholds: readonly number[] = [90, 50];

type NotPredicted = { readonly id: string; readonly title: string; readonly reason: string };

/** Plan as plain data, because it comes from the thread that reads Lighthouse results. */
export type WhatIfPlan = {
  readonly order: WhatIfOrder;
  /** Titles of fixes, by audit id. */
  readonly titles: Readonly<Record<string, string>>;
  readonly notPredicted: readonly NotPredicted[];
};

const byteAudits = [
  ...['image-delivery-insight', 'unused-javascript', 'unused-css-rules', 'unminified-javascript', 'unminified-css'],
  ...['legacy-javascript-insight', 'duplicated-javascript-insight'],
];

/** Reasons why the gain of an audit is not simulated. */
const reasons: Readonly<Record<string, string>> = {
  'cache-insight': 'A first visit loads every file, however long it is cached.',
  'font-display-insight': 'The simulation does not model when text appears in which font.',
  'cls-culprits-insight': 'CLS is not simulated.',
  'unsized-images': 'CLS is not simulated.',
  'non-composited-animations': 'CLS is not simulated.',
  'dom-size-insight': 'The audit does not report how much work would be saved.',
  'forced-reflow-insight': 'The audit does not report how much work would be saved.',
  'bootup-time': 'The audit does not report how much work would be saved.',
  'mainthread-work-breakdown': 'The audit does not report how much work would be saved.',
  'network-dependency-tree-insight': 'The audit does not report which requests would start sooner.',
  'modern-http-insight': 'The simulation does not change the protocol of a server.',
  redirects: 'The times of the load already include the redirects.',
};

/** Score below which Lighthouse counts an audit as failed. */
const passScore = 0.9;
const hasFailed = (audit: LhrAudit | undefined): audit is LhrAudit =>
  audit !== undefined && audit.score !== null && audit.score < passScore;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isAmount = (value: unknown): value is number => typeof value === 'number' && value > 0;

function toSavedBytes(lhr: Lhr, id: string): Record<string, number> {
  const saved: Record<string, number> = {};
  const add = (url: unknown, bytes: unknown) => {
    if (isText(url) && isAmount(bytes)) saved[url] = (saved[url] ?? 0) + bytes;
  };
  for (const row of rowsOf(lhr, id)) {
    add(row.url, row.wastedBytes);
    // All but one copy of a module can be saved.
    if (id === 'duplicated-javascript-insight')
      for (const { url, sourceTransferBytes } of itemsOf(row.subItems).slice(1)) add(url, sourceTransferBytes);
  }
  return saved;
}

/** Lighthouse's own target for the first byte. */
const fastServerMs = 100;

function toDocumentFix(lhr: Lhr): Omit<Fix, 'id'> | undefined {
  const { details } = lhr.audits['document-latency-insight'] ?? {};
  if (!isObject(details) || !isObject(details.debugData)) return undefined;
  const { serverResponseTime, uncompressedResponseBytes, wastedBytes } = details.debugData;
  const isSlow =
    isObject(details.items) && isObject(details.items.serverResponseIsFast)
      ? details.items.serverResponseIsFast.value === false
      : false;
  const url = lhr.mainDocumentUrl ?? lhr.finalUrl;
  const bytes = isAmount(wastedBytes) ? wastedBytes : uncompressedResponseBytes;
  return {
    ...(isSlow && isAmount(serverResponseTime) ? { serverMs: Math.max(0, serverResponseTime - fastServerMs) } : {}),
    ...(url !== undefined && isAmount(bytes) ? { savedBytes: { [url]: bytes } } : {}),
  };
}

function toFixes(lhr: Lhr): Fix[] {
  const failed = (id: string) => hasFailed(lhr.audits[id]);
  const bytes = byteAudits
    .filter(failed)
    .map((id): Fix => ({ id, savedBytes: toSavedBytes(lhr, id) }))
    .filter(({ savedBytes = {} }) => Object.keys(savedBytes).length > 0);
  const blocking = rowsOf(lhr, 'render-blocking-insight').flatMap(({ url }) => (isText(url) ? [url] : []));
  const document = failed('document-latency-insight') ? toDocumentFix(lhr) : undefined;
  return [
    ...bytes,
    ...(failed('render-blocking-insight') && blocking.length > 0
      ? [{ id: 'render-blocking-insight', unblocked: blocking }]
      : []),
    ...(document && Object.keys(document).length > 0 ? [{ id: 'document-latency-insight', ...document }] : []),
    ...(failed('lcp-discovery-insight') ? [{ id: 'lcp-discovery-insight', startsLargestImage: true }] : []),
  ];
}

const clsAudit = 'cumulative-layout-shift';

/** @returns undefined if the result has no performance score, or a metric without a score */
export function planWhatIf(lhr: unknown): WhatIfPlan | undefined {
  if (!isLhr(lhr)) return undefined;
  const weighted = lhr.categories.performance?.auditRefs.filter(({ weight }) => weight > 0) ?? [];
  const cls = lhr.audits[clsAudit]?.score;
  if (weighted.length === 0 || typeof cls !== 'number' || lhr.categories.performance?.score == null) return undefined;
  const fixes = toFixes(lhr);
  const titleOf = (id: string) => lhr.audits[id]?.title ?? id;
  return {
    order: {
      weights: Object.fromEntries(weighted.map(({ id, weight }) => [id, weight])),
      unchanged: { [clsAudit]: cls },
      cells: networkNames.flatMap(name => cpuMultipliers.map(cpu => ({ ...networks[name], cpu }))),
      networks: networkNames.map(name => networks[name]),
      slowestCpu: Math.max(...cpuMultipliers),
      thresholds: thresholds.map(threshold => threshold / 100),
      fixes,
    },
    titles: Object.fromEntries(fixes.map(({ id }) => [id, titleOf(id)])),
    notPredicted: Object.entries(reasons)
      .filter(([id]) => hasFailed(lhr.audits[id]))
      .map(([id, reason]) => ({ id, title: titleOf(id), reason })),
  };
}
