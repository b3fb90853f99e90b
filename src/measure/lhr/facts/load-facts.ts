import { detailsOf, isObject, type Json, rowsOf, tableOf } from '../../../contract/result/details.ts';
import { toBlocking } from '../blocking.ts';
import { maxCharacters } from '../late-content.ts';
import type { Lhr } from '../lhr.ts';
import { mostListed, observedOf, toNumber, toText } from '../values.ts';
import { toDocumentScript, toFiles, toNamelessScript } from './loaded-files.ts';

/** Facts of one load in a Lighthouse result, in addition to scores and settings. */

const drawingGroups: ReadonlySet<unknown> = new Set(['styleLayout', 'paintCompositeRender']);

const garbageGroups: ReadonlySet<unknown> = new Set(['garbageCollection']);

function toGroups(lhr: Lhr, multiplier: number, groups: ReadonlySet<unknown>): number | null {
  const work = rowsOf(lhr, 'mainthread-work-breakdown');
  const found = work.filter(({ group }) => groups.has(group));
  return work.length === 0
    ? null
    : found.reduce((all, { duration }) => all + (toNumber(duration) ?? 0), 0) / multiplier;
}

const toErrors = (lhr: Lhr): readonly string[] | null =>
  tableOf(detailsOf(lhr, 'errors-in-console'))
    ?.slice(0, mostListed)
    .map(({ description }) => toText(description))
    .filter(text => text !== '') ?? null;

const hasPolicyError = (lhr: Lhr): boolean =>
  rowsOf(lhr, 'errors-in-console').some(({ description }) =>
    /content.security.policy/i.test(toText(description, 1000)),
  );

const partsOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value.slice(0, 20);
  return isObject(value) ? [value.node, value.items] : [];
};

/** Searches for the node, which Lighthouse 13 reports in an insight, and earlier versions in a separate audit. */
function findNode(value: unknown, depth = 0): Json | undefined {
  if (depth > 5) return undefined;
  if (isObject(value) && value.type === 'node') return value;
  for (const part of partsOf(value)) {
    const found = findNode(part, depth + 1);
    if (found) return found;
  }
  return undefined;
}

const toLargestElement = (lhr: Lhr) => {
  const node = ['lcp-breakdown-insight', 'largest-contentful-paint-element']
    .map(id => findNode(detailsOf(lhr, id)))
    .find(found => found !== undefined);
  return node ? { selector: toText(node.selector), text: toText(node.nodeLabel) } : null;
};

const checkOf = (checks: Json, name: string): boolean | null => {
  const check = checks[name];
  return isObject(check) && typeof check.value === 'boolean' ? check.value : null;
};

/** Returns the request of the page for the image of the largest contentful paint; null if it is not an image. */
function toLargestPicture(lhr: Lhr) {
  const parts = tableOf(detailsOf(lhr, 'lcp-discovery-insight')) ?? [];
  const checks = parts.find(({ type }) => type === 'checklist')?.items;
  const node = parts.find(({ type }) => type === 'node');
  if (!isObject(checks) || !node) return null;
  return {
    name: toText(node.nodeLabel) || toText(node.selector),
    /** Whether the image lacks `loading=lazy`. */
    isEager: checkOf(checks, 'eagerlyLoaded'),
    /** Whether the image has `fetchpriority=high`. */
    isHinted: checkOf(checks, 'priorityHinted'),
    /** Whether the document contains the URL of the image, so that the browser finds it immediately. */
    isNamed: checkOf(checks, 'requestDiscoverable'),
  };
}

const toAnimated = (lhr: Lhr): readonly string[] | null =>
  tableOf(detailsOf(lhr, 'non-composited-animations'))
    ?.slice(0, mostListed)
    .flatMap(({ node }) => (isObject(node) ? toText(node.selector) || toText(node.nodeLabel) : [])) ?? null;

const toPicture = (lhr: Lhr): string | null => {
  const details = detailsOf(lhr, 'final-screenshot');
  return isObject(details) && typeof details.data === 'string' ? details.data.slice(0, maxCharacters) : null;
};

const toPaints = (lhr: Lhr): { firstPaint: number; largestPaint: number } | null => {
  const { firstPaint, largestPaint } = observedOf(lhr);
  return firstPaint === null || largestPaint === null ? null : { firstPaint, largestPaint };
};

/**
 * Reads the facts of a load from a Lighthouse result. A fact that the side does not report is null.
 * @param multiplier CPU throttling of main-thread times, which are given without it
 * @param documents URLs of the document itself
 */
export const toLoadFacts = (lhr: Lhr, multiplier: number, documents: ReadonlySet<unknown>) => ({
  /** Files by a key that is the same in every load of the page. The document itself is excluded. */
  files: toFiles(lhr, multiplier, documents),
  /** Main-thread time of inline scripts in the document. */
  documentScriptMs: toDocumentScript(lhr, multiplier, documents),
  /** Main-thread time of scripts that Lighthouse assigns to no file. */
  namelessScriptMs: toNamelessScript(lhr, multiplier),
  /** Main-thread time for styles, layout and painting. */
  drawingMs: toGroups(lhr, multiplier, drawingGroups),
  /** Main-thread time for garbage collection. */
  garbageMs: toGroups(lhr, multiplier, garbageGroups),
  consoleErrors: toErrors(lhr),
  /** Whether the console mentions a content security policy. */
  hasPolicyError: hasPolicyError(lhr),
  largestElement: toLargestElement(lhr),
  largestPicture: toLargestPicture(lhr),
  /** Elements with non-composited animations that Lighthouse lists. */
  animated: toAnimated(lhr),
  /** Final screenshot as a data URL, because decoded pixels would take a megabyte. */
  picture: toPicture(lhr),
  /** Observed, unsimulated paint times in milliseconds. */
  observed: toPaints(lhr),
  blocking: toBlocking(lhr),
  shifts: toShifts(lhr),
});
export type LoadReading = ReturnType<typeof toLoadFacts>;

/** Layout shifts during the load, as Lighthouse lists them. */

export type Shift = {
  /** Text of the element that moved, or else its selector; empty if not reported. */
  name: string;
  score: number;
  /** Cause of the shift, if Lighthouse found one. */
  reason?: 'image' | 'font' | 'frame' | undefined;
  culprit?: string | undefined;
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

/** Derives the cause from the type of the item, because Lighthouse translates the text. */
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

/**
 * Returns the rows of layout shifts. Lighthouse 13 has an insight with one table per burst of shifts; earlier versions
 * only have an audit.
 */
function toRows(lhr: Lhr): readonly Json[] {
  const rows = rowsOf(lhr, 'layout-shifts');
  if (rows.length > 0) return rows;
  const details = detailsOf(lhr, 'cls-culprits-insight');
  const tables = isObject(details) && Array.isArray(details.items) ? (details.items as unknown[]) : [];
  return tables.slice(0, mostShifts).flatMap(table => tableOf(table) ?? []);
}

const toShifts = (lhr: Lhr) => ({
  /** Cumulative layout shift; null if not reported. */
  total: toNumber(lhr.audits['cumulative-layout-shift']?.numericValue),
  /** Largest first. */
  largest: toRows(lhr)
    .filter(({ node }) => isObject(node) && node.type === 'node')
    .map((row): Shift => ({ name: nameOf(row.node), score: toNumber(row.score) ?? 0, ...toReason(row) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, mostShifts),
});
