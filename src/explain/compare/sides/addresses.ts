/** Where a load ended, by what of the address is the page's own. */

/** A build, a version or a session in a path: `app.3f2ab9c1.js`. */
const variable = /[0-9a-f]{8,}|\d{5,}/gi;

export const withoutTokens = (path: string): string => path.replace(variable, '*');

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
