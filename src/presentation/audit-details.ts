/** The detail tables of an audit, out of a whole Lighthouse result, as plain cells of text. */
import type { Result } from '../contract/result.ts';
import { formatBytes, formatMs } from './numbers.ts';

/** Text as it came from the page under test, or ours; `code` for what is markup, a selector or a message. */
export type Cell = { readonly kind: 'text' | 'code' | 'url' | 'number'; readonly text: string; readonly note?: string };

export type DetailTable = {
  readonly title: string | undefined;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows there are beyond those shown. */
  readonly more: number;
};

/** Enough to see the pattern; the whole is in the JSON. */
const maxRows = 10;
const maxCharacters = 300;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const asText = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '');
const cut = (text: string): string => (text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text);

/** What axe says of an element, without its preamble. */
const toNote = (explanation: unknown): string =>
  asText(explanation)
    .split('\n')
    .slice(1)
    .map(line => line.trim())
    .filter(Boolean)
    .join('; ');

const toNode = (node: Json): Cell => {
  const note = toNote(node.explanation);
  const cell = { kind: 'code', text: cut(asText(node.snippet) || asText(node.selector)) } as const;
  return note === '' ? cell : { ...cell, note: cut(note) };
};

const toLocation = ({ url, line, column }: Json): Cell => ({
  kind: 'url',
  text: cut(`${asText(url)}:${Number(line ?? 0) + 1}:${Number(column ?? 0) + 1}`),
});

/** Values that say themselves what they are. */
const toTyped = (value: Json): Cell => {
  if (value.type === 'node') return toNode(value);
  if (value.type === 'source-location') return toLocation(value);
  if (value.type === 'code') return { kind: 'code', text: cut(asText(value.value)) };
  return { kind: 'text', text: cut(asText(value.text) || asText(value.value) || asText(value.displayString)) };
};

const toNumber = (value: number, valueType: unknown): Cell => {
  if (valueType === 'bytes') return { kind: 'number', text: formatBytes(value) };
  if (valueType === 'ms' || valueType === 'timespanMs') return { kind: 'number', text: formatMs(value) };
  return { kind: 'number', text: `${Math.round(value * 1000) / 1000}` };
};

const toCell = (value: unknown, valueType: unknown): Cell => {
  if (isObject(value)) return toTyped(value);
  if (typeof value === 'number') return toNumber(value, valueType);
  if (valueType === 'url') return { kind: 'url', text: cut(asText(value)) };
  return { kind: valueType === 'code' ? 'code' : 'text', text: cut(asText(value)) };
};

function toTable(details: Json, title?: string): DetailTable | undefined {
  const headings = (Array.isArray(details.headings) ? details.headings : []).filter(isObject);
  const items = (Array.isArray(details.items) ? details.items : []).filter(isObject);
  const columns = headings.filter(({ key }) => typeof key === 'string');
  const rows = items
    .map(item => columns.map(({ key, valueType }) => toCell(item[key as string], valueType)))
    .filter(cells => cells.some(({ text }) => text !== ''));
  if (rows.length === 0) return undefined;
  return {
    title,
    // Lighthouse leaves the heading of its elements empty.
    headings: columns.map(({ label, valueType }) => asText(label) || (valueType === 'node' ? 'Element' : '')),
    rows: rows.slice(0, maxRows),
    more: Math.max(0, rows.length - maxRows),
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

/** A list holds tables, elements, checklists, and sections that hold such again. */
function toTables(details: unknown, title?: string): DetailTable[] {
  if (!isObject(details)) return [];
  switch (details.type) {
    case 'table':
    case 'opportunity':
      return [toTable(details, title) ?? []].flat();
    case 'node':
      return [{ title, headings: ['Element'], rows: [[toNode(details)]], more: 0 }];
    case 'checklist':
      return [toChecklist(details) ?? []].flat();
    case 'list':
      return Array.isArray(details.items) ? details.items.flatMap(item => toTables(item)) : [];
    case 'list-section':
      return toTables(details.value, asText(details.title));
    default:
      return [];
  }
}

type WithAudits = { audits?: Record<string, { details?: unknown } | undefined> };

/** Empty where the audit has no details, or the result came without full data. */
export const toDetailTables = ({ lighthouse_result: result }: Result, auditId: string): DetailTable[] =>
  toTables((result as WithAudits | undefined)?.audits?.[auditId]?.details);
