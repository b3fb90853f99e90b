import type { Socket } from 'node:net';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { AnalyseLocal } from '../analysis/analyse-local.ts';
import type { AnalyseRemote } from '../analysis/analyse-remote.ts';
import type { Settings } from '../settings.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { sendJson, sendProblem } from './answer.ts';
import { cacheClearRoute } from './cache-clear.post.ts';
import { CallerLeft } from './caller.ts';
import { compareRoute } from './compare.get.ts';
import { registerDocs } from './docs.get.ts';
import { type HealthSources, healthRoute, readyRoute } from './health.get.ts';
import { lighthouseRoute } from './lighthouse.get.ts';
import { toOpenApi } from './openapi.ts';
import { toFailure } from './problem.ts';
import { psiGetRoute } from './psi.get.ts';
import { psiPostRoute } from './psi.post.ts';
import type { Route } from './route.ts';
import { runPagespeedRoute } from './run-pagespeed.get.ts';
import { registerUnrouted } from './unrouted.ts';
import { ValidationFailure } from './validation-error.ts';
import { registerWeb } from './web.get.ts';

export type AppParts = HealthSources & {
  settings: Pick<Settings, 'errorPages' | 'noindex' | 'debug'>;
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

/** 100 URLs of 2,048 characters, even written as JSON escapes, fit. */
const bodyLimit = 1024 * 1024;

const toRoutes = (parts: AppParts): Route[] => [
  psiGetRoute(parts),
  psiPostRoute(parts),
  lighthouseRoute(parts),
  compareRoute(parts),
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

/** What is no HTTP request at all: most often a URL in the query that was not percent-encoded. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const detail = isTooLarge
    ? 'The request line and headers are larger than 16 KB.'
    : "This is no HTTP request: percent-encode the URL, for example with curl -G --data-urlencode 'url=…'.";
  const body = Buffer.from(JSON.stringify({ detail }));
  socket.write(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`,
  );
  socket.end(body);
}

/** The HTTP face of the service, without a port. */
export function createApp(parts: AppParts): FastifyInstance {
  const { settings, log } = parts;
  const app: FastifyInstance = fastify({
    // A child: its level can be turned without touching the rest of the service.
    loggerInstance: log.child({}) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    bodyLimit,
    // A logger of its own for each request costs more than answering it from the cache.
    childLoggerFactory: logger => logger,
    // Read by read-input.ts, where it is needed.
    routerOptions: { querystringParser: text => text as unknown as Record<string, unknown> },
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (_error, request, reply) => void answerUnrouted(request, reply),
  });
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
  app.addHook('onResponse', (request, reply, done) => {
    const { id: reqId, method } = request;
    const facts = { reqId, method, route: request.routeOptions.url, status: reply.statusCode };
    log.info({ ...facts, ms: Math.round(reply.elapsedTime) }, 'answered');
    done();
  });

  const routes = toRoutes(parts);
  for (const { operation, free, handle } of routes)
    app.route({ method: free ? [operation.method, 'HEAD'] : operation.method, url: operation.path, handler: handle });
  const document = JSON.stringify(toOpenApi(routes.map(route => route.operation)));
  app.route({
    method: ['GET', 'HEAD'],
    url: '/openapi.json',
    handler: async (_request, reply) => sendJson(reply, document),
  });
  registerDocs(app);
  registerWeb(app);
  return app;
}
