import type { IncomingHttpHeaders } from 'node:http';

type Asked = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The host the request came to, with its port where it has one. */
  readonly host: string;
  /** Whether a GET sets work going. */
  readonly costs: boolean;
};

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/** `null` (a sandboxed frame, a local file) is another site. */
const isOwnOrigin = (origin: string, host: string): boolean => {
  const url = URL.parse(origin);
  return url !== null && url.host !== '' && url.host === URL.parse(`${url.protocol}//${host}`)?.host;
};

/** A person followed a link or typed an address: the answer fills the tab, and no script of another page sees it. */
const isVisit = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && (headers['sec-fetch-dest'] ?? 'document') === 'document';

/**
 * Whether a page of another site sent the request, from a browser. Browsers say so, programs say nothing: they may.
 * What changes something is judged always; a GET when it costs and is no visit.
 */
export function isCrossSite({ method, headers, host, costs }: Asked): boolean {
  const site = headers['sec-fetch-site'];
  if (isSafe(method)) {
    if (!costs || site === undefined || isVisit(headers)) return false;
    return site !== 'same-origin' && site !== 'none';
  }
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return headers.origin !== undefined && !isOwnOrigin(headers.origin, host);
}
