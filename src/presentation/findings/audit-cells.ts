/** The values of an audit's tables, as cells of text: with the request and the picture that they belong to. */

import { isObject, type Json } from '../../contract/result/details.ts';
import { formatBytes, formatMs } from '../numbers.ts';
import { type ElementPicture, toNodePicture } from '../whole/pictures.ts';
import type { Whole } from '../whole/read.ts';
import { toEntityOf } from '../whole/requests.ts';

/** Text as it came from the page under test, or ours; `code` for what is markup, a selector or a message. */
export type Cell = {
  readonly kind: 'text' | 'code' | 'url' | 'number';
  readonly text: string;
  readonly note?: string;
  /** The whole address, where the cell is one: it leads to its request. */
  readonly address?: string;
  /** The element, where it is on the picture of the page. */
  readonly picture?: ElementPicture;
  /** How far it stands below the row it belongs to. */
  readonly depth?: number;
};

export type ToCell = (value: unknown, valueType: unknown) => Cell;

const maxCharacters = 300;

export const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
export const cut = (text: string): string =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;

/** What axe says of an element, without its preamble. */
const toNote = (explanation: unknown): string =>
  asText(explanation)
    .split('\n')
    .slice(1)
    .map(line => line.trim())
    .filter(Boolean)
    .join('; ');

const toNode = (node: Json, whole: Whole): Cell => {
  const note = toNote(node.explanation);
  const picture = toNodePicture(whole, node);
  return {
    kind: 'code',
    text: cut(asText(node.snippet) || asText(node.selector)),
    ...(note === '' ? {} : { note: cut(note) }),
    ...(picture ? { picture } : {}),
  };
};

const toLocation = ({ url, line, column }: Json): Cell => ({
  kind: 'url',
  text: cut(`${asText(url)}:${Number(line ?? 0) + 1}:${Number(column ?? 0) + 1}`),
  ...(asText(url) === '' ? {} : { address: asText(url) }),
});

const toNumber = (value: number, valueType: unknown): Cell => {
  if (valueType === 'bytes') return { kind: 'number', text: formatBytes(value) };
  if (valueType === 'ms' || valueType === 'timespanMs') return { kind: 'number', text: formatMs(value) };
  return { kind: 'number', text: `${Math.round(value * 1000) / 1000}` };
};

/** What a third party is called, where its host does not say it. */
function toNameOf(whole: Whole): (url: string) => string | undefined {
  const entityOf = toEntityOf(whole);
  return url => {
    const entity = entityOf(url);
    return entity?.isThirdParty && !url.includes(entity.name) ? entity.name : undefined;
  };
}

/** How the values of one result become cells. */
export function createToCell(whole: Whole): ToCell {
  const nameOf = toNameOf(whole);

  const toUrl = (value: unknown): Cell => {
    const address = asText(value);
    const note = nameOf(address);
    const named = note === undefined ? {} : { note };
    return { kind: 'url', text: cut(address), ...named, ...(address === '' ? {} : { address }) };
  };

  /** Values that say themselves what they are. */
  const toTyped = (value: Json): Cell => {
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
