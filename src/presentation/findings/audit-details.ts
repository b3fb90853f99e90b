/** Converts the detail tables of an audit in a whole Lighthouse result to text cells. */

import { isObject, type Json, listOf } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import { type ElementPicture, toNodePicture } from '../full-result/pictures.ts';
import type { Whole } from '../full-result/read.ts';
import { toThirdPartyOf } from '../full-result/requests.ts';
import { formatBytes, formatMs } from '../numbers.ts';

/** Text of the page under test or of the service; `code` for markup, selectors and messages. */
export type AuditCell = {
  readonly kind: 'text' | 'code' | 'url' | 'number';
  readonly text: string;
  readonly note?: string;
  /** The whole URL, if the cell is one; it links to its request. */
  readonly address?: string;
  /** Screenshot of the element, if it is visible. */
  readonly picture?: ElementPicture;
  /** Indentation below the parent row. */
  readonly depth?: number;
};

type ToCell = (value: unknown, valueType: unknown) => AuditCell;

const maxCharacters = 300;

const asText = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '');
const cut = (text: string): string => (text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text);

/** Returns axe's explanation of an element without its preamble. */
const toNote = (explanation: unknown): string =>
  asText(explanation)
    .split('\n')
    .slice(1)
    .map(line => line.trim())
    .filter(Boolean)
    .join('; ');

const toNode = (node: Json, whole: Whole): AuditCell => {
  const note = toNote(node.explanation);
  const picture = toNodePicture(whole, node);
  return {
    kind: 'code',
    text: cut(asText(node.snippet) || asText(node.selector)),
    ...(note === '' ? {} : { note: cut(note) }),
    ...(picture ? { picture } : {}),
  };
};

const toLocation = ({ url, line, column }: Json): AuditCell => ({
  kind: 'url',
  text: cut(`${asText(url)}:${Number(line ?? 0) + 1}:${Number(column ?? 0) + 1}`),
  ...(asText(url) === '' ? {} : { address: asText(url) }),
});

const toNumber = (value: number, valueType: unknown): AuditCell => {
  if (valueType === 'bytes') return { kind: 'number', text: formatBytes(value) };
  if (valueType === 'ms' || valueType === 'timespanMs') return { kind: 'number', text: formatMs(value) };
  return { kind: 'number', text: `${Math.round(value * 1000) / 1000}` };
};

function createToCell(whole: Whole): ToCell {
  const nameOf = toThirdPartyOf(whole);

  const toUrl = (value: unknown): AuditCell => {
    const address = asText(value);
    const note = nameOf(address);
    const named = note === undefined || address.includes(note) ? {} : { note };
    return { kind: 'url', text: cut(address), ...named, ...(address === '' ? {} : { address }) };
  };

  const toTyped = (value: Json): AuditCell => {
    if (value.type === 'url') return toUrl(value.value);
    if (value.type === 'node') return toNode(value, whole);
    if (value.type === 'source-location') return toLocation(value);
    if (value.type === 'numeric' && typeof value.value === 'number') return toNumber(value.value, undefined);
    if (value.type === 'code') return { kind: 'code', text: cut(asText(value.value)) };
    return { kind: 'text', text: cut(asText(value.text) || asText(value.value) || asText(value.displayString)) };
  };

  return (value, valueType) => {
    if (isObject(value)) return toTyped(value);
    if (typeof value === 'number') return toNumber(value, valueType);
    if (valueType === 'url') return toUrl(value);
    return { kind: valueType === 'code' ? 'code' : 'text', text: cut(asText(value)) };
  };
}

export type DetailTable = {
  readonly title: string | undefined;
  /** Description of the table, in Lighthouse's Markdown. */
  readonly explanation?: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly AuditCell[])[];
  readonly more: number;
};

/** Max number of rows: more than any real page has, so that a hostile one cannot fill the screen. */
const maxRows = 200;
const maxDepth = 20;

const hasText = (cells: readonly AuditCell[]): boolean => cells.some(({ text }) => text !== '');

/** Returns sub-rows: the scripts of a third party, the causes of a shift. */
function toSubRows(item: Json, columns: readonly Json[], toCell: ToCell): AuditCell[][] {
  const subItems = isObject(item.subItems) ? listOf(item.subItems.items) : [];
  return subItems.map(subItem =>
    columns.map((column, at): AuditCell => {
      const { key, valueType } = isObject(column.subItemsHeading) ? column.subItemsHeading : {};
      const cell = toCell(subItem[asText(key)], valueType ?? column.valueType);
      return at === 0 ? { ...cell, depth: 1 } : cell;
    }),
  );
}

/** Returns whether a heading is a column. A heading without a key is filled by sub-rows. */
const isColumn = ({ key, subItemsHeading }: Json): boolean =>
  typeof key === 'string' || (isObject(subItemsHeading) && typeof subItemsHeading.key === 'string');

function toTable(details: Json, toCell: ToCell, title?: string): DetailTable | undefined {
  const columns = listOf(details.headings).filter(isColumn);
  const rows = listOf(details.items)
    .flatMap(item => [
      columns.map(({ key, valueType }) => toCell(typeof key === 'string' ? item[key] : '', valueType)),
      ...toSubRows(item, columns, toCell),
    ])
    .filter(hasText);
  if (rows.length === 0) return undefined;
  return {
    title,
    // Lighthouse leaves the heading of its elements empty.
    headings: columns.map(({ label, valueType }) => asText(label) || (valueType === 'node' ? 'Element' : '')),
    ...limit(rows),
  };
}

const limit = (rows: readonly (readonly AuditCell[])[]): Pick<DetailTable, 'rows' | 'more'> => ({
  rows: rows.slice(0, maxRows),
  more: Math.max(0, rows.length - maxRows),
});

/** Reads a request of a critical chain. Older versions of Lighthouse have an object with times in seconds. */
const readLink = ({ url, navStartToEndTime, transferSize, request, isLongest }: Json): Json => {
  if (!isObject(request)) return { url, endMs: navStartToEndTime, bytes: transferSize, isLongest };
  const { url: asked, startTime, endTime, transferSize: bytes } = request;
  const endMs = typeof startTime === 'number' && typeof endTime === 'number' ? (endTime - startTime) * 1000 : undefined;
  return { url: asked, endMs, bytes, isLongest };
};

/** Returns a request and all requests that it caused, indented below their initiator. */
function toChain(chains: unknown, toCell: ToCell, depth = 0): AuditCell[][] {
  if (!isObject(chains) || depth > maxDepth) return [];
  return Object.values(chains)
    .filter(isObject)
    .flatMap((link): AuditCell[][] => {
      const { url, endMs, bytes, isLongest } = readLink(link);
      return [
        [
          { ...toCell(url, 'url'), depth },
          toCell(endMs, 'ms'),
          toCell(bytes, 'bytes'),
          { kind: 'text', text: isLongest === true ? 'longest' : '' },
        ],
        ...toChain(link.children, toCell, depth + 1),
      ];
    });
}

function toTree({ chains, type }: Json, toCell: ToCell, title?: string): DetailTable | undefined {
  const rows = toChain(chains, toCell);
  if (rows.length === 0) return undefined;
  return {
    title,
    headings: ['Request', type === 'network-tree' ? 'Loaded after' : 'Took', 'Size', ''],
    ...limit(rows),
  };
}

const toChecklist = ({ items }: Json): DetailTable | undefined => {
  const entries = isObject(items) ? Object.values(items).filter(isObject) : [];
  const rows = entries.map(({ label, value }): AuditCell[] => [
    { kind: 'text', text: asText(label) },
    { kind: 'text', text: value === true ? 'yes' : 'no' },
  ]);
  return rows.length > 0 ? { title: undefined, headings: ['Check', 'Met'], rows, more: 0 } : undefined;
};

const toLine = ({ value }: Json, title?: string): DetailTable => ({
  title,
  headings: [],
  rows: [[{ kind: 'text', text: cut(asText(value)) }]],
  more: 0,
});

const toSection = ({ value, title, description }: Json, toCell: ToCell): DetailTable[] =>
  toTables(value, toCell, asText(title) || undefined).map((table, at) =>
    at === 0 && asText(description) !== '' ? { ...table, explanation: asText(description) } : table,
  );

/** Returns the tables of a list, which may contain tables, elements, checklists, and nested sections. */
function toTables(details: unknown, toCell: ToCell, title?: string): DetailTable[] {
  if (!isObject(details)) return [];
  switch (details.type) {
    case 'table':
    case 'opportunity':
      return [toTable(details, toCell, title) ?? []].flat();
    case 'network-tree':
    case 'criticalrequestchain':
      return [toTree(details, toCell, title) ?? []].flat();
    case 'node':
      return [{ title, headings: ['Element'], rows: [[toCell(details, 'node')]], more: 0 }];
    case 'checklist':
      return [toChecklist(details) ?? []].flat();
    case 'text':
      return [toLine(details, title)];
    case 'list':
      return listOf(details.items).flatMap(item => toTables(item, toCell));
    case 'list-section':
      return toSection(details, toCell);
    default:
      return [];
  }
}

/** Returns the tables; empty if the audit has no details, or the result has no full data. */
export const toDetailTables = ({ lighthouse_result: result }: Result, auditId: string): DetailTable[] => {
  const whole = result as Whole | undefined;
  const details = whole?.audits?.[auditId]?.details;
  return whole && details !== undefined ? toTables(details, createToCell(whole)) : [];
};
