import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Threads } from '../../analysis/threads/threads.ts';
import { AnalysisError, errorTable } from '../../contract/errors.ts';
import { bodyBounds } from '../../contract/json-bounds.ts';
import { toProblem } from '../../contract/problem.ts';
import { createTurns } from '../../measure/fair-turns.ts';
import type { ResultStore } from '../../storage/results/store.ts';
import { parseJson } from '../input/json-position.ts';
import type { AskRoute } from '../mcp/tools.ts';
import type { RouteParts } from '../route.ts';
import { clientSignal } from '../server/client-signal.ts';
import { findFull } from './results/stored.ts';

/** Headers that identify and authorise a client; the others belong to this request only. */
const passedOn = ['authorization', 'x-api-key'] as const;

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // A page, such as that of an unknown path.
    return undefined;
  }
};

type McpParts = Pick<RouteParts, 'toClientId' | 'fullTurns'> & {
  readonly store: ResultStore | undefined;
  readonly threads: Pick<Threads, 'readAudit'>;
};

/** Max number of messages in a batch: each gets a server of its own, which takes milliseconds. */
const mostMessages = 20;

const neverAborted = () => new AbortController().signal;

/** Requests the service's own routes on behalf of the client: with its keys, IP address and limits. */
const askAs =
  (app: FastifyInstance, request: FastifyRequest, { store, threads, fullTurns, toClientId }: McpParts): AskRoute =>
  async ({ method, path, headers: own = {}, body, audit, signal = neverAborted() }) => {
    const { headers, host, ip } = request;
    const same = passedOn.flatMap(name => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
    const { statusCode: status, rawPayload: bytes } = await app.inject({
      method,
      url: path,
      // The host behind a trusted proxy, which the guard has checked.
      headers: { ...Object.fromEntries(same), host, accept: 'application/json', ...own },
      ...(body === undefined ? {} : { payload: body }),
      remoteAddress: ip,
      signal,
    });
    if (audit === undefined || status >= 400) return { status, body: parse(bytes) };
    // A thread reads whole results, one at a time, and the client may read this one.
    const caller = { client: toClientId(request), signal };
    const reading = fullTurns.read(async () => {
      const full = await findFull(store, audit.result);
      return full && threads.readAudit({ full, audit: audit.id }, caller);
    }, caller);
    return reading.then(
      found => ({ status, body: { audit: found } }),
      (error: unknown) => {
        if (!(error instanceof AnalysisError)) throw error;
        return { status: errorTable[error.code].status, body: toProblem(error) };
      },
    );
  };

/** Asks for two calls of a batch at a time, and answers other clients in between. */
function inTurns(ask: AskRoute): AskRoute {
  const takeTurn = createTurns({ atOnce: 2, mostWaiting: mostMessages });
  return order =>
    takeTurn(() => setImmediate().then(() => ask(order)), { client: '', signal: order.signal ?? neverAborted() });
}

/** @throws AnalysisError `payload_too_large` */
function assertBounded(body: Buffer = Buffer.alloc(0)): void {
  const parsed = parseJson(body, bodyBounds);
  const isLong = 'value' in parsed && Array.isArray(parsed.value) && parsed.value.length > mostMessages;
  const fault = isLong ? `it has more than ${mostMessages} messages` : 'excess' in parsed ? parsed.excess : undefined;
  if (fault !== undefined) throw new AnalysisError('payload_too_large', `The body is refused: ${fault}.`);
}

const toHeaders = ({ headers }: FastifyRequest): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

/** `/mcp`: Streamable HTTP transport of the Model Context Protocol, without sessions. */
export function registerMcp(app: FastifyInstance, parts: McpParts): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { access: 'key' },
    bodyLimit: 256 * 1024,
    handler: async (request, reply) => {
      // The modules are loaded for the first agent, because they would slow down every start.
      const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('../mcp/mcp-server.ts'),
      ]);
      const ask = inTurns(askAs(app, request, parts));
      // Tools send no notifications, so a subscription would occupy its connection for nothing.
      const handler = createMcpHandler(() => createMcpServer(ask), { maxSubscriptions: 0 });
      const body = request.body as Buffer | undefined;
      assertBounded(body);
      const answer = await handler.fetch(
        // The guard has checked the host, which may not be valid in a URL.
        new Request('http://localhost/mcp', {
          method: request.method,
          headers: toHeaders(request),
          signal: clientSignal(reply),
          ...(request.method === 'POST' ? { body: new Uint8Array(body ?? []) } : {}),
        }),
      );
      const text = await answer.text();
      for (const [name, value] of answer.headers)
        if (!['content-length', 'connection', 'transfer-encoding'].includes(name)) reply.header(name, value);
      return reply.code(answer.status).send(text);
    },
  });
}
