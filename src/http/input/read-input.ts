import { LRUCache } from 'lru-cache';
import type { Static, TObject } from 'typebox';
import { isStorableText, labelFormat, pageUrlFormat, timeFormat } from '../../contract/fields.ts';
import { categoryNames, type RequestCategory, readBooleanWord, requestCategories } from '../../contract/names.ts';
import { abbreviatedName, misspelledName } from '../../contract/nearest-name.ts';
import type { ValidationError } from '../../contract/problem.ts';
import { toPageUrl } from '../../measure/targets/page-url.ts';
import { parseJson } from './json-position.ts';
import { toTime } from './to-time.ts';
import type { Loc } from './validation-error.ts';
import * as faults from './validation-error.ts';

/**
 * Reads untrusted input by a schema, as pydantic would: booleans as words, defaults filled in, and all faults reported
 * in the order of the schema's fields. It supports the part of JSON Schema that schemas.ts uses.
 */

type Node = {
  type?: string;
  enum?: string[];
  const?: string;
  anyOf?: Node[];
  format?: string;
  items?: Node;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
  properties?: Record<string, Node>;
  /** Schema of the values of a record, by one pattern that matches any name. */
  patternProperties?: Record<string, Node>;
  required?: string[];
  /** Whether a check of its own reads the value, instead of this schema. */
  'x-read-whole'?: boolean;
  default?: unknown;
};

const mostFaults = 100;
/** Max number of unknown names that are compared with those in the schemas. */
const mostCompared = 100;

class Reading {
  readonly items: ValidationError[] = [];
  private comparable = mostCompared;

  /** Returns the first of these names, as far as names may still be compared. */
  toCompare(names: readonly string[]): readonly string[] {
    const some = names.slice(0, this.comparable);
    this.comparable -= some.length;
    return some;
  }

  fault(item: (loc: Loc) => ValidationError, loc: Loc): undefined {
    if (this.items.length < mostFaults) this.items.push(item(loc));
    return undefined;
  }

  /** @throws ValidationFailure if there was any fault */
  finish<T>(value: T): T {
    if (this.items.length > 0) throw new faults.ValidationFailure(this.items);
    return value;
  }
}

const readBoolean = (value: unknown, loc: Loc, reading: Reading): boolean | undefined => {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 0) return value === 1;
  const read = typeof value === 'string' ? readBooleanWord(value) : undefined;
  if (read !== undefined) return read;
  const hasWords =
    typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63);
  return reading.fault(hasWords ? faults.boolParsing : faults.boolType, loc);
};

const isPlainLine = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

/** Reads a label: white space around it is removed, and an empty label counts as absent. */
const readLabel = (
  { maxLength = Number.POSITIVE_INFINITY }: Node,
  value: string,
  loc: Loc,
  reading: Reading,
): string | null | undefined => {
  const text = value.trim();
  if (text.length > 2 * maxLength || [...text].length > maxLength)
    return reading.fault(faults.stringTooLong(maxLength), loc);
  if (!isPlainLine(text))
    return reading.fault(faults.valueError('it must be one line without control characters'), loc);
  return text === '' ? null : text;
};

const readString = (node: Node, value: unknown, loc: Loc, reading: Reading): string | null | undefined => {
  if (typeof value !== 'string') return reading.fault(faults.stringType, loc);
  if (node.format === labelFormat) return readLabel(node, value, loc, reading);
  if (node.format === timeFormat) return toTime(value) ?? reading.fault(faults.datetimeParsing, loc);
  // An invalid entry of a list fails alone, later, when it is read as a URL.
  const isEntry = typeof loc.at(-1) === 'number';
  const { maxLength = Number.POSITIVE_INFINITY } = node;
  if (value.length > maxLength) return reading.fault(faults.stringTooLong(maxLength), loc);
  if (node.format !== pageUrlFormat)
    return isEntry || isStorableText(value) ? value : reading.fault(faults.notText, loc);
  const page = toPageUrl(value);
  return 'href' in page ? page.href : reading.fault(faults.urlError(page.fault), loc);
};

const readBounded = (node: Node, value: number, loc: Loc, reading: Reading): number | undefined => {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = node;
  if (value < minimum) return reading.fault(faults.atLeast(minimum), loc);
  return value > maximum ? reading.fault(faults.atMost(maximum), loc) : value;
};

const readNumber = (node: Node, value: unknown, loc: Loc, reading: Reading): number | undefined =>
  typeof value === 'number' ? readBounded(node, value, loc, reading) : reading.fault(faults.floatType, loc);

/** Reads an integer of a query, in which every value is text. */
const readInteger = (node: Node, value: unknown, loc: Loc, reading: Reading): number | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return reading.fault(faults.intType, loc);
  const text = String(value).trim();
  if (!/^[+-]?\d{1,15}$/.test(text)) return reading.fault(faults.intParsing, loc);
  return readBounded(node, Number(text), loc, reading);
};

const readList = (node: Node, value: unknown, loc: Loc, reading: Reading): unknown[] | undefined => {
  if (!Array.isArray(value)) return reading.fault(faults.listType, loc);
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items = {} } = node;
  if (value.length > maxItems) return reading.fault(faults.tooLong(maxItems, value.length), loc);
  if (value.length < minItems) return reading.fault(faults.tooShort(minItems, value.length), loc);
  return value.map((entry, index) => readValue(items, entry, [...loc, index], reading));
};

/** Reads an object by its fields, or a record: any names, with values of one type. */
const readObjectValue = (node: Node, value: unknown, loc: Loc, reading: Reading): unknown => {
  if (node['x-read-whole']) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return reading.fault(faults.dictType, loc);
  const [ofRecord] = Object.values(node.patternProperties ?? {});
  if (ofRecord) {
    const entries = Object.entries(value);
    const { maxProperties = Number.POSITIVE_INFINITY } = node;
    if (entries.length > maxProperties) return reading.fault(faults.tooManyFields(maxProperties), loc);
    return Object.fromEntries(
      entries.map(([name, entry]) => [name, readValue(ofRecord, entry, [...loc, name], reading)]),
    );
  }
  const read = readMembers(node, value as Record<string, unknown>, loc, reading);
  refuseNames(loc, Object.keys(value), node.properties ?? {}, reading, true);
  return read;
};

/** Reads the members that a schema names; absent ones get their defaults. */
const readMembers = (
  { properties = {}, required = [] }: Node,
  given: Readonly<Record<string, unknown>>,
  loc: Loc,
  reading: Reading,
): Record<string, unknown> => {
  const read = Object.entries(properties).map(([name, field]) => {
    const place: Loc = [...loc, name];
    if (Object.hasOwn(given, name)) return [name, readValue(field, given[name], place, reading)];
    return [name, required.includes(name) ? reading.fault(faults.missing, place) : defaultOf(field)];
  });
  return Object.fromEntries(read);
};

/** Reads one of several schemas. A fault is that of the first one. */
const readChoice = (choices: readonly Node[], value: unknown, loc: Loc, reading: Reading): unknown => {
  if (value === null) return null;
  const isIt = ({ const: only, pattern }: Node) =>
    only === value || (pattern !== undefined && typeof value === 'string' && new RegExp(pattern, 'u').test(value));
  if (value !== undefined && choices.some(isIt)) return value;
  const [wanted = {}] = choices.filter(choice => choice.type !== 'null');
  return readValue(wanted, value, loc, reading);
};

const readValue = (node: Node, value: unknown, loc: Loc, reading: Reading): unknown => {
  if (node.anyOf) return readChoice(node.anyOf, value, loc, reading);
  if (node.enum) {
    return typeof value === 'string' && node.enum.includes(value)
      ? value
      : reading.fault(faults.literalError(node.enum), loc);
  }
  if (node.type === 'boolean') return readBoolean(value, loc, reading);
  if (node.type === 'integer') return readInteger(node, value, loc, reading);
  if (node.type === 'number') return readNumber(node, value, loc, reading);
  if (node.type === 'object') return readObjectValue(node, value, loc, reading);
  return node.type === 'array' ? readList(node, value, loc, reading) : readString(node, value, loc, reading);
};

const defaultOf = (node: Node): unknown => {
  const wanted = node.anyOf?.find(choice => choice.type !== 'null') ?? node;
  return node.default ?? wanted.default ?? null;
};

/** Returns all categories with a score if the list is absent, null or empty. The order is irrelevant. */
export const toCategories = (names: readonly string[] | null): RequestCategory[] =>
  names === null || names.length === 0 ? [...categoryNames] : requestCategories.filter(name => names.includes(name));

/** Reads categories: `categories=a,b` and `categories=a&categories=b` are equivalent. */
const readCategories = (values: readonly string[], reading: Reading): RequestCategory[] => {
  const names = values.flatMap(value => value.split(',')).map(name => name.trim());
  const given = names.filter(name => name !== '');
  if (!given.every(name => (requestCategories as readonly string[]).includes(name)))
    reading.fault(faults.categoryError, ['query', 'categories']);
  return toCategories(given);
};

const readParameter = (name: string, node: Node, required: boolean, values: string[], reading: Reading): unknown => {
  const loc: Loc = ['query', name];
  const [value] = values;
  if (value === undefined) return required ? reading.fault(faults.missing, loc) : defaultOf(node);
  if (values.length > 1)
    return reading.fault(faults.valueError(`the parameter was given ${values.length} times: give it once`), loc);
  return readValue(node, value, loc, reading);
};

/**
 * Reports names that misspell or abbreviate names in the schema, and in a body every other unknown name. Those of a query
 * are ignored: clients and proxies add their own parameters.
 */
function refuseNames(where: Loc, given: Iterable<string>, known: object, reading: Reading, isStrict: boolean): void {
  const names = Object.keys(known);
  const unknown = [...new Set(given)].filter(name => !Object.hasOwn(known, name));
  const compared = reading.toCompare(unknown);
  for (const [at, name] of unknown.entries()) {
    const meant = at < compared.length ? (misspelledName(name, names) ?? abbreviatedName(name, names)) : undefined;
    if (meant !== undefined) reading.fault(faults.misspelled(meant), [...where, name]);
    else if (isStrict) reading.fault(faults.unknownField(names), [...where, name]);
  }
}

export type ReadQuery<Schema extends TObject> = Readonly<
  Required<Omit<Static<Schema>, 'categories'>> & { categories: readonly RequestCategory[] }
>;

/**
 * Max number of cached queries, and of their characters: a cached answer usually repeats a query, and parsing it costs
 * more than finding the answer. A client may send 16 KB of query.
 */
const remembering = { max: 1000, maxSize: 256_000 };

/**
 * Reads the query of a GET operation: defaults filled in, categories as a list.
 * @param check refuses a query before it is read by its schema
 * @returns a function of the raw query string that throws ValidationFailure
 */
export function createQueryReader<Schema extends TObject>(
  schema: Schema,
  check: (query: URLSearchParams) => void = () => {},
): (query: string) => ReadQuery<Schema> {
  const remembered = new LRUCache<string, ReadQuery<Schema>>({
    ...remembering,
    sizeCalculation: (_read, query) => query.length + 1,
  });
  const { properties = {}, required = [] } = schema as Node;

  const read = (query: URLSearchParams): ReadQuery<Schema> => {
    check(query);
    const reading = new Reading();
    const entries = Object.entries(properties).map(([name, node]) => [
      name,
      name === 'categories'
        ? readCategories(query.getAll(name), reading)
        : readParameter(name, node, required.includes(name), query.getAll(name), reading),
    ]);
    refuseNames(['query'], query.keys(), properties, reading, false);
    return Object.freeze(reading.finish(Object.fromEntries(entries)));
  };

  return query => {
    const known = remembered.get(query);
    if (known) return known;
    const fresh = read(new URLSearchParams(query));
    remembered.set(query, fresh);
    return fresh;
  };
}

const isJsonType = (contentType: string | undefined): boolean =>
  contentType === undefined ||
  contentType.trim() === '' ||
  /^\s*application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType);

const failWith = (item: ValidationError): never => {
  throw new faults.ValidationFailure([item]);
};

const readObject = (body: Buffer, contentType: string | undefined): object => {
  if (body.length === 0) return failWith(faults.missing(['body']));
  if (!isJsonType(contentType)) return failWith(faults.wrongContentType((contentType ?? '').slice(0, 100))(['body']));
  const parsed = parseJson(body);
  if ('excess' in parsed) return failWith(faults.tooMuch(parsed.excess)(['body']));
  if ('faultPosition' in parsed) return failWith(faults.jsonInvalid(['body', parsed.faultPosition]));
  const { value } = parsed;
  if (value === null) return failWith(faults.missing(['body']));
  if (typeof value !== 'object' || Array.isArray(value)) return failWith(faults.notAnObject(['body']));
  return value;
};

/** A request body as received. */
export type ReceivedBody = {
  bytes: Buffer | undefined;
  /** Content type as received; undefined if missing. */
  contentType: string | undefined;
};

type Checks<T> = {
  /** Finds faults that a schema cannot describe: a sentence for each, and its field, by path if nested. */
  check?: (
    read: T,
    isGiven: (name: string) => boolean,
  ) => readonly { field?: string | readonly (string | number)[]; fault: string }[];
  /** Whether the check requires input that is valid by the schema, because it reads nested fields. */
  isSound?: boolean;
  /** Whether unknown fields are ignored, unless they misspell known ones, as in a query. */
  ignoresUnknown?: boolean;
};

/** Reads a body by its schema, and reports all faults at once. @throws ValidationFailure */
export function readBody<Schema extends TObject>(
  schema: Schema,
  { bytes = Buffer.alloc(0), contentType }: ReceivedBody,
  { check = () => [], isSound = false, ignoresUnknown = false }: Checks<Required<Static<Schema>>> = {},
): Required<Static<Schema>> {
  const given = readObject(bytes, contentType) as Record<string, unknown>;
  const reading = new Reading();
  const isWhole = (schema as Node)['x-read-whole'] === true;
  const read = (isWhole ? given : readMembers(schema as Node, given, ['body'], reading)) as Required<Static<Schema>>;
  const isGiven = (name: string) => Object.hasOwn(given, name) && given[name] !== null;
  const found = isSound && reading.items.length > 0 ? [] : check(read, isGiven);
  for (const { field = [], fault } of found) reading.fault(faults.valueError(fault), ['body', ...[field].flat()]);
  if (!isWhole) refuseNames(['body'], Object.keys(given), schema.properties, reading, !ignoresUnknown);
  return reading.finish(read);
}
