import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../answers/answer.ts';
import { prefersJson } from '../input/accept.ts';
import { createDebugRecords, renderDebugRecord } from './debug-records.ts';
import { createNotFound, type HtmlResponse } from './not-found.ts';

/** Max number of exceptions that debug mode stores. */
const maxRecords = 200;

/** Policy for a record, which is a page of text with a style and an empty icon. */
const recordPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type UnroutedSettings = { errorPages: 'html' | 'json'; debug: boolean };

/** Returns the decoded path, as the router reads it. */
const pathOf = ({ url }: FastifyRequest): string => decodeURI(url.split('?', 1)[0] ?? '/');

type MethodsOf = (path: string) => readonly string[];

/** Matches the paths of a route: `:name` is one part of a path, `*` is any end. */
const toMatcher = (route: string): RegExp =>
  new RegExp(
    `^${route
      .split(/(:\w+|\*)/)
      .map(part =>
        part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
      )
      .join('')}$`,
  );

/** Collects the methods of each route while routes are added: other methods of a known path get a 405. */
const createMethodTable = (app: FastifyInstance): MethodsOf => {
  const routes = new Map<string, { matcher: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ path, method }) => {
    const known = routes.get(path) ?? { matcher: toMatcher(path), methods: new Set() };
    for (const name of [method].flat()) known.methods.add(name);
    routes.set(path, known);
  });
  return path => {
    const exact = routes.get(path);
    const found = exact ? [exact] : [...routes.values()].filter(({ matcher }) => matcher.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))];
  };
};

const sendPage = (reply: FastifyReply, page: HtmlResponse) =>
  reply.code(page.status).headers(page.headers).send(Buffer.from(page.body));

const sendNotFoundJson = (reply: FastifyReply, headers: Readonly<Record<string, string>>) =>
  sendJson(reply.headers(headers), '{"detail":"Not Found"}', 404);

/**
 * Answers unrouted requests: a 405 for a wrong method, otherwise the 404 of the specification. Call it before adding
 * routes.
 * @returns a handler with the same answers, for unrouted requests that fail for other reasons
 */
export function registerUnrouted(
  app: FastifyInstance,
  { errorPages, debug }: UnroutedSettings,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const methodsOf = createMethodTable(app);
  const records = debug ? createDebugRecords({ max: maxRecords }) : undefined;
  const toNotFoundPage = createNotFound({
    records,
    onRenderFailure: err => app.log.error({ err }, 'the error page could not be rendered'),
  });

  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const allowed = methodsOf(pathOf(request));
    // If the method is allowed, the handler of the route found nothing.
    if (allowed.length > 0 && !allowed.includes(request.method))
      return sendJson(reply.header('allow', allowed.join(', ')), '{"detail":"Method Not Allowed"}', 405);
    const page = toNotFoundPage({
      method: request.method,
      scheme: request.protocol,
      host: request.host,
      path: request.originalUrl,
      referer: request.headers.referer,
    });
    if (errorPages === 'html' && !prefersJson(request.headers.accept)) return sendPage(reply, page);
    const isDebug = ([name]: [string, string]) => name.includes('debug');
    const debugHeaders = Object.fromEntries(Object.entries(page.headers).filter(isDebug));
    return sendNotFoundJson(reply, errorPages === 'json' ? debugHeaders : page.headers);
  };

  if (records)
    app.get('/_debug/:token', (request, reply) => {
      const record = records.get((request.params as { token: string }).token);
      if (!record) return answer(request, reply);
      return reply
        .header('content-type', 'text/html; charset=UTF-8')
        .header('cache-control', 'no-store')
        .header('content-security-policy', recordPolicy)
        .send(Buffer.from(renderDebugRecord(record)));
    });
  app.setNotFoundHandler(answer);
  return answer;
}
