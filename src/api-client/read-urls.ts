/** Reads typed or pasted text as URLs of pages. The service decides whether they may be measured. */

const hasScheme = (text: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(text);

/** `http` or `https` with one letter added, missing, wrong or out of order. */
const nearHttp = '[a-z]?ttps?|h[a-z]?tps?|ht[a-z]?ps?|htt[a-z]?s?|https?[a-z]?|[htps]{3,7}';
const misspeltScheme = new RegExp(
  `^(?:https?[^a-z\\d.:_?#-]|(?:${nearHttp}|s?ftps?|file|wss?)[,.;]?//[^/?#]*\\.)`,
  'i',
);

/**
 * `https//a.example`, `https;//a.example`, `htps//a.example`: a scheme that lost its colon, or more. It is not clear
 * whether the rest was meant, so it stays as it is and is refused with the way to write it. Any other word before `//`
 * is a host, as in `wiki//page.html`.
 */
const beginsLikeScheme = (text: string): boolean => misspeltScheme.test(text);

/** What a number may follow without being a port: those `targets/missing-scheme.ts` knows too. */
const isNumberScheme = (text: string): boolean => /^(?:https?|tel|sms|callto|javascript|data):/i.test(text);

/** `localhost:3000` and `example.com:8080/x`, which a parser takes for a scheme; `mailto:someone` stays what it is. */
const isHostAndPort = (text: string): boolean => /^[^:/?#@]+:\d{1,5}(?:[/?#]|$)/.test(text) && !isNumberScheme(text);

const looksLikeHost = (text: string): boolean => !/^[^/?#]*:/.test(text) || text.startsWith('[') || isHostAndPort(text);

/** Hosts that seldom have a certificate: this machine, plain numbers, names without a dot or of a local network. */
const speaksPlainHttp = (host: string): boolean =>
  /^(?:\[.*\]|[\d.]+|[^.]+|.*\.(?:localhost|local|internal|test))$/i.test(host);

const hostOf = (text: string): string => /^\[[^\]]*\]|^[^:/?#]*/.exec(text)?.[0] ?? '';

/** Whether an entry contains white space: then it is several URLs or plain words, never one URL. */
export const hasSpace = (entry: string): boolean => /\s/.test(entry);

/**
 * `example.com` → `https://example.com`, `localhost:3000` → `http://localhost:3000`; what has a scheme keeps it, also
 * one that is misspelt, and what has a space in it stays as it was typed.
 */
export function withScheme(text: string): string {
  if (hasScheme(text) || beginsLikeScheme(text) || hasSpace(text)) return text;
  const rest = text.replace(/^\/\//, '');
  if (!looksLikeHost(rest)) return text;
  return `${speaksPlainHttp(hostOf(rest)) ? 'http' : 'https'}://${rest}`;
}

/** A comma may be part of a path or a query; before a space, at the end, and before a scheme it separates. */
const separator = /,(?=\s|$|[a-z][a-z\d+.-]*:\/\/)/i;

/** No host has a comma in it, so one behind a host alone separates too: `a.example,b.example`. */
const hostAndComma = /^((?:[a-z][a-z\d+.-]*:\/\/)?[^/?#,]*),(?!\/\/)/i;

function splitAtHosts(text: string): string[] {
  const entries: string[] = [];
  let rest = text;
  for (let found = hostAndComma.exec(rest); found; found = hostAndComma.exec(rest)) {
    entries.push(found[1] ?? '');
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

/** The message for an entry with a space, without a full stop. */
export const sayHasSpace = (entry: string): string => {
  const shown = entry.length > maxShown ? `${entry.slice(0, maxShown - 1)}…` : entry;
  return `'${shown}' is not the URL of a page: it contains a space. Write each URL on its own line, or separate URLs with commas; write a space in a URL as %20`;
};
