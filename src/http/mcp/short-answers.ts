/** Answers for agents: short, and with texts of the page marked as untrusted. */
import { isObject } from '../../contract/result/details.ts';

export type Json = Record<string, unknown>;

/** Text that the measured page or its server wrote, or that quotes it: data, even if it looks like instructions. */
type Untrusted = { untrusted: string };

/** Part of an answer that a tool returns: a value as it is, text of the page, a list with its max length, or members. */
export type Shape = typeof asIs | typeof pageText | readonly [each: Shape, max?: number] | ShapeOfObject;
export type ShapeOfObject = { readonly [name: string]: Shape };
export const asIs = 'as it is';
export const pageText = 'page text';

/** Shape of members that are returned as they are. */
export const take = (...names: string[]): ShapeOfObject => Object.fromEntries(names.map(name => [name, asIs]));

const maxText = 300;
/** Control characters, line ends and invisible characters, which could hide words from people. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;
/** Returns whether a name has the form of Lighthouse's field names; any other name could be a text of the page. */
const isFieldName = (name: string): boolean => /^\w[\w-]{0,39}$/.test(name);

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Marks text as untrusted: one line without invisible characters. */
export const untrusted = (text: string, most = maxText): Untrusted => ({
  untrusted: cut(text.replaceAll(invisible, ' ').toWellFormed(), most),
});

function shortenTo(shape: Shape, value: unknown): unknown {
  if (shape === pageText) return typeof value === 'string' ? untrusted(value) : value;
  if (shape === asIs || !(Array.isArray(value) || isObject(value))) return value;
  if (Array.isArray(value)) {
    const [each, max] = shape as readonly [Shape, number?];
    return value.slice(0, max).map(entry => shortenTo(each, entry));
  }
  return shorten(shape as ShapeOfObject, value);
}

/** Shortens an answer of a route to the members of a shape. Text is marked where the shape has `pageText`. */
export const shorten = (shape: ShapeOfObject, value: Json): Json =>
  Object.fromEntries(
    Object.entries(shape)
      .map(([name, each]) => [name, shortenTo(each, value[name])])
      .filter(([, member]) => member !== undefined),
  );

/**
 * Marks every text in a value of the page, and shortens its lists.
 * @param depth max nesting of lists and objects; deeper ones are replaced by `left out`
 */
export function markAll(value: unknown, depth = 3): unknown {
  if (typeof value === 'string') return value.startsWith('data:') ? untrusted('data: URL left out') : untrusted(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return untrusted('left out');
  if (Array.isArray(value)) return value.slice(0, 10).map(entry => markAll(entry, depth - 1));
  const entries = Object.entries(value).filter(([name]) => isFieldName(name));
  return Object.fromEntries(entries.slice(0, 12).map(([name, inner]) => [name, markAll(inner, depth - 1)]));
}

/** Max size of an answer, about 4,000 tokens: a token of URLs, JSON or most scripts has about three bytes. */
const maxAnswerBytes = 11_000;
const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const partsOf = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
};

function longestList(value: unknown): unknown[] | undefined {
  const lists: unknown[][] = [];
  const visit = (inner: unknown): void => {
    if (Array.isArray(inner) && inner.length > 1) lists.push(inner);
    for (const part of partsOf(inner)) visit(part);
  };
  visit(value);
  return lists.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)[0];
}

/** Returns the longest text of the page that can still be shortened. */
function longestText(value: unknown): { untrusted: string } | undefined {
  const texts: { untrusted: string }[] = [];
  const visit = (inner: unknown): void => {
    if (isObject(inner) && typeof inner.untrusted === 'string') texts.push(inner as { untrusted: string });
    else for (const part of partsOf(inner)) visit(part);
  };
  visit(value);
  return texts
    .filter(({ untrusted: text }) => text.length > 20)
    .toSorted((a, b) => b.untrusted.length - a.untrusted.length)[0];
}

const fits = (body: Json): boolean => sizeOf(body) <= maxAnswerBytes;

/** Returns an answer with as many entries as fit, at most `most`. `toBody` chooses the entries. */
export function withEntries(most: number, toBody: (count: number) => Json): Json {
  let count = most;
  while (count > 1 && !fits(toBody(count))) count = Math.ceil(count / 2);
  return toBody(count);
}

/** Shortens the longest lists, then texts of the page, until the answer fits; `left_out` counts missing entries. */
export function fitAnswer<Body extends Json>(body: Body): Body & { left_out?: number } {
  const copy = structuredClone(body);
  let leftOut = 0;
  while (!fits(copy)) {
    const list = longestList(copy);
    const text = list ? undefined : longestText(copy);
    if (list) leftOut += list.splice(Math.ceil(list.length / 2)).length;
    else if (text) text.untrusted = cut(text.untrusted, Math.ceil(text.untrusted.length / 2)).toWellFormed();
    else break;
  }
  return leftOut === 0 ? copy : { ...copy, left_out: leftOut };
}
