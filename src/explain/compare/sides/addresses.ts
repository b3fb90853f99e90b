/* Names that a build or a release gives to a file: another one of each, for the same file of the same page. */

const kindOf = (sign: string): string => {
  if (/\d/.test(sign)) return 'digit';
  return /[A-Z]/.test(sign) ? 'capital' : 'letter';
};

const countTurns = (piece: string): number =>
  [...piece].filter((sign, at) => at > 0 && kindOf(sign) !== kindOf(piece.charAt(at - 1))).length;

/** Letters, capitals and digits take turns in a word only where it begins, and in `1200x800` once each way. */
const leastShareOfTurns = 0.4;

const isRandom = (text: string): boolean =>
  text.split(/[-_]/).reduce((turns, piece) => turns + countTurns(piece), 0) >= leastShareOfTurns * (text.length - 1);

/** esbuild and Angular write theirs in capitals. */
const isHash = (text: string): boolean => isRandom(text) || /^(?=.*[A-Z])[A-Z\d]+$/.test(text);

/** `main-Bq3x9LkA.js`, `chunk.3PQK4TZE.js`: bundlers take eight signs. */
const hash = /(?<=[-._/])[\w-]{8}(?=(?:\.min)?\.\w+$)/;

/** `main.a1b2c3.js`: six or seven, where digits and letters are mixed. */
const shortHash = /(?<=[-._])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,7}(?=(?:\.min)?\.\w+$)/;

/** A folder for each release. */
const release = /(?<=\/)[\w-]{20,}(?=\/)/g;

/** Of a load, a session, a visitor. */
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

export const withoutBuild = (path: string): string =>
  withoutTokens(
    path
      .replace(uuid, '*')
      .replace(hash, text => (isHash(text) ? '*' : text))
      .replace(shortHash, '*')
      .replace(release, text => (isRandom(text) ? '*' : text)),
  );

/** Where a load ended, by what of the address is the page's own. */

/** A build, a version or a session in a path: `app.3f2ab9c1.js`. */
const variable = /[0-9a-f]{8,}|\d{5,}/gi;

const withoutTokens = (path: string): string => path.replace(variable, '*');

/** Of several hosts with the same files the page takes any: img1, img2, with www and without. An address in numbers is one of its own. */
export const withoutShard = ({ hostname, host, port }: URL): string =>
  /^[\d.]+$|^\[/.test(hostname)
    ? host
    : `${hostname.replace(/^www\d*\./, '').replace(/\d+/g, '*')}${port && `:${port}`}`;

export const withoutHash = (url: string): string => url.split('#', 1)[0] ?? url;

type Address = { place: string; keys: string };

/** A slash at its end, and the values of a query, are often no part of what is shown. */
function toAddress(url: string): Address {
  const parsed = URL.parse(url);
  if (!parsed) return { place: url, keys: '' };
  const { protocol, host, pathname, searchParams } = parsed;
  return {
    place: `${protocol}//${host}${withoutTokens(pathname).replace(/\/$/, '')}`,
    keys: [...new Set(searchParams.keys())].toSorted().join(' '),
  };
}

/** Whether two loads ended elsewhere; `query`: only something was added behind the address. */
export function compareAddresses(one: string, other: string): 'place' | 'query' | 'same' {
  const [first, second] = [toAddress(one), toAddress(other)];
  if (first.place !== second.place) return 'place';
  return first.keys === second.keys ? 'same' : 'query';
}
