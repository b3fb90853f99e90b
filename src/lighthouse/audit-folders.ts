import { randomUUID } from 'node:crypto';
import { chown, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createProcessNotes, endNotedProcesses } from './process-notes.ts';
import type { User } from './worker-handle.ts';

/**
 * The scratch folders of one service, in one folder of its own that says whether its owner lives: a socket in it is
 * listened on. The kernel closes it however the owner ends, so the next start can tell what was left behind, also
 * across containers, where process ids say nothing.
 */
export type AuditFolders = {
  /** A fresh folder for one audit, writable by `user`. @throws when there is no room */
  create(user: User | undefined): Promise<string>;
  /** Never throws: what cannot be removed now is tried again with the next one. */
  remove(folder: string): Promise<void>;
  /** Remembers a child beyond our own death, until the returned function is called. */
  noteProcess(pid: number): () => void;
  /** Removes what services that are gone have left: folders, and processes proven to be theirs. Never throws. */
  sweep(): Promise<void>;
  close(): Promise<void>;
};

type Log = (event: string, facts: Record<string, unknown>) => void;

const prefix = 'rangelight-';
const socketName = 'alive';
const processesName = 'processes';

/** Whether the owner of a folder is gone for sure: nobody listens on the socket it had. */
const isAbandoned = (folder: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(join(folder, socketName));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    // No socket at all proves nothing: the folder may be about to get one.
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });

const isOurs = async (folder: string): Promise<boolean> => {
  const facts = await lstat(folder);
  return facts.isDirectory() && facts.uid === process.getuid?.() && (facts.mode & 0o022) === 0;
};

const removeWholly = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

/**
 * @param root where temporary files go, such as `/tmp`
 * @param removeAll removes a folder and what is in it
 */
export function createAuditFolders(root: string, log: Log, removeAll = removeWholly): AuditFolders {
  let home: Promise<{ folder: string; server: Server }> | undefined;
  const leftovers = new Set<string>();
  const notes = createProcessNotes();

  async function openHome() {
    const folder = join(root, `${prefix}${randomUUID().slice(0, 13)}`);
    // Others may pass through to a folder of their own, and see nothing.
    await mkdir(folder, { mode: 0o711 });
    await mkdir(join(folder, processesName), { mode: 0o700 });
    const server = createServer(socket => socket.destroy()).unref();
    const listening = Promise.withResolvers<void>();
    server.once('error', listening.reject);
    server.listen(join(folder, socketName), listening.resolve);
    await listening.promise;
    notes.keepIn(join(folder, processesName));
    return { folder, server };
  }

  /** One that was cleared away from outside is made anew. */
  async function findHome(): Promise<string> {
    home ??= openHome();
    try {
      const { folder, server } = await home;
      if (await lstat(folder).catch(() => undefined)) return folder;
      server.close();
    } catch (error) {
      home = undefined;
      throw error;
    }
    home = openHome();
    return (await home).folder;
  }

  async function tryRemove(folder: string): Promise<void> {
    try {
      await removeAll(folder);
      leftovers.delete(folder);
    } catch (error) {
      leftovers.add(folder);
      log('an audit left its folder behind', { folder, leftovers: leftovers.size, err: error });
    }
  }

  async function sweepFolder(folder: string): Promise<void> {
    try {
      if (!(await isOurs(folder)) || !(await isAbandoned(folder))) return;
      const ended = await endNotedProcesses(join(folder, processesName));
      await removeAll(folder);
      log('removed what an ended service had left', { folder, processes: ended });
    } catch (error) {
      log('could not remove what an ended service had left', { folder, err: error });
    }
  }

  return {
    async create(user) {
      await Promise.all([...leftovers].map(tryRemove));
      const folder = await mkdtemp(join(await findHome(), 'audit-'));
      if (!user) return folder;
      try {
        await chown(folder, user.uid, user.gid);
        return folder;
      } catch (error) {
        await tryRemove(folder);
        throw error;
      }
    },
    remove: tryRemove,
    noteProcess: notes.note,
    async sweep() {
      const names = await readdir(root).catch(() => []);
      const found = names.filter(name => /^rangelight-[\da-f]{8}-[\da-f]{4}$/.test(name));
      await Promise.all(found.map(name => sweepFolder(join(root, name))));
    },
    async close() {
      const opened = await home?.catch(() => undefined);
      home = undefined;
      if (!opened) return;
      await tryRemove(opened.folder);
      opened.server.close();
    },
  };
}
