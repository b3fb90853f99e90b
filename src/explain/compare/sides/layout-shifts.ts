/** What moved while a page loaded, as Lighthouse lists it. */
import { detailsOf, isObject, type Json, rowsOf, tableOf } from '../../../contract/result/details.ts';
import type { Lhr } from '../../../measure/lhr/lhr.ts';
import { toNumber, toText } from './values.ts';

export type Shift = {
  /** Words of the element that moved, else its selector; empty where the side does not say. */
  name: string;
  score: number;
  /** What pushed it, where Lighthouse found it. */
  reason?: 'image' | 'font' | 'frame' | undefined;
  culprit?: string | undefined;
};

export type Shifts = {
  /** Cumulative layout shift; null where the side has none. */
  total: number | null;
  /** Largest first. */
  largest: readonly Shift[];
};

const mostShifts = 5;
const maxName = 50;

function nameOf(node: unknown): string {
  const text = isObject(node) ? toText(node.nodeLabel, 2 * maxName) || toText(node.selector, 2 * maxName) : '';
  if (text.length <= maxName) return text;
  const cut = text.slice(0, maxName - 1).trimEnd();
  return `${cut.toWellFormed()}…`;
}

const isFont = (url: string): boolean => /\.(woff2?|ttf|otf|eot)$/i.test(URL.parse(url)?.pathname ?? url);

/** Lighthouse translates the words for a cause, but not the type of the item next to them, which this reads. */
function toReason(row: Json): Pick<Shift, 'reason' | 'culprit'> {
  const { subItems } = row;
  const [first] = isObject(subItems) && Array.isArray(subItems.items) ? (subItems.items as unknown[]) : [];
  if (!isObject(first)) return {};
  const { extra } = first;
  if (!isObject(extra)) return {};
  if (extra.type === 'node') return { reason: 'image', culprit: nameOf(extra) };
  const url = toText(extra.value, 200);
  return { reason: isFont(url) ? 'font' : 'frame', culprit: toText(URL.parse(url)?.pathname ?? url) };
}

/** Lighthouse 13 has an insight, of one table for each burst of shifts; earlier versions have an audit alone. */
function toRows(lhr: Lhr): readonly Json[] {
  const rows = rowsOf(lhr, 'layout-shifts');
  if (rows.length > 0) return rows;
  const details = detailsOf(lhr, 'cls-culprits-insight');
  const tables = isObject(details) && Array.isArray(details.items) ? (details.items as unknown[]) : [];
  return tables.slice(0, mostShifts).flatMap(table => tableOf(table) ?? []);
}

export const toShifts = (lhr: Lhr): Shifts => ({
  total: toNumber(lhr.audits['cumulative-layout-shift']?.numericValue),
  largest: toRows(lhr)
    .filter(({ node }) => isObject(node) && node.type === 'node')
    .map(row => ({ name: nameOf(row.node), score: toNumber(row.score) ?? 0, ...toReason(row) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, mostShifts),
});
