/** A listener that records each connection, for addresses that no page may reach. */
import { type Arrivals, createArrivals } from '../arrivals.ts';
import type { Scope } from '../start-service.ts';
import { startRawServer } from '../surroundings/own-network.ts';

export type Canary = {
  /** The host as a URL writes it. */
  readonly host: string;
  readonly port: number;
  /** The accepted connections, added as each is accepted. */
  readonly connections: Arrivals<number>;
  /** The first line of every request. */
  readonly requests: Arrivals<string>;
};

const answer = [
  'HTTP/1.1 200 OK',
  'Content-Type: text/javascript',
  'Access-Control-Allow-Origin: *',
  'Content-Length: 0',
  'Connection: close',
].join('\r\n');

/** Counts connections at the socket, so a page that connects without sending a request is counted, too. */
export async function startCanary(scope: Scope, host = '127.0.0.1'): Promise<Canary> {
  const connections = createArrivals<number>();
  const requests = createArrivals<string>();
  const { port } = await startRawServer(
    scope,
    socket => {
      connections.add(connections.all.length);
      socket.on('end', () => socket.end());
      socket.once('data', chunk => {
        requests.add(chunk.toString('latin1').split('\r\n', 1)[0] ?? '');
        socket.end(`${answer}\r\n\r\n`);
      });
    },
    host,
  );
  return { host: host.includes(':') ? `[${host}]` : host, port, connections, requests };
}
