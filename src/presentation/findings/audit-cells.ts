/** Converts the values of an audit's tables to text cells, with their requests and element screenshots. */

import { isObject, type Json } from '../../contract/result/details.ts';
import { type ElementPicture, toNodePicture } from '../full-result/pictures.ts';
import type { Whole } from '../full-result/read.ts';
import { toEntityOf } from '../full-result/requests.ts';
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

export type ToCell = (value: unknown, valueType: unknown) => AuditCell;

const maxCharacters = 300;

export const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
export const cut = (text: string): string =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;

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

/** Returns a function that names the third party of a URL, unless the URL contains the name. */
function toNameOf(whole: Whole): (url: string) => string | undefined {
  const entityOf = toEntityOf(whole);
  return url => {
    const entity = entityOf(url);
    return entity?.isThirdParty && !url.includes(entity.name) ? entity.name : undefined;
  };
}

/** Creates a function that converts the values of one result to cells. */
export function createToCell(whole: Whole): ToCell {
  const nameOf = toNameOf(whole);

  const toUrl = (value: unknown): AuditCell => {
    const address = asText(value);
    const note = nameOf(address);
    const named = note === undefined ? {} : { note };
    return { kind: 'url', text: cut(address), ...named, ...(address === '' ? {} : { address }) };
  };

  /** Converts values that contain their own type to cells. */
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
