import { isIPv6 } from 'node:net';
import { isBadPort, portOf } from './endpoint.ts';

const MAX_SHOWN_CHARACTERS = 80;

// Remains of a mistyped scheme: `https//example.com`, `htps;//example.com` and `//example.com`.
const SCHEME_LEFTOVER = /^(?:https?[,.;]?[/\\]+|(?!localhost)[a-z]+[,.;]?\/\/(?=[^/?#]*\.)|[/\\]{2,})/i;

// Only a host and a port may precede the path. An `@` does not match, so the advice never repeats a password.
const STARTS_WITH_HOST = /^(?:[\p{L}\p{N}_][\p{L}\p{N}._-]*|\[[\da-f:.]+\])(?::\d{1,5})?(?=[/?#]|$)/iu;

// Hosts that rarely have a certificate, so that `https://localhost:3000` would be bad advice.
const PLAIN_HTTP_HOST = /^(?:(?:[^/?#]*\.)?localhost\.?|[\d.]+|\[[^/?#]*\])(?=[:/?#]|$)/i;

// The WHATWG parser reads `localhost:3000` as the scheme `localhost`, but the user means a host and a port.
const HOST_AND_PORT = /^([a-z\d.-]+):\d{1,5}(?=[/?#]|$)/i;
const NUMBER_SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'tel', 'sms', 'callto', 'javascript', 'data']);

/**
 * Returns whether `text` looks like `localhost:3000` or `example.com:8080/x`, which the parser would read as a scheme.
 */
function isHostAndPort(text: string): boolean {
  const host = HOST_AND_PORT.exec(text)?.[1];
  return host !== undefined && !NUMBER_SCHEMES.has(host.toLowerCase());
}

/** Returns the message for a missing scheme: pydantic's wording, then the corrected input. */
function missingSchemeReason(text: string): string {
  const rest = text.replace(SCHEME_LEFTOVER, '');
  const target = STARTS_WITH_HOST.test(rest) && !text.includes('@') ? rest : 'example.com';
  const scheme = PLAIN_HTTP_HOST.test(target) ? 'http' : 'https';
  return `relative URL without a base: write '${cut(`${scheme}://${target}`)}' with its scheme`;
}

function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_SHOWN_CHARACTERS) return text;
  return `${characters.slice(0, MAX_SHOWN_CHARACTERS - 1).join('')}…`;
}

export const MAX_URL_CHARACTERS = 2048;
// RFC 1035 section 2.3.4. Its limit of 255 octets allows 253 in the written form.
const MAX_LABEL_CHARACTERS = 63;
export const MAX_HOST_CHARACTERS = 253;

/**
 * Reason why an input is not the URL of a page. `reason` continues pydantic's prefix for the kind: `parsing` "Input
 * should be a valid URL, …", `value` "Value error, …". For `scheme` it is the given scheme, and for `too_long` the
 * limit; pydantic's messages do not contain either.
 */
export type UrlFault = { readonly kind: 'parsing' | 'scheme' | 'too_long' | 'value'; readonly reason: string };

/** The canonical URL (WHATWG `href`, including the fragment), or the first fault. */
export type PageUrl = { readonly href: string } | { readonly fault: UrlFault };

/**
 * Parses a client's input as the URL of a page. Never throws. It is stricter than the WHATWG parser, which repairs
 * input that other parsers read differently: only outer U+0020 are removed, and all other doubtful input is a fault.
 * Parsing the `href` again returns the same.
 */
export function toPageUrl(input: string): PageUrl {
  const text = trimSpaces(input);
  const fault = characterFault(text) ?? schemeFault(text) ?? authorityFault(text);
  return fault ? { fault } : parse(text);
}

/**
 * Returns a canonical URL as Chrome writes it: unlike the WHATWG parser, Chrome encodes `|` in a path. Lighthouse finds
 * no document, and no metric, under any other spelling.
 */
export function toChromeUrl(href: string): string {
  const url = new URL(href);
  url.pathname = url.pathname.replaceAll('|', '%7C');
  return url.href;
}

/** Forms of an `@`, including percent-encoded and the full-width form of Chinese keyboards. */
const atSigns = ['@', '%40', '\uff20'];
const schemePrefix = /^\s*(?:(?:[a-z][a-z\d+.-]*:)?[/\\]+|https?:)/i;

/**
 * Removes possible user names and passwords from an invalid URL, so that it can be displayed and stored. If in doubt it
 * removes more, because the end of a password is unknown in an invalid URL.
 */
export function withoutUserinfo(input: string): string {
  // An e-mail address contains no login.
  if (/^\s*mailto:/i.test(input)) return input;
  const [prefix = ''] = schemePrefix.exec(input) ?? [];
  const rest = input.slice(prefix.length);
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  const end = endOfLastAt(authority) ?? endOfLastAt(rest);
  return end === undefined ? input : prefix + rest.slice(end);
}

function endOfLastAt(text: string): number | undefined {
  const ends = atSigns.map(sign => ({ at: text.lastIndexOf(sign), sign })).filter(({ at }) => at >= 0);
  return ends.length === 0 ? undefined : Math.max(...ends.map(({ at, sign }) => at + sign.length));
}

/** Returns a URL for logs: canonical, or without possible passwords if it is invalid. */
export function toShownUrl(input: string): string {
  const page = toPageUrl(input);
  return 'href' in page ? page.href : toShownInput(input);
}

/** Returns an invalid URL for responses, logs and the database: without possible passwords, and shortened. */
export function toShownInput(input: string): string {
  if (input.length <= MAX_URL_CHARACTERS) return withoutUserinfo(input);
  const [prefix = ''] = schemePrefix.exec(input.slice(0, MAX_URL_CHARACTERS)) ?? [];
  const end = endOfLastAt(input);
  const shown = end === undefined ? input : prefix + input.slice(end);
  return shown.length > MAX_URL_CHARACTERS ? `${shown.slice(0, 200)}…` : shown;
}

// This is not a regular expression: / +$/ takes quadratic time on a long run of spaces inside the text.
function trimSpaces(input: string): string {
  let start = 0;
  let end = input.length;
  while (start < end && input[start] === ' ') start++;
  while (end > start && input[end - 1] === ' ') end--;
  return input.slice(start, end);
}

function characterFault(text: string): UrlFault | undefined {
  if (text === '') return parsing('input is empty');
  if (text.length > MAX_URL_CHARACTERS) return tooLong();
  const control = /\p{Cc}/u.exec(text);
  if (control) return parsing(`control characters are not allowed (${codePoint(control[0])} at ${control.index})`);
  if (text.includes(' ')) return parsing('spaces are not allowed: write %20');
  // The parser would silently replace a lone surrogate with U+FFFD, so the URL would name a different page.
  if (!text.isWellFormed()) return parsing('it contains half of a surrogate pair');
  if (text.includes('\ufffd')) return parsing('it contains U+FFFD, so the text was not UTF-8: save it as UTF-8');
  return undefined;
}

function schemeFault(text: string): UrlFault | undefined {
  const scheme = schemeOf(text);
  if (scheme === undefined || isHostAndPort(text)) return parsing(missingSchemeReason(text));
  if (scheme !== 'http' && scheme !== 'https') return { kind: 'scheme', reason: scheme };
  return undefined;
}

function authorityFault(text: string): UrlFault | undefined {
  const afterScheme = text.slice(text.indexOf(':') + 1);
  if (/^[/\\]*$/.test(afterScheme)) return parsing('empty host');
  if (!afterScheme.startsWith('//')) return parsing(`expected '${schemeOf(text)}://' with two forward slashes`);
  const authority = authorityOf(text);
  if (authority === '') return parsing('empty host');
  if (authority.includes('\\')) return parsing('a backslash is not allowed in the host: write a forward slash');
  // The fault must not repeat the text before the '@', which may be a password.
  if (authority.includes('@')) return value("a user name or password is not allowed: remove what is before the '@'");
  return undefined;
}

function parse(text: string): PageUrl {
  const url = URL.parse(text);
  if (!url) return { fault: parsing(unparsableReason(authorityOf(text))) };
  const fault = hostFault(url.hostname) ?? portFault(portOf(url));
  if (fault) return { fault };
  // Percent-encoding and punycode can make the canonical form longer than the input.
  return url.href.length > MAX_URL_CHARACTERS ? { fault: tooLong() } : { href: url.href };
}

function hostFault(hostname: string): UrlFault | undefined {
  if (hostname.startsWith('[')) return undefined;
  const host = hostname.replace(/\.$/, '');
  const labels = host.split('.');
  if (labels.includes('')) return parsing('invalid international domain name: two dots in a row, or one at the start');
  if (host.length > MAX_HOST_CHARACTERS) {
    return parsing(`invalid international domain name: longer than ${MAX_HOST_CHARACTERS} characters`);
  }
  if (labels.some(label => label.length > MAX_LABEL_CHARACTERS)) {
    return parsing(`invalid international domain name: a part is longer than ${MAX_LABEL_CHARACTERS} characters`);
  }
  return undefined;
}

function portFault(port: number): UrlFault | undefined {
  if (!isBadPort(port)) return undefined;
  return value(`port ${port} is not allowed: browsers load no page from it`);
}

// Explains in pydantic's words why the parser failed, because the parser itself does not report it.
function unparsableReason(authority: string): string {
  if (isIPv6(authority)) return `invalid IPv6 address: write it in brackets, [${authority}]`;
  if (/^\[[^\]]*$/.test(authority)) return 'invalid IPv6 address';
  const { host, port } = splitAuthority(authority);
  if (host === '') return 'empty host';
  if (port !== undefined && !(/^\d*$/.test(port) && Number(port) <= 65_535)) return 'invalid port number';
  if (host.startsWith('[')) return 'invalid IPv6 address';
  // The WHATWG parser treats any host whose last label is a number as an IPv4 address.
  if (/(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i.test(host)) return 'invalid IPv4 address';
  return 'invalid international domain name';
}

function splitAuthority(authority: string): { host: string; port: string | undefined } {
  const colon = authority.indexOf(':', authority.startsWith('[') ? authority.lastIndexOf(']') + 1 : 0);
  if (colon === -1) return { host: authority, port: undefined };
  return { host: authority.slice(0, colon), port: authority.slice(colon + 1) };
}

function authorityOf(text: string): string {
  return /^[^:]*:\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
}

function schemeOf(text: string): string | undefined {
  return /^([a-z][a-z\d+.-]*):/i.exec(text)?.[1]?.toLowerCase();
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function parsing(reason: string): UrlFault {
  return { kind: 'parsing', reason };
}

function value(reason: string): UrlFault {
  return { kind: 'value', reason };
}

function tooLong(): UrlFault {
  return { kind: 'too_long', reason: String(MAX_URL_CHARACTERS) };
}
