import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AnalysisError, shuttingDown } from '../../contract/errors.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Access } from '../route.ts';
import { createHostCheck } from './allowed-hosts.ts';
import { createKeyRing, givenKeys } from './api-keys.ts';
import { isCrossSite } from './cross-site.ts';

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
      ? 'The request names no host.'
      : `This service does not answer to '${host.slice(0, 100)}': ALLOWED_HOSTS lists its names.`,
  );

const crossSiteRefusal = () =>
  new AnalysisError(
    'cross_site_request',
    'A page of another site seems to have sent this request: only pages of this service, and programs, may.',
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
  const keys = createKeyRing(apiKeys);
  const isAllowedHost = createHostCheck(allowedHosts);

  const hasKey = (request: FastifyRequest): boolean => givenKeys(request).some(key => keys.has(key));

  const refusalOf = (request: FastifyRequest): AnalysisError | undefined => {
    const { access = 'open', starts = false } = request.routeOptions.config;
    const { method, headers, host } = request;
    if (!isAllowedHost(host)) return hostRefusal(host);
    if (isCrossSite({ method, headers, host, costs: access !== 'open', starts, isKeyless: keys.isEmpty }))
      return crossSiteRefusal();
    if (access === 'open') return undefined;
    if (!isAccepting()) return shuttingDown();
    return keys.isEmpty || hasKey(request) ? undefined : keyRefusal(access === 'psi key');
  };

  app.addHook('onRequest', (request, reply, done) => {
    // The client's next request opens a connection: by then it should lead to another instance.
    if (!isReady()) reply.header('connection', 'close');
    const refusal = request.is404 ? undefined : refusalOf(request);
    if (refusal?.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
    done(refusal);
  });
}
