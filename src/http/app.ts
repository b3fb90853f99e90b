import { createServer } from 'node:http';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { createWhatIf } from '../analysis/stored/what-if.ts';
import { createAdmit, giveBackAll } from './access/admit.ts';
import { createAssertOperator, createIsClient, createToClientId } from './access/api-keys.ts';
import { registerBodyBudget } from './access/body-budget.ts';
import { registerClientLimits } from './access/client-limits.ts';
import { registerGuard } from './access/guard.ts';
import { createRateLimit } from './access/rate-limit.ts';
import { sendJson, sendProblem } from './answers/answer.ts';
import { toFailure } from './answers/problem.ts';
import type { AppParts } from './app-parts.ts';
import { registerUnrouted } from './error-pages/unrouted.ts';
import { ValidationFailure } from './input/validation-error.ts';
import { toOpenApi } from './openapi.ts';
import { accessOf, type Route } from './route.ts';
import { toRoutes, toWorkerRoutes } from './route-list.ts';
import { registerDocs } from './routes/docs.get.ts';
import { registerLhci } from './routes/lhci/register-lhci.ts';
import { registerLlms } from './routes/llms.get.ts';
import { registerMcp } from './routes/mcp.ts';
import { registerResultPages, registerWeb } from './routes/web.get.ts';
import { type Keeping, toPageAnalyser } from './routes/web-page.ts';
import { isDisconnect } from './server/client-signal.ts';
import { registerCompression } from './server/compress.ts';
import { createConnections } from './server/connections.ts';
import { createFullTurns } from './server/full-turns.ts';
import { registerRequestLog } from './server/request-log.ts';
import { registerSecurityHeaders } from './server/security-headers.ts';
import {
  arrivalLimits,
  connectionLimits,
  createUnreadableAnswer,
  limitBodyTime,
  serverLimits,
  toRoutableUrl,
} from './server/server-limits.ts';
import { registerRequestCount, registerTracing } from './server/trace-requests.ts';

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
  if (isDisconnect(error, reply)) return reply.code(499).send();
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
      config: { access: accessOf(operation), measures: effort === 'measurement' },
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
  const { bodyTimeout, ...timeouts } = parts.arrival ?? arrivalLimits;
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
      const server = createServer({ ...http, ...timeouts, keepAliveTimeout, requestTimeout });
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
  const answerUnreadable = createUnreadableAnswer(settings);
  limitBodyTime(app, answerUnreadable, bodyTimeout);
  registerGuard(app, { ...settings, isReady, isAccepting });
  const toClientId = createToClientId(settings.apiKeys);
  registerClientLimits(app, { connections, toClientId });
  registerBodyBudget(app, { toClientId, answer: answerUnreadable });
  registerSecurityHeaders(app);
  registerCompression(app);

  const rateLimit = createRateLimit(settings.rateLimit, parts.pageLimiter);
  const admit = createAdmit({
    rateLimit,
    toClientId,
    policy: parts.policy,
    analyser: parts.analyser,
  });
  const assertOperator = createAssertOperator(settings);
  const isClient = createIsClient(settings.apiKeys);
  const isWorker = settings.role === 'worker';
  const fullTurns = createFullTurns();
  const routes = isWorker
    ? toWorkerRoutes({ ...parts, isClient })
    : toRoutes({ ...parts, admit, toClientId, isClient, assertOperator, fullTurns, askWhatIf: createWhatIf(parts) });
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
  registerMcp(app, { ...parts, fullTurns, toClientId });
  registerLlms(app);
  registerLhci(app, { ...parts, assertOperator, rateLimit, fullTurns, toClientId });
  const pageFacts = {
    analyser: toPageAnalyser(parts.analyser),
    keeping: toKeeping(parts),
    hasCallbacks: parts.jobs.hasSecret,
  };
  // The files are prepared before the service listens.
  void app.register(own => registerWeb(own, pageFacts));
  return { server: app, whenQuiet };
}
