/** Removes the secrets of an access from everything that leaves the worker. */
import type { Access } from '../../../../contract/access/access.ts';
import { secretHeaders } from '../../../../contract/access/secret-headers.ts';
import { createReplacer } from './replacer.ts';

/** Replacement for a secret in a text. */
const mask = '•••';

/** Min length of values that are hidden wherever they appear: a shorter one could be a word of any page. */
const least = { given: 6, stored: 12 };

/** Max number of times that JSON is text in other JSON. */
const mostNested = 8;

/** Returns the texts inside stored items, which are often JSON. */
function* textsIn(items: readonly unknown[]): Generator<string> {
  const left = items.map(value => ({ value, nested: 0 }));
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, nested } = next;
    let inside: unknown;
    try {
      if (typeof value === 'string' && /^\s*[[{"]/.test(value) && nested < mostNested) inside = JSON.parse(value);
    } catch {
      // It only looks like JSON.
    }
    if (inside !== undefined) left.push({ value: inside, nested: nested + 1 });
    else if (typeof value === 'string') yield value;
    else if (isRecord(value)) for (const item of Object.values(value)) left.push({ value: item, nested });
  }
}

const toDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isPlainUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
};

/**
 * Returns whether a text that a site stored is a word or the name of a host, such as `timeline`: it is no secret, and
 * without it the artifacts of many pages make no sense.
 */
const isPublic = (text: string): boolean =>
  isPlainUrl(text) || /^[A-Z]?[a-z]{0,11}$|^([a-z0-9-]{1,20}\.)+[a-z]{2,10}$/.test(text);

/** Returns the values of an access that must appear nowhere. @param pageUrl requested URL, which everyone may see */
export function* secretsOf(access: Access, pageUrl: string): Generator<string> {
  const { headers = {}, basic_auth: basic, secrets = {}, cookies = [], state, session_storage: session = {} } = access;
  const typed = (access.login?.steps ?? []).flatMap(({ value }) => value ?? []);
  const given = [
    ...Object.values(headers),
    // The token of `Bearer TOKEN` may appear without its scheme.
    ...Object.values(headers).flatMap(value => value.split(' ').slice(1)),
    ...Object.values(secrets),
    ...typed,
    ...(basic ? [basic.password, Buffer.from(`${basic.username}:${basic.password}`).toString('base64')] : []),
  ];
  const named = [...cookies, ...(state?.cookies ?? [])].map(({ value }) => value);
  const stored = [
    ...named.map(toDecoded),
    ...(state?.origins ?? []).flatMap(({ localStorage = [] }) => localStorage.map(({ value }) => value)),
    ...Object.values(session).flatMap(items => Object.values(items)),
  ];
  const isSecret = (text: string, leastLength: number) => text.length >= leastLength && !pageUrl.includes(text);
  for (const value of given) if (isSecret(value, least.given)) yield value;
  for (const value of named) if (isSecret(value, least.given) && !isPublic(value)) yield value;
  for (const text of textsIn(stored)) if (isSecret(text, least.stored) && !isPublic(text)) yield text;
}

export type Scrub = {
  text(text: string): string;
  /** Replaces the secrets in all texts of plain data, in place, and the headers and sent data of a network log. */
  data<T>(data: T): T;
};

const removedFields = ['payloadData', 'postData', 'postDataEntries', 'headersText', 'requestHeadersText', 'rawHeader'];
const emptiedFields = ['associatedCookies', 'blockedCookies', 'exemptedCookies'];
const headerFields = ['headers', 'requestHeaders', 'responseHeaders'];

/** Removes what is secret by its place: sent data, cookies, and headers by their names. */
function removeByName(record: Record<string, unknown>, names: ReadonlySet<string>): void {
  const isSecret = (name: string) => secretHeaders.test(name) || names.has(name.toLowerCase());
  for (const field of removedFields) if (field in record) delete record[field];
  for (const field of emptiedFields) if (Array.isArray(record[field])) record[field] = [];
  for (const field of headerFields) {
    const headers = record[field];
    if (Array.isArray(headers)) record[field] = headers.filter(({ name }) => !isSecret(String(name)));
    else if (isRecord(headers)) for (const name of Object.keys(headers).filter(isSecret)) delete headers[name];
  }
}

/** Returns whether an event of a trace is named by the page: a user timing, which has no frame, or a console timer. */
const isOwnMark = ({ cat, args }: Record<string, unknown>): boolean =>
  /\bblink\.(?:user_timing|console)\b/.test(String(cat)) && !(isRecord(args) && 'frame' in args);

/** @param headerNames names of headers of the access, whose values may be too short to search for */
export function createScrub(secrets: Iterable<string>, headerNames: readonly string[]): Scrub {
  const replace = createReplacer(secrets, mask);
  const names = new Set(headerNames.map(name => name.toLowerCase()));
  // The letters of a picture are no text: `AAAAAA` is in many.
  const isText = (text: string) => text.length >= least.given && !/^data:image\/[a-z]+;base64,/.test(text);
  const hide = (text: string): string => (isText(text) ? replace(text) : text);
  const seen = new WeakSet<object>();

  function replaceIn(holder: Record<string, unknown> | unknown[]): void {
    if (!Array.isArray(holder)) removeByName(holder, names);
    const items = holder as Record<string, unknown>;
    for (const name of Object.keys(holder)) {
      const [shown, changed] = [hide(name), walk(items[name])];
      if (shown !== name) delete items[name];
      if (shown !== name || changed !== items[name]) items[shown] = changed;
    }
  }

  function walk(value: unknown): unknown {
    if (typeof value === 'string') return hide(value);
    if (!isRecord(value) || seen.has(value) || ArrayBuffer.isView(value)) return value;
    seen.add(value);
    // The names of events are words of the browser, except those of the page's own marks: a password that is one of
    // them must not break the trace.
    if (typeof value.cat === 'string' && typeof value.ph === 'string') {
      if (isOwnMark(value)) value.name = hide(String(value.name));
      walk(value.args);
    } else if (typeof value.method === 'string' && isRecord(value.params)) walk(value.params);
    else replaceIn(value);
    return value;
  }
  return { text: hide, data: data => walk(data) as typeof data };
}
