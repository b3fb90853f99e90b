/** The detail tables of an audit, out of a whole Lighthouse result, as plain cells of text. */

import { isObject, type Json, listOf } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import type { Whole } from '../whole/read.ts';
import { asText, type Cell, createToCell, cut, type ToCell } from './audit-cells.ts';

export type { Cell } from './audit-cells.ts';

export type DetailTable = {
  readonly title: string | undefined;
  /** What the table is about, in Lighthouse's Markdown. */
  readonly explanation?: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows there are beyond those shown. */
  readonly more: number;
};

/** More than any real page has. The limits keep a hostile one from filling the page. */
const maxRows = 200;
const maxDepth = 20;

const hasText = (cells: readonly Cell[]): boolean => cells.some(({ text }) => text !== '');

/** What a row is made of, in rows of its own: the scripts of a third party, the causes of a shift. */
function toSubRows(item: Json, columns: readonly Json[], toCell: ToCell): Cell[][] {
  const subItems = isObject(item.subItems) ? listOf(item.subItems.items) : [];
  return subItems.map(subItem =>
    columns.map((column, at): Cell => {
      const { key, valueType } = isObject(column.subItemsHeading) ? column.subItemsHeading : {};
      const cell = toCell(subItem[asText(key)], valueType ?? column.valueType);
      return at === 0 ? { ...cell, depth: 1 } : cell;
    }),
  );
}

/** A column without a key of its own is filled by the rows below a row. */
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

const limit = (rows: readonly (readonly Cell[])[]): Pick<DetailTable, 'rows' | 'more'> => ({
  rows: rows.slice(0, maxRows),
  more: Math.max(0, rows.length - maxRows),
});

/** An older Lighthouse has the request in an object of its own, with times on a clock in seconds: how long it took. */
const readLink = ({ url, navStartToEndTime, transferSize, request, isLongest }: Json): Json => {
  if (!isObject(request)) return { url, endMs: navStartToEndTime, bytes: transferSize, isLongest };
  const { url: asked, startTime, endTime, transferSize: bytes } = request;
  const endMs = typeof startTime === 'number' && typeof endTime === 'number' ? (endTime - startTime) * 1000 : undefined;
  return { url: asked, endMs, bytes, isLongest };
};

/** A request and all that it led to, each below the one that asked for it. */
function toChain(chains: unknown, toCell: ToCell, depth = 0): Cell[][] {
  if (!isObject(chains) || depth > maxDepth) return [];
  return Object.values(chains)
    .filter(isObject)
    .flatMap((link): Cell[][] => {
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
  const rows = entries.map(({ label, value }): Cell[] => [
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

/** A list holds tables, elements, checklists, and sections that hold such again. */
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

/** Empty if the audit has no details, or the result came without full data. */
export const toDetailTables = ({ lighthouse_result: result }: Result, auditId: string): DetailTable[] => {
  const whole = result as Whole | undefined;
  const details = whole?.audits?.[auditId]?.details;
  return whole && details !== undefined ? toTables(details, createToCell(whole)) : [];
};
