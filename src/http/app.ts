import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { AnalyseLocal } from '../analysis/analyse-local.ts';
import type { AnalyseRemote } from '../analysis/analyse-remote.ts';
import type { Settings } from '../settings.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { createAdmit } from './admit.ts';
import { sendJson, sendProblem } from './answer.ts';
import { createKeyRing } from './api-keys.ts';
import { cacheClearRoute } from './cache-clear.post.ts';
import { CallerLeft } from './caller.ts';
import { compareRoute } from './compare.get.ts';
import { compareReportRoute } from './compare-report.get.ts';
import { registerCompression } from './compress.ts';
import { registerDocs } from './docs.get.ts';
import { registerGuard } from './guard.ts';
import { type HealthSources, healthRoute, readyRoute } from './health.get.ts';
import { lighthouseRoute } from './lighthouse.get.ts';
import { lighthouseReportRoute } from './lighthouse-report.get.ts';
import { limitConnections } from './limit-connections.ts';
import { toOpenApi } from './openapi.ts';
import { toFailure } from './problem.ts';
import { psiGetRoute } from './psi.get.ts';
import { psiPostRoute } from './psi.post.ts';
import { psiReportRoute } from './psi-report.get.ts';
import { createRateLimit } from './rate-limit.ts';
import { registerRequestLog } from './request-log.ts';
import { toRoutableUrl } from './routable-url.ts';
import type { Route, RouteParts } from './route.ts';
import { runPagespeedRoute } from './run-pagespeed.get.ts';
import { registerSecurityHeaders } from './security-headers.ts';
import { createUnreadableAnswer, maxConnections, serverLimits } from './server-limits.ts';
import { registerUnrouted } from './unrouted.ts';
import { ValidationFailure } from './validation-error.ts';
import { registerWeb } from './web.get.ts';

type AppSettings = Pick<
  Settings,
  'errorPages' | 'noindex' | 'debug' | 'psiConcurrency' | 'apiKeys' | 'rateLimit' | 'trustProxy' | 'allowedHosts'
>;

export type AppParts = HealthSources & {
  settings: AppSettings;
  /** What the service sends as its key when it asks itself. */
  ownKey: string;
  log: Logger;
  policy: TargetPolicy;
  analyseRemote: AnalyseRemote;
  analyseLocal: AnalyseLocal;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The content type as it came, before the framework saw it. */
    contentType: string | undefined;
  }
}

export type App = {
  server: FastifyInstance;
  /** Settles when no request is under way. */
  whenQuiet(): Promise<void>;
};

const toRoutes = (parts: RouteParts & AppParts): Route[] => [
  psiGetRoute(parts),
  psiPostRoute(parts),
  lighthouseRoute(parts),
  compareRoute(parts),
  psiReportRoute(parts),
  lighthouseReportRoute(parts),
  compareReportRoute(parts),
  cacheClearRoute(parts),
  healthRoute(parts),
  readyRoute(parts),
  runPagespeedRoute(parts),
];

/** Bodies arrive as bytes, whatever their type: read-input.ts decides what they are. */
function takeBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // A content type that is no media type would be refused by the framework before our words for it.
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
  if (error instanceof CallerLeft) return reply.code(499).send();
  if (error instanceof ValidationFailure) return sendJson(reply, JSON.stringify({ detail: error.items }), 422);
  const failure = toFailure(error);
  if (failure.code === 'internal' && isFrameworkRefusal(error))
    return sendJson(reply, JSON.stringify({ detail: error.message }), error.statusCode);
  return sendProblem(reply, failure);
}

/** Whether a request is the embedded analyser's: the service asks itself over loopback. */
const createOwnCallCheck = (ownKey: string) => {
  const own = createKeyRing([ownKey]);
  return ({ headers }: FastifyRequest): boolean => {
    const key = headers['x-goog-api-key'];
    return typeof key === 'string' && own.has(key);
  };
};

function addRoute(app: FastifyInstance, { operation, alias, free, handle, sendFailure }: Route): void {
  const paths = alias === undefined ? [operation.path] : [operation.path, alias];
  for (const url of paths)
    app.route({
      method: free ? [operation.method, 'HEAD'] : operation.method,
      url,
      handler: handle,
      config: { access: operation.access },
      ...(sendFailure ? { errorHandler: (error, request, reply) => sendFailure(request, reply, error) } : {}),
    });
}

/** The HTTP face of the service, without a port. */
export function createApp(parts: AppParts): App {
  const { settings, log, isAccepting } = parts;
  const app: FastifyInstance = fastify({
    ...serverLimits,
    // A child: its level can be turned without touching the rest of the service.
    loggerInstance: log.child({}) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    // A close comes when nothing is under way: what is still open then says nothing.
    forceCloseConnections: true,
    // The guard says it, in our words.
    return503OnClosing: false,
    // A logger of its own for each request costs more than answering it from the cache.
    childLoggerFactory: logger => logger,
    // Read by read-input.ts, where it is needed.
    routerOptions: {
      querystringParser: text => text as unknown as Record<string, unknown>,
      // A path has no part that is too long, only one that leads nowhere.
      maxParamLength: serverLimits.http.maxHeaderSize,
    },
    rewriteUrl: toRoutableUrl,
    clientErrorHandler: createUnreadableAnswer(settings),
  });
  limitConnections(app.server, maxConnections);
  const isOwnCall = createOwnCallCheck(parts.ownKey);
  const whenQuiet = registerRequestLog(app);
  const answerUnrouted = registerUnrouted(app, settings);
  takeBodiesAsBytes(app);
  // What has no route is told so, whatever else is wrong with the request.
  app.setErrorHandler((error, request, reply) =>
    request.is404 ? answerUnrouted(request, reply) : answerError(error, reply),
  );
  if (settings.noindex)
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('x-robots-tag', 'noindex');
      done();
    });
  registerGuard(app, { ...settings, isOwnCall, isAccepting });
  registerSecurityHeaders(app);
  registerCompression(app, isOwnCall);

  const admit = createAdmit(createRateLimit(settings.rateLimit), isOwnCall);
  const routes = toRoutes({ ...parts, admit });
  for (const route of routes) addRoute(app, route);
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
  registerWeb(app);
  return { server: app, whenQuiet };
}
