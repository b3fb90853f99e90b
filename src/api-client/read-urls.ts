/** Reads typed or pasted text as URLs of pages. The service decides whether they may be measured. */

const hasScheme = (text: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(text);

/** Matches `http` or `https` with one letter added, missing, wrong or out of order. */
const nearHttp = '[a-z]?ttps?|h[a-z]?tps?|ht[a-z]?ps?|htt[a-z]?s?|https?[a-z]?|[htps]{3,7}';
const misspeltScheme = new RegExp(
  `^(?:https?[^a-z\\d.:_?#-]|(?:${nearHttp}|s?ftps?|file|wss?)[,.;]?//[^/?#]*\\.)`,
  'i',
);

/**
 * Returns whether text starts with a scheme that lacks its colon or is misspelled: `https//a.example`,
 * `https;//a.example`, `htps//a.example`. The intended URL is unclear, so the text stays unchanged and is refused with
 * the correct form. Any other word before `//` is a host, as in `wiki//page.html`.
 */
const beginsLikeScheme = (text: string): boolean => misspeltScheme.test(text);

/**
 * Returns whether text starts with a scheme that a number may follow: such a number is not a port, as in
 * `targets/page-url.ts`.
 */
const isNumberScheme = (text: string): boolean => /^(?:https?|tel|sms|callto|javascript|data):/i.test(text);

/**
 * Returns whether text is a host with a port: `localhost:3000`, `example.com:8080/x`. A parser mistakes the host for a
 * scheme. `mailto:someone` is not one.
 */
const isHostAndPort = (text: string): boolean => /^[^:/?#@]+:\d{1,5}(?:[/?#]|$)/.test(text) && !isNumberScheme(text);

const looksLikeHost = (text: string): boolean => !/^[^/?#]*:/.test(text) || text.startsWith('[') || isHostAndPort(text);

/**
 * Returns whether a host rarely has a certificate: this machine, IP addresses, names without a dot or of a local
 * network.
 */
const speaksPlainHttp = (host: string): boolean =>
  /^(?:\[.*\]|[\d.]+|[^.]+|.*\.(?:localhost|local|internal|test))$/i.test(host);

const hostOf = (text: string): string => /^\[[^\]]*\]|^[^:/?#]*/.exec(text)?.[0] ?? '';

/** Returns whether an entry contains white space, which a URL cannot contain: it is several URLs or plain words. */
export const hasSpace = (entry: string): boolean => /\s/.test(entry);

/**
 * Adds a missing scheme: `example.com` → `https://example.com`, `localhost:3000` → `http://localhost:3000`. Text with a
 * scheme, even a misspelled one, and text with a space stay unchanged.
 */
export function withScheme(text: string): string {
  if (hasScheme(text) || beginsLikeScheme(text) || hasSpace(text)) return text;
  const rest = text.replace(/^\/\//, '');
  if (!looksLikeHost(rest)) return text;
  return `${speaksPlainHttp(hostOf(rest)) ? 'http' : 'https'}://${rest}`;
}

/**
 * Matches commas that separate entries: before a space, at the end, and before a scheme. Others may be part of a path
 * or a query.
 */
const separator = /,(?=\s|$|[a-z][a-z\d+.-]*:\/\/)/i;

/**
 * Matches a comma after a bare host, which also separates entries, because no host contains one: `a.example,b.example`.
 */
const hostAndComma = /^((?:[a-z][a-z\d+.-]*:\/\/)?[^/?#,]*),(?!\/\/)/i;

/**
 * Matches a comma after a path and before the same host, or before any host with a path if the first has no scheme:
 * `a.example/x,b.example/y`. A comma in a query belongs to it.
 */
const pathAndComma =
  /^((?:[a-z][a-z\d+.-]*:\/\/)?([^/?#,]+)\/[^?#]*?),(?=\2(?:[/?#,]|$))|^([^:/?#,]+(?::\d{1,5})?\/[^?#]*?),(?=(?:[a-z\d-]+\.)+[a-z]{2,}(?::\d{1,5})?\/)/i;

function splitAtHosts(text: string): string[] {
  const entries: string[] = [];
  let rest = text;
  const findNext = () => hostAndComma.exec(rest) ?? pathAndComma.exec(rest);
  for (let found = findNext(); found; found = findNext()) {
    entries.push(found[1] ?? found[3] ?? '');
    rest = rest.slice(found[0].length);
  }
  return [...entries, rest];
}

/** Splits a text at lines and commas into entries as they were typed. */
export const splitEntries = (text: string): string[] =>
  text
    .split(/[\r\n]+/)
    .flatMap(line => line.split(separator))
    .flatMap(splitAtHosts)
    .map(entry => entry.trim())
    .filter(entry => entry !== '');

/** Returns the URLs of a text with their schemes, without duplicates, in order. An entry with a space is not a URL. */
export const readUrls = (text: string): string[] => [...new Set(splitEntries(text).map(withScheme))];

const maxShown = 100;

/** Returns the message for an entry with a space, without a full stop. */
export const sayHasSpace = (entry: string): string => {
  const shown = entry.length > maxShown ? `${entry.slice(0, maxShown - 1)}…` : entry;
  return `'${shown}' is not the URL of a page: it contains a space. Write each URL on its own line, or separate URLs with commas; write a space in a URL as %20`;
};
