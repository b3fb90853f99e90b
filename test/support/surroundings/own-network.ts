/** Names and addresses of the test's own network. Every connection stays on loopback. */
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import type { DialNetwork } from '../../../src/measure/egress/dial.ts';
import { classifyAddress } from '../../../src/measure/targets/address.ts';
import type { Scope } from '../start-service.ts';

export type OwnNetwork = DialNetwork & {
  /** Every lookup, in order. */
  readonly lookups: string[];
  /** Every `address port` that was dialled, in order. */
  readonly dialled: string[];
};

/** Where an address leads: to this port on loopback whatever port is dialled, to a refusal, or to silence. */
type End = number | 'refused' | 'silent';

const unknown = (host: string): Error => Object.assign(new Error(`no ${host} here`), { code: 'ENOTFOUND' });

const refuse = (): Socket => {
  const socket = new Socket();
  process.nextTick(() => socket.destroy(new Error('connect ECONNREFUSED')));
  return socket;
};

/**
 * @param names the addresses of each name; given several lists, each lookup uses the next and later ones the last
 * @param ends where addresses lead; unlisted loopback addresses are dialled as they are, all others refuse
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

/** Starts a raw TCP server on a free port, on loopback by default. It is gone when the scope ends. */
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
