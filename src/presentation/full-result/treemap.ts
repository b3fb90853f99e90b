/** Modules of a page's scripts, and the bytes that did not run. */

import { detailsOf, isObject, type Json, listOf } from '../../contract/result/details.ts';
import { numberOf, textOf, type Whole } from './read.ts';
import { toThirdPartyOf } from './requests.ts';

export type ScriptPart = {
  readonly name: string;
  /** Uncompressed size. */
  readonly bytes: number;
  /** Bytes that had not run when the load ended; undefined if not measured. */
  readonly unusedBytes: number | undefined;
};

export type Script = ScriptPart & {
  readonly url: string;
  readonly entity: string | undefined;
  readonly transferBytes: number | undefined;
  /** Modules by its source map, or the inline scripts of a document; empty if neither is known. */
  readonly parts: readonly ScriptPart[];
};

/** Max number of scripts: smaller ones would not be visible. */
export const maxScripts = 60;
const maxParts = 12;
const maxDepth = 40;
const maxName = 80;

const shorten = (text: string): string => (text.length > maxName ? `…${text.slice(1 - maxName)}` : text);

const sizesOf = ({ resourceBytes, unusedBytes }: Json): Pick<ScriptPart, 'bytes' | 'unusedBytes'> => {
  const bytes = Math.max(0, numberOf(resourceBytes) ?? 0);
  const unused = numberOf(unusedBytes);
  return { bytes, unusedBytes: unused === undefined ? undefined : Math.min(bytes, Math.max(0, unused)) };
};

export const isMeasured = ({ unusedBytes }: ScriptPart): boolean => unusedBytes !== undefined;

const bySize = (a: ScriptPart, b: ScriptPart): number => b.bytes - a.bytes;

/** Returns the files in a tree of folders. */
function toLeaves(node: Json, path: string, depth = 0): ScriptPart[] {
  const children = depth < maxDepth ? listOf(node.children) : [];
  const name = [path, textOf(node.name)].filter(Boolean).join('/');
  return children.length === 0
    ? [{ name: shorten(name), ...sizesOf(node) }]
    : children.flatMap(child => toLeaves(child, name, depth + 1));
}

const sum = (values: readonly (number | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

const sumUnused = (parts: readonly ScriptPart[]): number | undefined =>
  parts.every(({ unusedBytes }) => unusedBytes === undefined)
    ? undefined
    : sum(parts.map(({ unusedBytes }) => unusedBytes));

/** Returns the largest parts, and all others as one. */
function limit(parts: readonly ScriptPart[], most: number, nameRest: (count: number) => string): ScriptPart[] {
  const sorted = parts.filter(({ bytes }) => bytes > 0).toSorted(bySize);
  const rest = sorted.slice(most);
  if (rest.length < 2) return sorted;
  const whole = { name: nameRest(rest.length), bytes: sum(rest.map(({ bytes }) => bytes)) };
  return [...sorted.slice(0, most), { ...whole, unusedBytes: sumUnused(rest) }];
}

const toName = (url: string): string => {
  const [last] = URL.parse(url)?.pathname.split('/').filter(Boolean).slice(-1) ?? [];
  return shorten(last ?? url);
};

/** Returns unused bytes. Lighthouse omits the sum for a document whose inline scripts all ran. */
const unusedOf = (node: Json, parts: readonly ScriptPart[]): number | undefined =>
  sizesOf(node).unusedBytes ?? (parts.length > 0 && parts.every(isMeasured) ? sumUnused(parts) : undefined);

/** Returns scripts, largest first; empty if the analyser sent none. */
export function toScripts(whole: Whole): Script[] {
  const details = detailsOf(whole, 'script-treemap-data');
  const thirdPartyOf = toThirdPartyOf(whole);
  const scripts = (isObject(details) ? listOf(details.nodes) : []).map((node): Script => {
    const url = textOf(node.name);
    const parts = listOf(node.children).flatMap(child => toLeaves(child, ''));
    return {
      url,
      name: toName(url),
      ...sizesOf(node),
      unusedBytes: unusedOf(node, parts),
      entity: thirdPartyOf(url),
      transferBytes: numberOf(node.encodedBytes),
      parts: parts.length > 1 ? limit(parts, maxParts, count => `${count} smaller ones`) : [],
    };
  });
  return scripts.filter(({ bytes }) => bytes > 0).toSorted(bySize);
}

export const toScriptTotal = (scripts: readonly ScriptPart[]): Omit<ScriptPart, 'name'> => ({
  bytes: sum(scripts.map(({ bytes }) => bytes)),
  unusedBytes: sumUnused(scripts),
});
