/** Names and addresses of a test's own. Nothing it connects to is beyond loopback. */
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import type { Network } from '../../../src/measure/egress/dial.ts';
import { classifyAddress } from '../../../src/measure/targets/address.ts';
import type { Scope } from '../start-service.ts';

export type OwnNetwork = Network & {
  /** Every lookup, in order. */
  readonly lookups: string[];
  /** Every `address port` that was dialled, in order. */
  readonly dialled: string[];
};

/** What an address leads to: a port on loopback whatever the port, `refused`, or `silent`. */
type End = number | 'refused' | 'silent';

const unknown = (host: string): Error => Object.assign(new Error(`no ${host} here`), { code: 'ENOTFOUND' });

const refuse = (): Socket => {
  const socket = new Socket();
  process.nextTick(() => socket.destroy(new Error('connect ECONNREFUSED')));
  return socket;
};

/**
 * @param names the answers of each name; of several lists the next one with every lookup, and the last one for good
 * @param ends where addresses lead; loopback ones that are not listed lead where they say, all others nowhere
 */
export function createOwnNetwork(
  names: Readonly<Record<string, readonly string[] | readonly (readonly string[])[]>>,
  ends: Readonly<Record<string, End>> = {},
): OwnNetwork {
  const lookups: string[] = [];
  const dialled: string[] = [];

  const answersOf = (host: string): readonly string[] => {
    const answers = names[host];
    if (!answers) throw unknown(host);
    const [first] = answers;
    if (typeof first === 'string' || first === undefined) return answers as readonly string[];
    const asked = lookups.filter(name => name === host).length;
    return (answers[Math.min(asked, answers.length) - 1] ?? []) as readonly string[];
  };

  return {
    lookups,
    dialled,
    resolve: async host => {
      lookups.push(host);
      return answersOf(host);
    },
    connect(address, port) {
      dialled.push(`${address} ${port}`);
      const end = ends[address];
      if (end === 'silent') return new Socket();
      if (typeof end === 'number') return connect({ host: '127.0.0.1', port: end, allowHalfOpen: true });
      if (end === undefined && classifyAddress(address) === 'loopback') return connect(port, address);
      return refuse();
    },
  };
}

/** Starts a server of raw connections on a free port of loopback; everything is gone when the scope ends. */
export async function startRawServer(
  scope: Scope,
  onConnection: (socket: Socket) => void,
  host = '127.0.0.1',
): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true }, socket => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  scope.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(0, host, listening.resolve);
  await listening.promise;
  return { port: (server.address() as AddressInfo).port, sockets };
}
