/** A connection to the database that can fall silent: sockets stay open, and no data comes through. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Scope } from '../support/start-service.ts';

export type SilentLink = { readonly url: string; fallSilent(): void; speak(): void };

/** @param databaseUrl the URL of a server that listens on a socket in a folder */
export async function createSilentLink(scope: Scope, databaseUrl: string): Promise<SilentLink> {
  const { pathname, searchParams } = new URL(databaseUrl);
  const path = join(searchParams.get('host') ?? '', '.s.PGSQL.5432');
  const sockets = new Set<Socket>();
  let isSilent = false;
  const take = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
    socket.pipe(other);
    if (isSilent) socket.pause();
  };
  const server = createServer(socket => {
    const other = connect(path);
    take(socket, other);
    take(other, socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgresql://postgres@127.0.0.1:${port}${pathname}`,
    fallSilent() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    speak() {
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
