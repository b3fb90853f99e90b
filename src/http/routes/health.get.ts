import type { ResultCache } from '../cache/result-cache.ts';
import type { LocalAnalyser } from '../lighthouse/pool.ts';
import type { RemoteState } from '../psi/back-off.ts';
import type { RemoteAnalyser } from '../psi/remote-analyser.ts';
import { sendJson } from './answer.ts';
import type { Route } from './route.ts';
import { Health } from './schemas.ts';

export const serviceVersion = '2.0.0';

export type HealthSources = {
  local: LocalAnalyser;
  cache: ResultCache;
  analyser: RemoteAnalyser;
  /** What was seen of the remote analyser; calls nobody. */
  remoteState: () => RemoteState;
  lighthouseVersion: string;
  /** False from the moment the service was told to stop. */
  isAccepting: () => boolean;
};

const toPsiState = (seen: RemoteState): Pick<Health['psi'], 'state' | 'until' | 'since'> => ({
  state: seen.state,
  ...(seen.state === 'throttled' ? { until: new Date(seen.untilMs).toISOString() } : {}),
  ...(seen.state === 'down' ? { since: new Date(seen.sinceMs).toISOString() } : {}),
});

const toHealth = (sources: HealthSources): Health => {
  const { local, cache, analyser, remoteState, lighthouseVersion, isAccepting } = sources;
  const lighthouse = local.status();
  return {
    status: lighthouse.available && isAccepting() ? 'ok' : 'degraded',
    version: serviceVersion,
    uptime_seconds: Math.floor(process.uptime()),
    lighthouse: {
      available: lighthouse.available,
      version: lighthouseVersion,
      browser: lighthouse.browser,
      sandbox: lighthouse.sandbox,
      running: lighthouse.running,
      queued: lighthouse.queued,
      parallel_limit: lighthouse.parallel_limit,
    },
    psi: {
      analyser: analyser.kind,
      key_configured: analyser.kind !== 'embedded' && analyser.apiKey !== undefined,
      ...toPsiState(remoteState()),
    },
    cache: cache.status(),
  };
};

/** Alive: answers from memory, starts nothing and calls nobody. */
export const healthRoute = (sources: HealthSources): Route => ({
  operation: {
    method: 'GET',
    path: '/health',
    tag: 'system',
    access: 'open',
    summary: 'Health check',
    description: 'Whether the process serves, and what its parts are doing. Starts no browser, calls nobody.',
    answer: Health,
    validates: false,
    fails: true,
  },
  free: true,
  handle: async (_request, reply) => sendJson(reply, JSON.stringify(toHealth(sources))),
});

/** Ready: 503 while the service should get no new work. */
export const readyRoute = (sources: HealthSources): Route => ({
  operation: {
    method: 'GET',
    path: '/health/ready',
    tag: 'system',
    access: 'open',
    summary: 'Readiness check',
    description: 'The same body as `/health`; status 503 while the service should get no new work.',
    answer: Health,
    validates: false,
    fails: true,
  },
  free: true,
  handle: async (_request, reply) => {
    const health = toHealth(sources);
    return sendJson(reply, JSON.stringify(health), health.status === 'ok' ? 200 : 503);
  },
});
