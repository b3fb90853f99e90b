import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AnalysisError, shuttingDown } from '../../contract/errors.ts';
import { toHost } from '../../measure/targets/host-name.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Access } from '../route.ts';
import { createIsClient } from './api-keys.ts';

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

/** `Accept` of a browser that loads a picture, a style or a video; for a page it starts with `text/html`. */
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

const rememberedHosts = 100;
/** A name and a port; what is longer is a fault, and not worth its room. */
const maxHostCharacters = 300;

/** Host and port as `Host` carries them; undefined when there is none or it is no host. */
const toName = (header: string): ReturnType<typeof toHost> => toHost(header.replace(/:\d*$/, ''));

/**
 * Whether a request came to a name of ours. A page in a person's browser can let its own name resolve to this machine
 * and so become same-origin with the service (DNS rebinding), but then `Host` still has that name. It needs a name for
 * that: an address cannot be made to resolve to another, so addresses are always allowed.
 */
export function createHostCheck(allowed: Settings['allowedHosts']): (header: string) => boolean {
  if (allowed === 'any') return () => true;
  const names = new Set(allowed);
  const judge = (header: string): boolean => {
    const host = toName(header);
    if (!host) return false;
    if (host.kind === 'address' || names.has(host.text)) return true;
    // RFC 6761: every name below it is this machine, too.
    return names.has('localhost') && host.text.endsWith('.localhost');
  };
  // Clients come to a few names, and reading one costs more than answering from the cache.
  const judged = new Map<string, boolean>();
  return header => {
    const known = judged.get(header);
    if (known !== undefined) return known;
    const verdict = judge(header);
    if (judged.size < rememberedHosts && header.length <= maxHostCharacters) judged.set(header, verdict);
    return verdict;
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `open` where it is not said. */
    access?: Access;
    /** Whether a GET of it sets work going. */
    starts?: boolean;
  }
}

export type GuardSettings = Pick<Settings, 'apiKeys' | 'allowedHosts'> & {
  /** False as soon as the service is to stop. */
  isReady: () => boolean;
  /** False when it takes no further work. */
  isAccepting: () => boolean;
};

const hostRefusal = (host: string): AnalysisError =>
  new AnalysisError(
    'host_not_allowed',
    host === ''
      ? 'The request has no Host header.'
      : `This service does not answer to '${host.slice(0, 100)}'. Add the name to ALLOWED_HOSTS.`,
  );

const crossSiteRefusal = () =>
  new AnalysisError(
    'cross_site_request',
    'A page of another site seems to have sent this request. Send it from a server or from a page of this service.',
  );

const keyRefusal = (isPsi: boolean) =>
  new AnalysisError(
    'unauthorized',
    isPsi
      ? 'Send a key of this service as the parameter key, in X-Goog-Api-Key, or as a bearer token.'
      : 'Send a key of this service as Authorization: Bearer KEY, or as X-API-Key: KEY.',
  );

/**
 * Judges every request that has a route before anything of it is read. A request without a route gets a 404, whatever
 * else is wrong with it.
 */
export function registerGuard(
  app: FastifyInstance,
  { apiKeys, allowedHosts, isReady, isAccepting }: GuardSettings,
): void {
  const isClient = createIsClient(apiKeys);
  const isKeyless = apiKeys.length === 0;
  const isAllowedHost = createHostCheck(allowedHosts);

  const refusalOf = (request: FastifyRequest): AnalysisError | undefined => {
    const { access = 'open', starts = false } = request.routeOptions.config;
    const { method, headers, host } = request;
    if (!isAllowedHost(host)) return hostRefusal(host);
    if (isCrossSite({ method, headers, host, costs: access !== 'open', starts, isKeyless })) return crossSiteRefusal();
    if (access === 'open') return undefined;
    if (!isAccepting()) return shuttingDown();
    if (access === 'build token') return undefined;
    return isClient(request) ? undefined : keyRefusal(access === 'psi key');
  };

  app.addHook('onRequest', (request, reply, done) => {
    // The client's next request opens a connection: by then it should lead to another instance.
    if (!isReady()) reply.header('connection', 'close');
    const refusal = request.is404 ? undefined : refusalOf(request);
    if (refusal?.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
    done(refusal);
  });
}
