import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AnalysisError, shuttingDown } from '../../contract/errors.ts';
import { invalidKey } from '../../measure/psi/wire/error-body.ts';
import { toHost } from '../../measure/targets/host-name.ts';
import type { Settings } from '../../settings/settings.ts';
import type { RouteAccess } from '../route.ts';
import { createIsClient, givenKeys } from './api-keys.ts';

type GuardedRequest = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Host of the request, with its port if there is one. */
  readonly host: string;
  /** Whether the route is for clients only, because it measures pages or reads data that is not public. */
  readonly costs: boolean;
  /** Whether a request measures a page or simulates a load. */
  readonly measures: boolean;
  /** Whether the service accepts requests without a key. Pages of other sites have no key. */
  readonly isKeyless: boolean;
};

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/** Returns whether an origin is that of the service; `null` (a sandboxed frame, a local file) is another site. */
const isOwnOrigin = (origin: string, host: string): boolean => {
  const url = URL.parse(origin);
  return url !== null && url.host !== '' && url.host === URL.parse(`${url.protocol}//${host}`)?.host;
};

/**
 * Returns whether a user opened the URL directly or by a link: the response fills the tab, and no script of a different
 * page can read it.
 */
const isVisit = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-mode'] === 'navigate' &&
  (headers['sec-fetch-dest'] ?? 'document') === 'document' &&
  headers['sec-fetch-user'] === '?1';

const isForeign = (url: string | undefined, host: string): boolean => url !== undefined && !isOwnOrigin(url, host);

/**
 * Matches the `Accept` header of a browser that loads an image, a style sheet or a video; for a page, it starts with
 * `text/html`.
 */
const isEmbedded = (accept = ''): boolean => /^\s*(image|video|audio|text\/css|font)\b/i.test(accept);

/**
 * Returns whether a browser sent the request: a page cannot remove these headers from cross-site requests without a
 * preflight. PowerShell sends only the first one, a headless browser no language.
 */
const isBrowser = (headers: IncomingHttpHeaders): boolean =>
  /^Mozilla\//.test(headers['user-agent'] ?? '') &&
  (headers['accept-language'] !== undefined || headers['accept-encoding'] !== undefined);

/** Returns whether a browser loads a page that the user opens, and does not prefetch it. */
const isPageLoad = ({ accept = '', purpose, 'upgrade-insecure-requests': upgrade }: IncomingHttpHeaders): boolean =>
  /^\s*text\/html\b/i.test(accept) && upgrade === '1' && purpose === undefined;

/**
 * Guesses whether a GET comes from a page of another site, if the browser sent no `Sec-Fetch-Site`. Browsers send it
 * only over https and to localhost; otherwise, pages of this service are identified by their `Referer`, which they send
 * only to it.
 */
function isCrossSiteGuess({ headers, host, isKeyless }: GuardedRequest): boolean {
  const { origin, referer } = headers;
  if (!isKeyless) return false;
  if (isForeign(origin, host) || isForeign(referer, host)) return true;
  if (referer !== undefined || origin !== undefined) return false;
  // A typed URL cannot be distinguished from a frame of a page without a Referer.
  return isEmbedded(headers.accept) || (isBrowser(headers) && !isPageLoad(headers));
}

/**
 * Returns whether a page of another site sent the request from a browser. Browsers send headers that show it; programs
 * do not, and are accepted. Requests that change data are always checked; a GET only if it is costly and not opened by
 * the user.
 */
export function isCrossSite(asked: GuardedRequest): boolean {
  const { method, headers, host, costs, measures } = asked;
  const site = headers['sec-fetch-site'];
  if (isSafe(method)) {
    if (site === undefined) return measures && isCrossSiteGuess(asked);
    if (!costs || isVisit(headers)) return false;
    return site !== 'same-origin' && site !== 'none';
  }
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return isForeign(headers.origin ?? headers.referer, host);
}

const rememberedHosts = 100;
/** Max length of a cached `Host` header: a valid host name with a port is shorter. */
const maxHostCharacters = 300;

/** Parses a `Host` header; undefined if it is missing or invalid. */
const toName = (header: string): ReturnType<typeof toHost> => toHost(header.replace(/:\d*$/, ''));

/**
 * Checks that the request was sent to a known host name. A page in a user's browser can make its own name resolve to
 * this machine and become same-origin with the service (DNS rebinding), but then `Host` still contains that name. IP
 * addresses are always allowed, because they cannot be made to resolve to another one.
 */
export function createHostCheck(allowed: Settings['allowedHosts']): (header: string) => boolean {
  if (allowed === 'any') return () => true;
  const names = new Set(allowed);
  const judge = (header: string): boolean => {
    const host = toName(header);
    if (!host) return false;
    if (host.kind === 'address' || names.has(host.text)) return true;
    // RFC 6761: every name below `localhost` is this machine too.
    return names.has('localhost') && host.text.endsWith('.localhost');
  };
  // The result is cached: clients use a few names, and parsing one costs more than a cached answer.
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
    /** Clients that may use the route; `open` by default. */
    access?: RouteAccess;
    /** Whether a request measures a page or simulates a load. */
    measures?: boolean;
  }
}

export type GuardSettings = Pick<Settings, 'apiKeys' | 'allowedHosts'> & {
  /** Returns false as soon as the service is about to stop. */
  isReady: () => boolean;
  /** Returns false if the service accepts no further work. */
  isAccepting: () => boolean;
};

const hostRefusal = (host: string): AnalysisError =>
  new AnalysisError(
    'host_not_allowed',
    host === ''
      ? 'The request has no Host header.'
      : `This service does not accept requests for '${host.slice(0, 100)}'. Add the name to ALLOWED_HOSTS.`,
  );

const crossSiteRefusal = () =>
  new AnalysisError(
    'cross_site_request',
    'A page of another site seems to have sent this request. Send it from a server or from a page of this service.',
  );

function keyRefusal(request: FastifyRequest, access: RouteAccess): AnalysisError {
  const isPsi = access === 'psi key';
  if (isPsi && givenKeys(request).some(key => key !== '')) return new AnalysisError('unauthorized', invalidKey);
  return new AnalysisError(
    'unauthorized',
    isPsi
      ? 'Send a key of this service as the parameter key, in X-Goog-Api-Key, or as a bearer token.'
      : 'Send a key of this service as Authorization: Bearer KEY, or as X-API-Key: KEY.',
  );
}

/** Checks every routed request before its body is read. A request without a route always gets a 404. */
export function registerGuard(
  app: FastifyInstance,
  { apiKeys, allowedHosts, isReady, isAccepting }: GuardSettings,
): void {
  const isClient = createIsClient(apiKeys);
  const isKeyless = apiKeys.length === 0;
  const isAllowedHost = createHostCheck(allowedHosts);

  const refusalOf = (request: FastifyRequest): AnalysisError | undefined => {
    const { access = 'open', measures = false } = request.routeOptions.config;
    const { method, headers, host } = request;
    if (!isAllowedHost(host)) return hostRefusal(host);
    if (isCrossSite({ method, headers, host, costs: access !== 'open', measures, isKeyless }))
      return crossSiteRefusal();
    if (access === 'open') return undefined;
    // Jobs and results can be read until the end, so a client that follows a job continues after the restart.
    if (!isAccepting() && (measures || !isSafe(method))) return shuttingDown();
    if (access === 'build token') return undefined;
    return isClient(request) ? undefined : keyRefusal(request, access);
  };

  app.addHook('onRequest', (request, reply, done) => {
    // The client must open a new connection, which should reach a different instance.
    if (!isReady()) reply.header('connection', 'close');
    const refusal = request.is404 ? undefined : refusalOf(request);
    if (refusal?.code === 'unauthorized' && refusal.message !== invalidKey) reply.header('www-authenticate', 'Bearer');
    done(refusal);
  });
}
