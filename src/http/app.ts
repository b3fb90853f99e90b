import { createServer } from 'node:http';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { AnalyseLocal } from '../analysis/analyse-local.ts';
import type { AnalyseRemote } from '../analysis/analyse-remote.ts';
import type { Recorder } from '../analysis/records/recorder.ts';
import { type AskWhatIf, createWhatIf } from '../analysis/stored/what-if.ts';
import type { Threads } from '../analysis/threads/threads.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Machine } from '../measure/psi/wire/machine-header.ts';
import type { ReadSitemap } from '../measure/sitemaps/read-sitemap.ts';
import type { TargetPolicy } from '../measure/targets/policy.ts';
import type { Settings } from '../settings/settings.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';
import { createAdmit, giveBackAll } from './access/admit.ts';
import { createAssertOperator, createIsClient, createToClientId, type IsClient } from './access/api-keys.ts';
import { registerClientLimits } from './access/client-limits.ts';
import { registerGuard } from './access/guard.ts';
import { createRateLimit, type PageLimiter } from './access/rate-limit.ts';
import { sendJson, sendProblem } from './answers/answer.ts';
import { toFailure } from './answers/problem.ts';
import { registerUnrouted } from './error-pages/unrouted.ts';
import { ValidationFailure } from './input/validation-error.ts';
import { toOpenApi } from './openapi.ts';
import type { Route, RouteParts } from './route.ts';
import { cacheClearRoute } from './routes/cache-clear.post.ts';
import { compareRoute } from './routes/compare.get.ts';
import { compareReportRoute } from './routes/compare-report.get.ts';
import { registerDocs } from './routes/docs.get.ts';
import { confirmWhatIfRoute } from './routes/experiments/confirm-what-if.post.ts';
import { addExperimentRoute, experimentReportRoute, experimentRoute } from './routes/experiments/experiments.ts';
import { type HealthSources, healthRoute, readyRoute } from './routes/health.get.ts';
import { endJobRoute } from './routes/jobs/job.delete.ts';
import { jobPageRoute, jobRoute, jobsRoute } from './routes/jobs/job.get.ts';
import { jobEventsRoute } from './routes/jobs/job-events.get.ts';
import {
  addScheduleRoute,
  pauseScheduleRoute,
  removeScheduleRoute,
  runScheduleRoute,
  scheduleRoute,
  schedulesRoute,
} from './routes/jobs/schedules.ts';
import { registerLhci } from './routes/lhci/register-lhci.ts';
import { lighthouseRoute } from './routes/lighthouse.get.ts';
import { lighthouseReportRoute } from './routes/lighthouse-report.get.ts';
import { registerLlms } from './routes/llms.get.ts';
import { registerMcp } from './routes/mcp.ts';
import { metricsRoute } from './routes/metrics.get.ts';
import { psiGetRoute } from './routes/psi.get.ts';
import { psiPostRoute } from './routes/psi.post.ts';
import { psiReportRoute } from './routes/psi-report.get.ts';
import { compareResultsRoute } from './routes/results/compare-results.get.ts';
import { historyRoute } from './routes/results/history.get.ts';
import { forgetPageRoute, forgetResultRoute } from './routes/results/result.delete.ts';
import { resultRoute } from './routes/results/result.get.ts';
import {
  resultNetworkLogRoute,
  resultReportRoute,
  resultScreenshotRoute,
  resultTraceRoute,
} from './routes/results/result-files.get.ts';
import { resultsRoute } from './routes/results/results.get.ts';
import { sitesRoute } from './routes/results/sites.get.ts';
import { whatIfRoute } from './routes/results/what-if.get.ts';
import { runPagespeedRoute } from './routes/run-pagespeed.get.ts';
import { sitemapRoute } from './routes/sitemap.get.ts';
import { registerResultPages, registerWeb } from './routes/web.get.ts';
import { type Keeping, toPageAnalyser } from './routes/web-page.ts';
import { ClientDisconnected } from './server/client-signal.ts';
import { registerCompression } from './server/compress.ts';
import { createConnections } from './server/connections.ts';
import { registerRequestLog } from './server/request-log.ts';
import { registerSecurityHeaders } from './server/security-headers.ts';
import {
  connectionLimits,
  createUnreadableAnswer,
  limitBodyTime,
  serverLimits,
  toRoutableUrl,
} from './server/server-limits.ts';
import { registerRequestCount, registerTracing } from './server/trace-requests.ts';

type AppSettings = Pick<
  Settings,
  | 'role'
  | 'errorPages'
  | 'noindex'
  | 'debug'
  | 'psiConcurrency'
  | 'apiKeys'
  | 'adminKeys'
  | 'rateLimit'
  | 'trustProxy'
  | 'allowedHosts'
>;

export type AppParts = HealthSources & {
  /** Facts about this machine for answers of the v5 endpoint. */
  machine: Machine;
  settings: AppSettings;
  /** Interval of heartbeats in streamed responses, in milliseconds; undefined for the default. */
  heartbeatMs: number | undefined;
  log: Logger;
  policy: TargetPolicy;
  analyseRemote: AnalyseRemote;
  analyseLocal: AnalyseLocal;
  readSitemap: ReadSitemap;
  threads: Threads;
  recorder: Recorder;
  metrics: Metrics;
  /** Counts the pages of clients across all instances; undefined if this instance counts its own. */
  pageLimiter?: PageLimiter | undefined;
  /** Tracing of requests; undefined if it is off. */
  tracing?: Tracing | undefined;
  jobs: Jobs;
  /** Returns false if the service accepts no further work. */
  isAccepting: () => boolean;
  /** Aborts with `shutting_down` when the service stops waiting for its requests. */
  ending?: AbortSignal | undefined;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Content type as received, before the framework parses it. */
    contentType: string | undefined;
  }
}

export type App = {
  server: FastifyInstance;
  /** Settles when no request is in progress. */
  whenQuiet(): Promise<void>;
};

const toKeeping = ({ store, settings }: Pick<AppParts, 'store' | 'settings'>): Keeping => {
  if (!store) return 'nothing';
  return settings.apiKeys.length > 0 ? 'locked' : 'open';
};

/** A worker serves only monitoring: its clients use the other instances. */
const toWorkerRoutes = (parts: AppParts & { isClient: IsClient }): Route[] => [
  healthRoute(parts),
  readyRoute(parts),
  metricsRoute(parts),
];

const toRoutes = (parts: RouteParts & AppParts & { isClient: IsClient; askWhatIf: AskWhatIf }): Route[] => [
  psiGetRoute(parts),
  psiPostRoute(parts),
  lighthouseRoute(parts),
  compareRoute(parts),
  psiReportRoute(parts),
  lighthouseReportRoute(parts),
  compareReportRoute(parts),
  sitemapRoute(parts),
  jobsRoute(parts),
  jobRoute(parts),
  endJobRoute(parts),
  jobEventsRoute(parts),
  jobPageRoute(parts),
  addExperimentRoute(parts),
  experimentRoute(parts),
  experimentReportRoute(parts),
  schedulesRoute(parts),
  addScheduleRoute(parts),
  scheduleRoute(parts),
  pauseScheduleRoute(parts),
  runScheduleRoute(parts),
  removeScheduleRoute(parts),
  resultsRoute(parts),
  sitesRoute(parts),
  historyRoute(parts),
  compareResultsRoute(parts),
  forgetPageRoute(parts),
  resultRoute(parts),
  forgetResultRoute(parts),
  resultReportRoute(parts),
  resultScreenshotRoute(parts),
  resultTraceRoute(parts),
  resultNetworkLogRoute(parts),
  whatIfRoute(parts),
  confirmWhatIfRoute(parts),
  cacheClearRoute(parts),
  healthRoute(parts),
  readyRoute(parts),
  metricsRoute(parts),
  runPagespeedRoute(parts),
];

/** Passes bodies of any type on as bytes: read-input.ts interprets them. */
function takeBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // The framework would refuse an invalid content type with its own message.
  app.decorateRequest('contentType', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    const given = request.headers['content-type'];
    request.contentType = given;
    if (given !== undefined && !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;|$)/.test(given))
      request.headers['content-type'] = 'application/octet-stream';
    done();
  });
}

const isFrameworkRefusal = (error: unknown): error is Error & { statusCode: number } =>
  error instanceof Error &&
  'code' in error &&
  String(error.code).startsWith('FST_') &&
  'statusCode' in error &&
  typeof error.statusCode === 'number' &&
  error.statusCode < 500;

function answerError(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof ClientDisconnected) return reply.code(499).send();
  if (error instanceof ValidationFailure) return sendJson(reply, JSON.stringify({ detail: error.items }), 422);
  const failure = toFailure(error);
  if (failure.code === 'internal' && isFrameworkRefusal(error))
    return sendJson(reply, JSON.stringify({ detail: error.message }), error.statusCode);
  return sendProblem(reply, failure);
}

function addRoute(app: FastifyInstance, route: Route): void {
  const { operation, alias, effort, handle, sendFailure, bodyLimit, assertAnnounced } = route;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
  const paths = alias === undefined ? [path] : [path, alias];
  for (const url of paths)
    app.route({
      method: effort === 'read' ? [operation.method, 'HEAD'] : operation.method,
      url,
      handler: handle,
      config: { access: operation.access, measures: effort === 'measurement' },
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      ...(assertAnnounced ? { onRequest: async request => assertAnnounced(request) } : {}),
      ...(sendFailure ? { errorHandler: (error, request, reply) => sendFailure(request, reply, error) } : {}),
    });
}

/**
 * Replaces Fastify's schema compilers, which it would load otherwise. No route has a Fastify schema: read-input.ts
 * reads ours.
 */
const noSchemas = (): never => {
  throw new Error('No route has a schema for Fastify.');
};

/** Creates the HTTP server of the service. It does not listen yet. */
export function createApp(parts: AppParts): App {
  const { settings, log, isReady, isAccepting } = parts;
  const connections = createConnections(connectionLimits);
  const app: FastifyInstance = fastify({
    ...serverLimits,
    // A child logger is used, because its level can be changed independently.
    loggerInstance: log.child({}) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    // A checkout builds the page at each start, which may take longer than Fastify's 10 seconds on a busy machine.
    pluginTimeout: 0,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    // The app is closed when no request is in flight, so the remaining connections are idle.
    forceCloseConnections: true,
    // The guard already refuses these requests, and its response is a Problem.
    return503OnClosing: false,
    // A logger for each request would cost more than a cached answer.
    childLoggerFactory: logger => logger,
    // read-input.ts parses the query if it is needed.
    routerOptions: {
      querystringParser: text => text as unknown as Record<string, unknown>,
      // Path parameters may have any length: one that is too long leads to no route.
      maxParamLength: serverLimits.http.maxHeaderSize,
    },
    // Fastify also calls the factory for a second address of localhost.
    serverFactory: handle => {
      const { http, keepAliveTimeout, requestTimeout } = serverLimits;
      const server = createServer({ ...http, keepAliveTimeout, requestTimeout });
      connections.serve(server, handle);
      return server;
    },
    rewriteUrl: toRoutableUrl,
    clientErrorHandler: createUnreadableAnswer(settings),
  });
  app.decorate('heartbeatMs', parts.heartbeatMs);
  app.decorate('ending', parts.ending);
  const whenQuiet = registerRequestLog(app);
  registerRequestCount(app, parts.metrics);
  if (parts.tracing) registerTracing(app, parts.tracing);
  app.addHook('onSend', (_request, reply, payload, done) => connections.onFirst(reply.raw, () => done(null, payload)));
  const answerUnrouted = registerUnrouted(app, settings);
  takeBodiesAsBytes(app);
  app.decorateRequest('charge', undefined);
  app.addHook('onError', (request, _reply, error, done) => {
    giveBackAll(request, error);
    done();
  });
  // A request without a route gets a 404, even if it has other faults.
  app.setErrorHandler((error, request, reply) =>
    request.is404 ? answerUnrouted(request, reply) : answerError(error, reply),
  );
  if (settings.noindex)
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('x-robots-tag', 'noindex');
      done();
    });
  if (settings.role !== 'worker') registerResultPages(app);
  limitBodyTime(app, createUnreadableAnswer(settings));
  registerGuard(app, { ...settings, isReady, isAccepting });
  const toClientId = createToClientId(settings.apiKeys);
  registerClientLimits(app, { connections, toClientId });
  registerSecurityHeaders(app);
  registerCompression(app);

  const admit = createAdmit({
    rateLimit: createRateLimit(settings.rateLimit, parts.pageLimiter),
    toClientId,
    policy: parts.policy,
  });
  const assertOperator = createAssertOperator(settings);
  const isClient = createIsClient(settings.apiKeys);
  const isWorker = settings.role === 'worker';
  const routes = isWorker
    ? toWorkerRoutes({ ...parts, isClient })
    : toRoutes({ ...parts, admit, toClientId, isClient, assertOperator, askWhatIf: createWhatIf(parts) });
  for (const route of routes) addRoute(app, route);
  if (isWorker) return { server: app, whenQuiet };
  const document = JSON.stringify(
    toOpenApi(
      routes.map(route => route.operation),
      { hasKeys: settings.apiKeys.length > 0, hasLimit: settings.rateLimit > 0 },
    ),
  );
  app.route({
    method: ['GET', 'HEAD'],
    url: '/openapi.json',
    handler: async (_request, reply) => sendJson(reply, document),
  });
  registerDocs(app);
  registerMcp(app, parts.threads);
  registerLlms(app);
  registerLhci(app, { ...parts, assertOperator });
  const pageFacts = {
    analyser: toPageAnalyser(parts.analyser),
    keeping: toKeeping(parts),
    hasCallbacks: parts.jobs.hasSecret,
  };
  // The files are prepared before the service listens.
  void app.register(own => registerWeb(own, pageFacts));
  return { server: app, whenQuiet };
}
