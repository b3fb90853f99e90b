import type { FastifyRequest } from 'fastify';
import type { Threads } from '../../analysis/threads/threads.ts';
import { Health } from '../../contract/health.ts';
import { serviceVersion } from '../../contract/version.ts';
import type { FleetStatus } from '../../fleet/queue/fleet-analyser.ts';
import type { AnalyserState, PsiAnalyser } from '../../measure/analyser.ts';
import type { LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import type { ResultCache } from '../../storage/cache/result-cache.ts';
import type { ResultStore, StoreStatus } from '../../storage/results/store.ts';
import type { IsClient } from '../access/api-keys.ts';
import { sendJson } from '../answers/answer.ts';
import type { Route } from '../route.ts';

export type HealthSources = {
  local: LocalAnalyser;
  cache: ResultCache;
  analyser: PsiAnalyser;
  threads: Pick<Threads, 'status'>;
  /** Result store; undefined if the service stores no results. */
  store: ResultStore | undefined;
  /** Status of the fleet; undefined if the service is not part of one. */
  fleet: (() => FleetStatus) | undefined;
  lighthouseVersion: string;
  /** Returns false from the moment the service is asked to stop. */
  isReady: () => boolean;
};

type HealthParts = HealthSources & { isClient: IsClient };

const toPsiState = (seen: AnalyserState): Pick<Health['psi'], 'state' | 'until' | 'since'> => ({
  state: seen.state,
  ...(seen.state === 'throttled' ? { until: new Date(seen.untilMs).toISOString() } : {}),
  ...(seen.state === 'down' ? { since: new Date(seen.sinceMs).toISOString() } : {}),
});

const toRetention = ({ bounds, clockDoubt }: Pick<StoreStatus, 'bounds' | 'clockDoubt'>) => ({
  days: bounds.keepDays,
  bytes: bounds.keepBytes,
  artifact_bytes: bounds.keepArtifactBytes,
  refused: clockDoubt && 'The clock differs by more than a day from the last time that the store recorded.',
});

const toResultsState = (store: ResultStore | undefined): Health['results'] => {
  if (!store) return { store: 'none', state: 'ok', entries: 0, bytes: 0, artifact_bytes: 0, waiting: 0 };
  const { engine, isReadable, isWritable, entries, bytes, artifactBytes, waiting, lastFault, damage, ...kept } =
    store.status();
  return {
    store: engine,
    state: isReadable && isWritable && damage === null ? 'ok' : 'degraded',
    entries,
    bytes,
    artifact_bytes: artifactBytes,
    retention: toRetention(kept),
    waiting,
    ...(lastFault
      ? { fault: { code: lastFault.code, message: lastFault.message, at: new Date(lastFault.atMs).toISOString() } }
      : {}),
  };
};

/** @param isClient whether to include host names, which only clients of the service may see */
const toFleetState = (
  { role, instance, isReachable, instances, slots, running, waiting, members }: FleetStatus,
  isClient: boolean,
): NonNullable<Health['fleet']> => ({
  role,
  instance,
  database: isReachable ? 'ok' : 'down',
  instances,
  parallel_limit: slots,
  running,
  queued: waiting,
  ...(isClient
    ? { members: members.map(({ slots: limit, ...member }) => ({ ...member, parallel_limit: limit })) }
    : {}),
});

/**
 * Returns whether the instance is cut off. An instance that both serves and audits can work without the others for a
 * while.
 */
const isCutOff = (fleet: FleetStatus | undefined): boolean =>
  fleet !== undefined && fleet.role !== 'all' && !fleet.isReachable;

const mayTakeWork = ({ local, isReady, fleet }: HealthSources): boolean =>
  local.status().available && isReady() && !isCutOff(fleet?.());

const toHealth = (sources: HealthParts, request: FastifyRequest): Health => {
  const { local, cache, analyser, lighthouseVersion } = sources;
  const lighthouse = local.status();
  const thread = sources.threads.status();
  const fleet = sources.fleet?.();
  return {
    // Damage needs an operator, although the service continues with the readable data.
    status: mayTakeWork(sources) && !sources.store?.status().damage && thread.state === 'ok' ? 'ok' : 'degraded',
    version: serviceVersion,
    uptime_seconds: Math.floor(process.uptime()),
    lighthouse: {
      available: lighthouse.available,
      version: lighthouseVersion,
      browser: lighthouse.browser,
      ...(lighthouse.fault === undefined ? {} : { fault: lighthouse.fault }),
      sandbox: lighthouse.sandbox,
      running: lighthouse.running,
      queued: lighthouse.queued,
      parallel_limit: lighthouse.parallel_limit,
    },
    psi: {
      analyser: analyser.kind,
      key_configured: analyser.hasKey,
      ...toPsiState(analyser.state()),
    },
    thread,
    cache: cache.status(),
    ...(fleet ? { fleet: toFleetState(fleet, sources.isClient(request)) } : {}),
    results: toResultsState(sources.store),
  };
};

/** Liveness: responds from memory, without starting or calling anything. */
export const healthRoute = (sources: HealthParts): Route => ({
  operation: {
    method: 'GET',
    path: '/health',
    tag: 'system',
    access: 'open',
    summary: 'Health check',
    description: 'State of the process and its components. Does not start a browser or call other services.',
    answer: Health,
  },
  effort: 'read',
  handle: async (request, reply) => sendJson(reply, JSON.stringify(toHealth(sources, request))),
});

/** Readiness: 503 while the service should not receive new work. */
export const readyRoute = (sources: HealthParts): Route => ({
  operation: {
    method: 'GET',
    path: '/health/ready',
    tag: 'system',
    access: 'open',
    summary: 'Readiness check',
    description: 'Same body as `/health`; status 503 while the service should not receive new work.',
    answer: Health,
  },
  effort: 'read',
  handle: async (request, reply) => {
    return sendJson(reply, JSON.stringify(toHealth(sources, request)), mayTakeWork(sources) ? 200 : 503);
  },
});
