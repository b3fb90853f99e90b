/** Removes the secrets of an access from everything that leaves the worker. */
import type { Access } from '../../../../contract/access/access.ts';

/** Replacement for a secret in a text. */
const mask = '•••';

/** Min length of values that are hidden wherever they appear: a shorter one could be a word of any page. */
const least = { given: 6, stored: 12 };

/** Max number of values to search for. A session of a large application has 50. */
const most = 500;

/** Headers that prove who a user is, which are removed by name. */
const secretHeaders = /^(?:(set-)?cookie2?|(proxy-)?authorization|x-(api-key|csrf-token|xsrf-token|auth-token))$/i;

/** Returns the texts inside a stored item, which is often JSON. */
function* textsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') {
    yield value;
    if (/^\s*[[{]/.test(value) && depth < 8) {
      try {
        yield* textsIn(JSON.parse(value), depth + 1);
      } catch {
        // It only looks like JSON.
      }
    }
  } else if (typeof value === 'object' && value !== null && depth < 8)
    for (const item of Object.values(value)) yield* textsIn(item, depth + 1);
}

const isPlainUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
};

const spellingsOf = (text: string): string[] => [
  text,
  encodeURIComponent(text),
  encodeURI(text),
  JSON.stringify(text).slice(1, -1),
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
];

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
    ...[...cookies, ...(state?.cookies ?? [])].map(({ value }) => value),
    ...(basic ? [basic.password, Buffer.from(`${basic.username}:${basic.password}`).toString('base64')] : []),
  ];
  for (const value of given) if (value.length >= least.given && !pageUrl.includes(value)) yield value;
  const stored = [
    ...(state?.origins ?? []).flatMap(({ localStorage = [] }) => localStorage.map(({ value }) => value)),
    ...Object.values(session).flatMap(items => Object.values(items)),
  ];
  for (const text of textsIn(stored))
    if (text.length >= least.stored && !isPlainUrl(text) && !pageUrl.includes(text)) yield text;
}

export type Scrub = {
  text(text: string): string;
  /** Replaces the secrets in all texts of plain data, in place, and the headers and sent data of a network log. */
  data<T>(data: T): T;
};

const removedFields = ['postData', 'postDataEntries', 'headersText', 'requestHeadersText', 'rawHeader'];
const emptiedFields = ['associatedCookies', 'blockedCookies', 'exemptedCookies'];
const headerFields = ['headers', 'requestHeaders', 'responseHeaders'];

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

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

const escapeForPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** @param headerNames names of headers of the access, whose values may be too short to search for */
export function createScrub(secrets: Iterable<string>, headerNames: readonly string[]): Scrub {
  const texts = [...new Set([...new Set(secrets)].slice(0, most).flatMap(spellingsOf))]
    .filter(text => text.length > 0)
    .toSorted((one, other) => other.length - one.length);
  const names = new Set(headerNames.map(name => name.toLowerCase()));
  const pattern = texts.length > 0 ? new RegExp(texts.map(escapeForPattern).join('|'), 'g') : undefined;
  const hide = (text: string): string => (pattern && text.length >= least.given ? text.replace(pattern, mask) : text);
  const seen = new WeakSet<object>();

  function replaceIn(holder: Record<string, unknown> | unknown[]): void {
    if (!Array.isArray(holder)) removeByName(holder, names);
    const items = holder as Record<string, unknown>;
    for (const name of Object.keys(holder)) {
      const item = items[name];
      const changed = walk(item);
      if (changed !== item) items[name] = changed;
    }
  }

  function walk(value: unknown): unknown {
    if (typeof value === 'string') return hide(value);
    if (!isRecord(value) || seen.has(value) || ArrayBuffer.isView(value)) return value;
    seen.add(value);
    replaceIn(value);
    return value;
  }
  return { text: hide, data: data => walk(data) as typeof data };
}
