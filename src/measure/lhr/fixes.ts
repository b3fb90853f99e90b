/** Reads the fixes that the audits of a Lighthouse result propose, limited to what a simulation can apply. */
import { isObject, itemsOf, rowsOf } from '../../contract/result/details.ts';
import type { Fix, FixOrder } from '../../contract/stored/what-if-order.ts';
import type { Lhr, LhrAudit } from './lhr.ts';
import { auditIds } from './metrics.ts';
import { shareOfUnsized } from './usefulness.ts';

const byteAudits = [
  ...['image-delivery-insight', 'unused-javascript', 'unused-css-rules', 'unminified-javascript', 'unminified-css'],
  ...['legacy-javascript-insight', 'duplicated-javascript-insight'],
];

/** Score below which Lighthouse counts an audit as failed. */
const passScore = 0.9;
export const hasFailed = (audit: LhrAudit | undefined): audit is LhrAudit =>
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

/** Share of images without a size among the causes of shifts from which their size stops the shifts. */
const wholeShare = 0.9;

/** Returns the audit that names most causes of the layout shifts; undefined if none does. */
function findShiftAudit(lhr: Lhr): string | undefined {
  const failed = (id: string) => hasFailed(lhr.audits[id]);
  if (failed('unsized-images') && shareOfUnsized(lhr) >= wholeShare) return 'unsized-images';
  return ['cls-culprits-insight', 'layout-shifts'].find(failed);
}

function toFixes(lhr: Lhr): Fix[] {
  const failed = (id: string) => hasFailed(lhr.audits[id]);
  const bytes = byteAudits
    .filter(failed)
    .map((id): Fix => ({ id, savedBytes: toSavedBytes(lhr, id) }))
    .filter(({ savedBytes = {} }) => Object.keys(savedBytes).length > 0);
  const blocking = rowsOf(lhr, 'render-blocking-insight').flatMap(({ url }) => (isText(url) ? [url] : []));
  const document = failed('document-latency-insight') ? toDocumentFix(lhr) : undefined;
  const shifts = findShiftAudit(lhr);
  return [
    ...bytes,
    ...(shifts ? [{ id: shifts, isStill: true }] : []),
    ...(failed('render-blocking-insight') && blocking.length > 0
      ? [{ id: 'render-blocking-insight', unblocked: blocking }]
      : []),
    ...(document && Object.keys(document).length > 0 ? [{ id: 'document-latency-insight', ...document }] : []),
    ...(failed('lcp-discovery-insight') ? [{ id: 'lcp-discovery-insight', startsLargestImage: true }] : []),
  ];
}

/** @returns undefined if the result has no performance score, or a metric without a score */
export function planFixes(lhr: Lhr): FixOrder | undefined {
  const weighted = lhr.categories.performance?.auditRefs.filter(({ weight }) => weight > 0) ?? [];
  const cls = lhr.audits[auditIds.cumulative_layout_shift]?.score;
  if (weighted.length === 0 || typeof cls !== 'number' || lhr.categories.performance?.score == null) return undefined;
  return {
    weights: Object.fromEntries(weighted.map(({ id, weight }) => [id, weight])),
    unchanged: { [auditIds.cumulative_layout_shift]: cls },
    fixes: toFixes(lhr),
  };
}
