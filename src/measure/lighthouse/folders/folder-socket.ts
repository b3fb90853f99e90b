/**
 * Creates sockets in folders with long paths. The kernel limits a socket's path to 107 bytes (macOS: 103), and the path
 * of a temporary folder alone may be longer. Therefore a short path to the folder is used. The socket itself is in the
 * folder, where every process that can open the folder finds it, even in another container.
 */
import { constants, existsSync } from 'node:fs';
import { mkdtemp, open, rm, symlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const maxSocketPathBytes = 103;

/** A path to a folder, valid until it is closed. */
export type ShortPath = { path: string; close(): Promise<void> };

/** Creates a short path from the number of an open file. This only needs a mounted /proc. */
export async function toOpenFile(folder: string): Promise<ShortPath> {
  const file = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${file.fd}`, close: () => file.close() };
}

/** Creates a short path through a symbolic link, for systems without /proc. */
export async function toLink(folder: string, shortFolder = '/tmp'): Promise<ShortPath> {
  const holder = await mkdtemp(join(shortFolder, 'rl-'));
  const path = join(holder, 'to');
  const close = () => rm(holder, { recursive: true, force: true });
  try {
    await symlink(folder, path);
    return { path, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function shorten(folder: string, name: string): Promise<ShortPath> {
  if (Buffer.byteLength(join(folder, name)) <= maxSocketPathBytes) return { path: folder, close: async () => {} };
  return existsSync('/proc/self/fd') ? toOpenFile(folder) : toLink(folder);
}

/**
 * Listens on a socket of this name in a folder, and closes each connection immediately. The server does not keep the
 * process alive.
 * @throws an error with the folder's path in its message
 */
export async function listenIn(folder: string, name: string, toShort = shorten) {
  const server = createServer(socket => socket.destroy()).unref();
  const listening = Promise.withResolvers<void>();
  server.on('error', listening.reject);
  let short: ShortPath | undefined;
  try {
    short = await toShort(folder, name);
    server.listen(join(short.path, name), listening.resolve);
    await listening.promise;
  } catch (error) {
    await short?.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`no socket can be made in ${folder}: ${reason}`, { cause: error });
  }
  const { close } = short;
  return {
    /** Stops listening, and removes the socket if it still exists. */
    async close(): Promise<void> {
      // Closing removes the socket by the path it was created with, which must be valid until then.
      server.close();
      await close();
    },
  };
}
export type FolderSocket = Awaited<ReturnType<typeof listenIn>>;

/** State of a socket. `missing`: it does not exist; `unknown`: its state could not be determined. */
export type SocketState = 'answered' | 'abandoned' | 'missing' | 'unknown';

const toState = (code: string | undefined): SocketState => {
  if (code === 'ECONNREFUSED') return 'abandoned';
  return code === 'ENOENT' ? 'missing' : 'unknown';
};

/** Returns the state of a socket: whether the process that created it is still listening. Never throws. */
export async function askSocket(folder: string, name: string, toShort = shorten): Promise<SocketState> {
  const short = await toShort(folder, name).catch(() => undefined);
  if (!short) return 'unknown';
  const socket = connect(join(short.path, name));
  const state = await new Promise<SocketState>(resolve => {
    socket.once('connect', () => resolve('answered'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(toState(error.code)));
  });
  socket.destroy();
  await short.close();
  return state;
}
