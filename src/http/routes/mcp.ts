import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Threads } from '../../analysis/threads/threads.ts';
import type { AskRoute } from '../mcp/mcp-server.ts';
import { clientSignal } from '../server/client-signal.ts';

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

type AuditReader = Pick<Threads, 'readAudit'>;

/** Requests the service's own routes on behalf of the client: with its keys, IP address and limits. */
const askAs =
  (app: FastifyInstance, { headers, host, ip }: FastifyRequest, threads: AuditReader): AskRoute =>
  async ({ method, path, headers: own = {}, audit, signal }) => {
    const same = passedOn.flatMap(name => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
    const { statusCode: status, rawPayload: bytes } = await app.inject({
      method,
      url: path,
      // The host behind a trusted proxy, which the guard has checked.
      headers: { ...Object.fromEntries(same), host, accept: 'application/json', ...own },
      remoteAddress: ip,
      ...(signal ? { signal } : {}),
    });
    // A thread reads whole results: parsing one here would block every other client for a tenth of a second.
    if (audit !== undefined && status < 400)
      return { status, body: { audit: await threads.readAudit({ bytes, audit }) } };
    return { status, body: parse(bytes) };
  };

const toHeaders = ({ headers }: FastifyRequest): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

/** `/mcp`: Streamable HTTP transport of the Model Context Protocol, without sessions. */
export function registerMcp(app: FastifyInstance, threads: AuditReader): void {
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
      // Tools send no notifications, so a subscription would occupy its connection for nothing.
      const handler = createMcpHandler(() => createMcpServer(askAs(app, request, threads)), { maxSubscriptions: 0 });
      const body = request.body as Buffer | undefined;
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
