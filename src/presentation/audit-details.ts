/** The detail tables of an audit, out of a whole Lighthouse result, as plain cells of text. */
import type { Result } from '../contract/result.ts';
import { formatBytes, formatMs } from './numbers.ts';
import { toEntityOf } from './whole/entities.ts';
import { isObject, type Json, listOf, type Whole } from './whole/read.ts';

/** Text as it came from the page under test, or ours; `code` for what is markup, a selector or a message. */
export type Cell = {
  readonly kind: 'text' | 'code' | 'url' | 'number';
  readonly text: string;
  readonly note?: string;
  /** How far it stands below the row it belongs to. */
  readonly depth?: number;
};

export type DetailTable = {
  readonly title: string | undefined;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows there are beyond those shown. */
  readonly more: number;
};

/** More than any real page has. The limits keep a hostile one from filling the page. */
const maxRows = 200;
const maxDepth = 20;
const maxCharacters = 300;

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

/** The name of the third party that a URL belongs to. */
type EntityOf = (url: string) => string | undefined;

const toUrl = (value: unknown, entityOf: EntityOf): Cell => {
  const text = asText(value);
  const note = entityOf(text);
  return { kind: 'url', text: cut(text), ...(note === undefined ? {} : { note }) };
};

const toCell = (value: unknown, valueType: unknown, entityOf: EntityOf): Cell => {
  if (isObject(value)) return value.type === 'url' ? toUrl(value.value, entityOf) : toTyped(value);
  if (typeof value === 'number') return toNumber(value, valueType);
  if (valueType === 'url') return toUrl(value, entityOf);
  return { kind: valueType === 'code' ? 'code' : 'text', text: cut(asText(value)) };
};

const hasText = (cells: readonly Cell[]): boolean => cells.some(({ text }) => text !== '');

/** What a row is made of, in rows of its own: the scripts of a third party, the causes of a shift. */
function toSubRows(item: Json, columns: readonly Json[], entityOf: EntityOf): Cell[][] {
  const subItems = isObject(item.subItems) ? listOf(item.subItems.items) : [];
  return subItems.map(subItem =>
    columns.map((column, at): Cell => {
      const { key, valueType } = isObject(column.subItemsHeading) ? column.subItemsHeading : {};
      const cell = toCell(subItem[asText(key)], valueType ?? column.valueType, entityOf);
      return at === 0 ? { ...cell, depth: 1 } : cell;
    }),
  );
}

function toTable(details: Json, entityOf: EntityOf, title?: string): DetailTable | undefined {
  const columns = listOf(details.headings).filter(({ key }) => typeof key === 'string');
  const rows = listOf(details.items)
    .flatMap(item => [
      columns.map(({ key, valueType }) => toCell(item[key as string], valueType, entityOf)),
      ...toSubRows(item, columns, entityOf),
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

/** A request and all that it led to, each below the one that asked for it. */
function toChain(chains: unknown, entityOf: EntityOf, depth = 0): Cell[][] {
  if (!isObject(chains) || depth > maxDepth) return [];
  return Object.values(chains)
    .filter(isObject)
    .flatMap(({ url, navStartToEndTime: end, transferSize: bytes, isLongest, children }): Cell[][] => [
      [
        { ...toUrl(url, entityOf), depth },
        { kind: 'number', text: typeof end === 'number' ? formatMs(end) : '' },
        { kind: 'number', text: typeof bytes === 'number' ? formatBytes(bytes) : '' },
        { kind: 'text', text: isLongest === true ? 'longest chain' : '' },
      ],
      ...toChain(children, entityOf, depth + 1),
    ]);
}

function toTree({ chains }: Json, entityOf: EntityOf, title?: string): DetailTable | undefined {
  const rows = toChain(chains, entityOf);
  if (rows.length === 0) return undefined;
  return { title, headings: ['Request', 'Loaded after', 'Size', ''], ...limit(rows) };
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

/** A list holds tables, elements, checklists, and sections that hold such again. */
function toTables(details: unknown, entityOf: EntityOf, title?: string): DetailTable[] {
  if (!isObject(details)) return [];
  switch (details.type) {
    case 'table':
    case 'opportunity':
      return [toTable(details, entityOf, title) ?? []].flat();
    case 'network-tree':
      return [toTree(details, entityOf, title) ?? []].flat();
    case 'node':
      return [{ title, headings: ['Element'], rows: [[toNode(details)]], more: 0 }];
    case 'checklist':
      return [toChecklist(details) ?? []].flat();
    case 'text':
      return [toLine(details, title)];
    case 'list':
      return listOf(details.items).flatMap(item => toTables(item, entityOf));
    case 'list-section':
      return toTables(details.value, entityOf, asText(details.title) || undefined);
    default:
      return [];
  }
}

/** What a third party is called, where its host does not say it. */
function toNamed(whole: Whole): EntityOf {
  const entityOf = toEntityOf(whole);
  return url => {
    const entity = entityOf(url);
    return entity?.isThirdParty && !url.includes(entity.name) ? entity.name : undefined;
  };
}

/** Empty where the audit has no details, or the result came without full data. */
export const toDetailTables = ({ lighthouse_result: result }: Result, auditId: string): DetailTable[] => {
  const whole = result as Whole | undefined;
  const details = whole?.audits?.[auditId]?.details;
  return whole && details !== undefined ? toTables(details, toNamed(whole)) : [];
};
