/** The real page with a stub service, whose answers the test controls: events, lines, failures. */
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { type Arrivals, createArrivals } from '../support/arrivals.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { type Scope, type StartedService, startService } from '../support/start-service.ts';

export type StubCall = {
  readonly path: string;
  readonly params: URLSearchParams;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** Resolves when the page closes the connection early. */
  readonly abandoned: Promise<void>;
  /** Sends a whole answer. */
  json(body: unknown, status?: number, headers?: Readonly<Record<string, string>>): void;
  /** Sends a gray pixel. */
  picture(): void;
  /** Sends an event of a stream; `result` and `failed` end the stream. */
  event(name: string, data: unknown): void;
  /** Sends a line of a stream. */
  line(value: unknown): void;
  /** Ends a stream, even too early. */
  end(): void;
};

export type StubService = { readonly url: string; readonly calls: Arrivals<StubCall> };

const greyPixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const isOfThePage = (path: string): boolean => path === '/' || path.startsWith('/assets/');

const services = new Map<string, Promise<StartedService>>();

/**
 * The page does not depend on the answers of a test, so tests of this process share its service. A service that stores
 * results is not shared.
 */
function startReal(scope: Scope, settings: Record<string, string>): Promise<StartedService> {
  if ('DATA_DIR' in settings) return startService(scope, settings);
  const key = JSON.stringify(settings);
  const known = services.get(key) ?? startService({ after: hook => void hooks.push(hook) }, settings);
  services.set(key, known);
  return known;
}

const hooks: (() => Promise<void> | void)[] = [];
after(async () => {
  for (const hook of hooks) await hook();
});

/**
 * @param answer called for every request except those for the page itself
 * @param settings settings of the service that serves the page
 */
export async function startStubService(
  scope: Scope,
  answer: (call: StubCall) => void,
  settings: Record<string, string> = {},
): Promise<StubService> {
  const real = await startReal(scope, settings);
  const calls = createArrivals<StubCall>();
  const { url } = await startLocalServer(scope, async (request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://stub');
    if (isOfThePage(pathname)) {
      const { headers, body } = await fetch(`${real.url}${pathname}${search}`, {
        headers: { 'accept-encoding': 'identity' },
      });
      response.writeHead(200, Object.fromEntries([...headers].filter(([name]) => name !== 'transfer-encoding')));
      for await (const chunk of body ?? []) response.write(chunk);
      return void response.end();
    }
    const abandoned = Promise.withResolvers<void>();
    response.once('close', () => response.writableFinished || abandoned.resolve());
    const begin = (type: string) => response.headersSent || response.writeHead(200, { 'content-type': type });
    const call: StubCall = {
      path: pathname,
      params: searchParams,
      body: await text(request),
      headers: request.headers,
      abandoned: abandoned.promise,
      json: (body, status = 200, headers = {}) =>
        void response
          .writeHead(status, {
            'content-type': status < 400 || status === 422 ? 'application/json' : 'application/problem+json',
            ...headers,
          })
          .end(JSON.stringify(body)),
      picture: () =>
        void response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(greyPixel, 'base64')),
      event(name, data) {
        begin('text/event-stream');
        response.write(`: heartbeat\n\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
        if (name === 'result' || name === 'failed') response.end();
      },
      line(value) {
        begin('application/x-ndjson');
        response.write(`${JSON.stringify(value)}\n`);
      },
      end: () => void response.end(),
    };
    calls.add(call);
    answer(call);
  });
  return { url, calls };
}
