import type { IncomingHttpHeaders } from 'node:http';

type Asked = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The host the request came to, with its port where it has one. */
  readonly host: string;
  /** Whether a GET reads what is not for everyone. */
  readonly costs: boolean;
  /** Whether a GET sets work going. */
  readonly starts: boolean;
  /** Whether the service takes requests without a key: no other site has one. */
  readonly isKeyless: boolean;
};

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/** `null` (a sandboxed frame, a local file) is another site. */
const isOwnOrigin = (origin: string, host: string): boolean => {
  const url = URL.parse(origin);
  return url !== null && url.host !== '' && url.host === URL.parse(`${url.protocol}//${host}`)?.host;
};

/** A person followed a link or typed an address: the answer fills the tab, and no script of another page sees it. */
const isVisit = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-mode'] === 'navigate' &&
  (headers['sec-fetch-dest'] ?? 'document') === 'document' &&
  headers['sec-fetch-user'] === '?1';

const isForeign = (url: string | undefined, host: string): boolean => url !== undefined && !isOwnOrigin(url, host);

/** What browsers ask for where they show a picture, a style or a video; a page begins with `text/html`. */
const isEmbedded = (accept = ''): boolean => /^\s*(image|video|audio|text\/css|font)\b/i.test(accept);

/** No page can leave these out of what its browser sends elsewhere without asking; PowerShell sends only the first. */
const isBrowser = (headers: IncomingHttpHeaders): boolean =>
  /^Mozilla\//.test(headers['user-agent'] ?? '') &&
  (headers['accept-language'] !== undefined || headers['accept-encoding'] !== undefined);

/** A browser loads a page, and not ahead of anybody who wants to see it. */
const isPageLoad = ({ accept = '', purpose, 'upgrade-insecure-requests': upgrade }: IncomingHttpHeaders): boolean =>
  /^\s*text\/html\b/i.test(accept) && upgrade === '1' && purpose === undefined;

/**
 * Whether a browser that says nothing of sites sent a GET for a page of another one. Browsers say it only to https and
 * to their own machine; elsewhere pages of this service are known by the `Referer` that they send to it alone.
 */
function isCrossSiteGuess({ headers, host, isKeyless }: Asked): boolean {
  const { origin, referer } = headers;
  if (!isKeyless) return false;
  if (isForeign(origin, host) || isForeign(referer, host)) return true;
  if (referer !== undefined || origin !== undefined) return false;
  // A typed address and a frame of a page that sends no Referer look alike.
  return isEmbedded(headers.accept) || (isBrowser(headers) && !isPageLoad(headers));
}

/**
 * Whether a page of another site sent the request, from a browser. Browsers say so, programs say nothing: they may.
 * What changes something is judged always; a GET when it costs and is no visit.
 */
export function isCrossSite(asked: Asked): boolean {
  const { method, headers, host, costs, starts } = asked;
  const site = headers['sec-fetch-site'];
  if (isSafe(method)) {
    if (site === undefined) return starts && isCrossSiteGuess(asked);
    if (!costs || isVisit(headers)) return false;
    return site !== 'same-origin' && site !== 'none';
  }
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return isForeign(headers.origin ?? headers.referer, host);
}
