/** Subjects of assertions other than scores and metrics, which need the whole Lighthouse result. */

import { toHint } from '../../contract/nearest-name.ts';
import { isObject, type Json, listOf } from '../../contract/result/details.ts';
import type { Whole } from '../../presentation/full-result/read.ts';
import { type RequestRow, requestTypes, toRequests, toTotal } from '../../presentation/full-result/requests.ts';

const sizedKinds = [...requestTypes, 'total', 'third-party'] as const;
const kinds = [...sizedKinds, 'failed'] as const;
type WholeKind = (typeof kinds)[number];

/** Returns Lighthouse's name, if it differs. */
const nameOf = (kind: WholeKind): string => (kind === 'style' ? 'stylesheet' : kind);

export const wholeNames: readonly string[] = [
  ...sizedKinds.map(kind => `${nameOf(kind)}-size`),
  ...kinds.map(kind => `${nameOf(kind)}-count`),
];

export type WholeSubject =
  /** Transferred bytes, or the number of requests. */
  | { readonly kind: 'size' | 'count'; readonly name: string; readonly of: WholeKind }
  /** Number of entries that an audit lists. */
  | { readonly kind: 'audit'; readonly name: string }
  /** Score of an audit, 0 to 100. */
  | { readonly kind: 'audit-score'; readonly name: string; readonly audit: string };

const otherNames: Readonly<Record<string, WholeKind>> = { stylesheet: 'style', fetch: 'data' };

/** Audit ids without hyphens that often fail. */
const plainAudits: ReadonlySet<string> = new Set([
  'redirects',
  'deprecations',
  'canonical',
  'bypass',
  'viewport',
  'label',
  'list',
  'listitem',
  'tabindex',
]);

const isAuditId = (name: string): boolean => plainAudits.has(name) || /^[a-z][a-z\d]*(?:-[a-z\d]+)+$/.test(name);

/**
 * @param name in lower case, with hyphens
 * @returns undefined for a name that cannot be a subject
 */
export function findWholeSubject(name: string): WholeSubject | undefined {
  const [, of = '', what] = /^([a-z-]+)-(size|count)$/.exec(name) ?? [];
  const kind = otherNames[of] ?? kinds.find(known => known === of);
  if (kind && (what === 'count' || (what === 'size' && kind !== 'failed'))) return { kind: what, name, of: kind };
  const [, audit = ''] = /^(.+)-score$/.exec(name) ?? [];
  if (isAuditId(audit)) return { kind: 'audit-score', name, audit };
  return isAuditId(name) ? { kind: 'audit', name } : undefined;
}

/** A pending request has not failed. */
const hasFailed = ({ status, endMs }: RequestRow): boolean =>
  status !== undefined && (status >= 400 || (status < 0 && endMs !== undefined));

/** URLs that need no network: `NON_NETWORK_SCHEMES` of Lighthouse. */
const offNetwork = /^(?:blob|data|intent|file|filesystem|chrome-extension):/;

/** Returns whether a row is of a kind as in Lighthouse's `resource-summary`, which skips favicons, too. */
function isOf(of: WholeKind, row: RequestRow): boolean {
  const { type, entity, url } = row;
  const isOther = type === 'other' || type === 'data';
  if (of === 'failed') return hasFailed(row);
  if (offNetwork.test(url) || (isOther && url.endsWith('/favicon.ico'))) return false;
  if (of === 'third-party') return entity !== undefined;
  return of === 'total' || (of === 'other' ? isOther : type === of);
}

const rowsOf = (details: Json): number => {
  const items = listOf(details.items);
  if (details.type !== 'list') return items.length;
  return items.reduce((sum, item) => sum + (isObject(item.value) ? rowsOf(item.value) : listOf(item.items).length), 0);
};

const findAudit = ({ audits }: Whole, id: string): Json | undefined =>
  audits && Object.hasOwn(audits, id) ? (audits[id] as Json) : undefined;

/** Returns the score. Not-applicable and informative audits score 100; an audit that threw an error has no score. */
function toAuditScore(whole: Whole, id: string): number | null {
  const audit = findAudit(whole, id);
  if (typeof audit?.score === 'number') return Number((100 * audit.score).toFixed(2));
  return audit?.scoreDisplayMode === 'notApplicable' || audit?.scoreDisplayMode === 'informative' ? 100 : null;
}

/** Counts entries. A failed audit without a list counts as one entry; an audit that threw an error has no value. */
function countEntries(whole: Whole, id: string): number | null {
  const audit = findAudit(whole, id);
  if (!audit || audit.scoreDisplayMode === 'error') return null;
  if (audit.scoreDisplayMode === 'notApplicable') return 0;
  if (isObject(audit.details) && Array.isArray(audit.details.items)) return rowsOf(audit.details);
  return audit.score === null || audit.score === 1 ? 0 : 1;
}

/** Returns the error for an audit id that the result does not contain; undefined if it contains the id. */
export function sayUnknownAudit(whole: Whole | undefined, subject: WholeSubject): string | undefined {
  const name = subject.kind === 'audit-score' ? subject.audit : subject.kind === 'audit' ? subject.name : undefined;
  if (!whole?.audits || name === undefined) return undefined;
  if (Object.hasOwn(whole.audits, name)) return undefined;
  return `There is no audit ${name} in the result${toHint(name, Object.keys(whole.audits)) || '.'}`;
}

/** Returns the value of a subject; null if the result lacks the data. */
export function measureWhole(whole: Whole | undefined, subject: WholeSubject): number | null {
  if (!whole) return null;
  if (subject.kind === 'audit') return countEntries(whole, subject.name);
  if (subject.kind === 'audit-score') return toAuditScore(whole, subject.audit);
  const rows = toRequests(whole);
  if (rows.length === 0) return null;
  const { count, bytes } = toTotal(rows.filter(row => isOf(subject.of, row)));
  return subject.kind === 'count' ? count : bytes;
}
