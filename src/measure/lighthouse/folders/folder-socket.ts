/**
 * Creates sockets in folders, where every process that can open the folder finds them, even in another container. The
 * kernel limits a socket's path to 107 bytes (macOS: 103), so a short path to the folder is used.
 */
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { toShortPath } from './folder-alias.ts';

/**
 * Listens on a socket of this name in a folder, and closes each connection immediately. The server does not keep the
 * process alive. Closing it removes the socket.
 * @throws an error with the folder's path in its message
 */
export async function listenIn(folder: string, name: string): Promise<{ close(): void }> {
  const server = createServer(socket => socket.destroy()).unref();
  const listening = Promise.withResolvers<void>();
  server.on('error', listening.reject);
  try {
    server.listen(join(await toShortPath(folder), name), listening.resolve);
    await listening.promise;
    return server;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`no socket can be made in ${folder}: ${reason}`, { cause: error });
  }
}
export type FolderSocket = Awaited<ReturnType<typeof listenIn>>;

/** State of a socket. `missing`: it does not exist; `unknown`: its state could not be determined. */
export type SocketState = 'answered' | 'abandoned' | 'missing' | 'unknown';

const toState = (code: string | undefined): SocketState => {
  if (code === 'ECONNREFUSED') return 'abandoned';
  return code === 'ENOENT' ? 'missing' : 'unknown';
};

/** Returns the state of a socket: whether the process that created it is still listening. Never throws. */
export async function askSocket(folder: string, name: string): Promise<SocketState> {
  const socket = connect(join(await toShortPath(folder), name));
  const state = await new Promise<SocketState>(resolve => {
    socket.once('connect', () => resolve('answered'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(toState(error.code)));
  });
  socket.destroy();
  return state;
}
