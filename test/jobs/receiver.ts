/** A receiver of callbacks: stores the calls and answers as the test says. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Arrivals, createArrivals } from '../support/arrivals.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import type { Scope } from '../support/start-service.ts';

export type Call = { path: string; headers: IncomingHttpHeaders; body: string };

/** @param statusOf returns the status for a call; the first call has number 1 */
export async function startReceiver(
  scope: Scope,
  statusOf: (call: number) => number = () => 204,
): Promise<{ url: string; calls: Arrivals<Call> }> {
  const calls = createArrivals<Call>();
  const { url } = await startLocalServer(scope, async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    calls.add({ path: request.url ?? '', headers: request.headers, body });
    response.writeHead(statusOf(calls.all.length), { location: '/elsewhere' }).end();
  });
  return { url, calls };
}
