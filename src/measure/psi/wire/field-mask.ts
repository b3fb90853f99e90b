import { anything, plain, type WireFields } from './wire-fields.ts';

/**
 * Google's partial responses: `fields` lists the requested parts of an answer. Paths use `/` or `.`, parts of one
 * parent are in parentheses, several paths are separated by commas, and `*` matches any name.
 */
export type FieldMask = 'all' | ReadonlyMap<string, FieldMask>;

/** The mask is malformed, or names fields that do not exist in any answer. `reason` has Google's wording. */
export class InvalidFieldMask extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = 'InvalidFieldMask';
    this.reason = reason;
  }
}

/** Max depth, which exceeds that of any answer. A deeper mask could overflow the stack. */
const maxDepth = 32;

const token = /\s*([\w$-]+|[*,/.()])\s*/y;

/** Returns all tokens with their positions. The last token is empty. */
function tokensOf(text: string): { word: string; at: number }[] {
  const tokens: { word: string; at: number }[] = [];
  token.lastIndex = 0;
  for (let at = 0; at < text.length; at = token.lastIndex) {
    const word = token.exec(text)?.[1];
    if (word === undefined) throw malformed(at);
    tokens.push({ word, at });
  }
  return [...tokens, { word: '', at: text.length }];
}

const malformed = (at: number) =>
  new InvalidFieldMask(`Error expanding 'fields' parameter. The mask cannot be read at character ${at + 1}.`);

const isName = (word: string): boolean => word === '*' || /^[\w$-]/.test(word);

const merge = (one: FieldMask | undefined, other: FieldMask | undefined): FieldMask | undefined => {
  if (one === undefined || other === undefined) return one ?? other;
  if (one === 'all' || other === 'all') return 'all';
  const merged = new Map(one);
  for (const [name, below] of other) merged.set(name, merge(merged.get(name), below) ?? below);
  return merged;
};

/** @throws InvalidFieldMask if the text is malformed, or names a field that does not exist in any answer */
export function readFieldMask(text: string, known: WireFields): FieldMask {
  if (text.trim() === '') return 'all';
  const tokens = tokensOf(text);
  let next = 0;
  const at = () => tokens[next]?.at ?? text.length;
  const word = () => tokens[next]?.word ?? '';
  const take = (...wanted: readonly string[]): boolean => {
    if (!wanted.includes(word())) return false;
    next += 1;
    return true;
  };

  const readName = (depth: number): string => {
    const name = word();
    if (!isName(name) || depth > maxDepth) throw malformed(at());
    next += 1;
    return name;
  };
  const readPath = (depth: number): FieldMask => {
    const names = [readName(depth)];
    while (take('/', '.')) names.push(readName(depth + names.length));
    const below = take('(') ? readGroup(depth + names.length) : 'all';
    return names.reduceRight<FieldMask>((inside, name) => new Map([[name, inside]]), below);
  };
  const readList = (depth: number): FieldMask => {
    let mask = readPath(depth);
    while (take(',')) mask = merge(mask, readPath(depth)) ?? mask;
    return mask;
  };
  const readGroup = (depth: number): FieldMask => {
    const mask = readList(depth);
    if (!take(')')) throw malformed(at());
    return mask;
  };

  const mask = readList(1);
  if (word() !== '') throw malformed(at());
  const unknown = findUnknown(mask, known, []);
  if (unknown === undefined) return mask;
  throw new InvalidFieldMask(
    `Error expanding 'fields' parameter. Cannot find matching fields for path '${unknown.join('.')}'.`,
  );
}

/** Returns the first path that matches no field. A `*` matches if one of the field names does. */
function findUnknown(mask: FieldMask, known: WireFields, path: readonly string[]): string[] | undefined {
  if (mask === 'all' || known === anything) return undefined;
  if (known === plain) return [...path, ...[...mask.keys()].slice(0, 1)];
  for (const [name, below] of mask) {
    const here = [...path, name];
    const choices = name === '*' ? Object.values(known) : childrenOf(known, name);
    const dead = choices.map(child => findUnknown(below, child, here));
    if (dead.every(found => found !== undefined)) return dead[0] ?? here;
  }
  return undefined;
}

const childrenOf = (known: Exclude<WireFields, string>, name: string): WireFields[] =>
  [name, '*'].flatMap(key => (Object.hasOwn(known, key) ? [known[key] ?? anything] : [])).slice(0, 1);

/**
 * Returns the parts of a JSON value that the mask selects, in the value's own order, without changing the value. A
 * parent without any selected part remains as an empty object, because readers expect it. The mask also applies to
 * items of lists.
 */
export function applyFieldMask(mask: FieldMask, value: unknown): unknown {
  if (mask === 'all') return value;
  if (Array.isArray(value)) return value.map(entry => applyFieldMask(mask, entry)).filter(entry => entry !== undefined);
  if (typeof value !== 'object' || value === null) return undefined;
  const selected = Object.entries(value).flatMap(([name, inside]) => {
    const below = merge(mask.get(name), mask.get('*'));
    const part = below === undefined ? undefined : applyFieldMask(below, inside);
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries(selected);
}
