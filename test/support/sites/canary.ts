/** A listener that no page may reach, or that notes each connection. */
import { type Arrivals, createArrivals } from '../arrivals.ts';
import type { Scope } from '../start-service.ts';
import { startRawServer } from '../surroundings/own-network.ts';

export type Canary = {
  /** As a URL has it. */
  readonly host: string;
  readonly port: number;
  /** Every accepted connection, at the moment it was accepted. */
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

/** Counts connections by the socket, not by requests: a page that only connects is counted, too. */
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
