import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readFromProc } from '../worker-processes/process-facts.ts';
import type { User } from '../worker-processes/worker-process.ts';
import { removeAlias, sweepAliases, toShortPath } from './folder-alias.ts';
import { askSocket, type FolderSocket, listenIn } from './folder-socket.ts';

/**
 * Identifies a process. Undefined without /proc: `ps` reports start times in whole seconds, which cannot prove that a
 * recorded process is still the same.
 */
const identityOf = (pid: number) => (Number.isSafeInteger(pid) && pid > 1 ? readFromProc(pid)?.identity : undefined);

/** Records running child processes in one small file each, for the next service if this one is killed. */
function createProcessNotes() {
  let folder: string | undefined;

  return {
    keepIn(path: string): void {
      folder = path;
    },
    /** @returns a function that removes the record when the process has ended */
    note(pid: number): () => void {
      const identity = identityOf(pid);
      if (!folder || !identity) return () => {};
      const path = join(folder, String(pid));
      try {
        writeFileSync(path, identity);
      } catch {
        // The folder was removed. Records matter only after a kill, and the child ends with its pipe anyway.
      }
      return () => {
        try {
          rmSync(path, { force: true });
        } catch {
          // The disk is read-only or fails. The record is of a process that has ended, so the next start ignores it.
        }
      };
    },
  };
}

const endIfSame = async (path: string, pid: number): Promise<boolean> => {
  const noted = await readFile(path, 'utf8');
  if (identityOf(pid) !== noted) return false;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process is a worker, which does not lead a group of its own.
    process.kill(pid, 'SIGKILL');
  }
  return true;
};

/** Ends the processes recorded in a folder, if they are still the same processes. @returns their number */
async function endNotedProcesses(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const ended = await Promise.all(names.map(name => endIfSame(join(folder, name), Number(name)).catch(() => false)));
  return ended.filter(Boolean).length;
}

const prefix = 'rangelight-';
const homeName = /^rangelight-[\da-f]{8}-[\da-f]{4}$/;
const socketName = 'alive';
const processesName = 'processes';

/**
 * Age at which a home without a socket counts as abandoned. A starting service needs milliseconds to create the socket.
 */
const unfinishedMs = 60_000;

const isOurs = async (folder: string): Promise<boolean> => {
  const facts = await lstat(folder);
  return facts.isDirectory() && facts.uid === process.getuid?.() && (facts.mode & 0o022) === 0;
};

/** Removes a home without a socket, left by a failed start, if it is old and otherwise empty. */
async function removeUnfinished(folder: string): Promise<void> {
  const [{ mtimeMs }, names] = await Promise.all([lstat(folder), readdir(folder)]);
  if (Date.now() - mtimeMs < unfinishedMs || names.some(name => name !== processesName)) return;
  // Each removal fails if something was added to its folder in the meantime.
  if (names.length > 0) await rmdir(join(folder, processesName));
  await rmdir(folder);
}

export type FolderMeans = {
  /** Removes a folder and its content. */
  removeAll(folder: string): Promise<void>;
  /** Creates the socket that shows that the service is running. */
  listen: typeof listenIn;
  /** Called for each folder that could not be removed, and for each that a previous service left behind. */
  onLeftover: (() => void) | undefined;
};

const removeWholly = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

/**
 * Manages the scratch folders of one service in a folder of its own (its home), in which it listens on a socket. The
 * kernel closes the socket however the service ends, so the next start knows which folders are abandoned. This also
 * works across containers that share the folder but have separate process ids and networks.
 * @param root folder of temporary files, such as `/tmp`
 */
export function createAuditFolders(
  root: string,
  log: (event: string, facts: Record<string, unknown>) => void,
  { removeAll = removeWholly, listen = listenIn, onLeftover = () => {} }: Partial<FolderMeans> = {},
) {
  let home: Promise<{ folder: string; socket: FolderSocket }> | undefined;
  const leftovers = new Set<string>();
  const notes = createProcessNotes();

  async function openHome() {
    const folder = join(root, `${prefix}${randomUUID().slice(0, 13)}`);
    // Other users need to reach their own folder, but must not list this one.
    await mkdir(folder, { mode: 0o711 });
    try {
      await mkdir(join(folder, processesName), { mode: 0o700 });
      const socket = await listen(folder, socketName);
      notes.keepIn(join(folder, processesName));
      return { folder, socket };
    } catch (error) {
      await removeAll(folder).catch(() => {});
      throw error;
    }
  }

  /** Returns the home. If it was removed, it is created again, once for all callers. */
  async function findHome(): Promise<string> {
    home ??= openHome();
    const found = home;
    const forget = () => {
      if (home === found) home = undefined;
    };
    try {
      const { folder, socket } = await found;
      if (await lstat(folder).catch(() => undefined)) return folder;
      socket.close();
    } catch (error) {
      forget();
      throw error;
    }
    forget();
    return findHome();
  }

  async function tryRemove(folder: string): Promise<void> {
    try {
      await removeAll(folder);
      leftovers.delete(folder);
    } catch (error) {
      leftovers.add(folder);
      onLeftover();
      log('an audit left its folder behind', { folder, leftovers: leftovers.size, err: error });
    }
  }

  async function sweepFolder(folder: string): Promise<void> {
    try {
      if (!(await isOurs(folder))) return;
      const state = await askSocket(folder, socketName);
      if (state === 'missing') return await removeUnfinished(folder);
      if (state !== 'abandoned') return;
      const ended = await endNotedProcesses(join(folder, processesName));
      await removeAll(folder);
      onLeftover();
      log('removed folders left behind by an ended service', { folder, processes: ended });
    } catch (error) {
      log('could not remove folders left behind by an ended service', { folder, err: error });
    }
  }

  return {
    /** Creates a folder for one audit, writable by `user`. @throws if the disk is full */
    async create(user: User | undefined): Promise<string> {
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
    /** Returns the same folder by a path short enough for a browser's sockets, if possible. Never throws. */
    toShortPath: async (folder: string): Promise<string> => join(await toShortPath(dirname(folder)), basename(folder)),
    /** Removes a folder. If that fails, it is tried again when the next folder is created. Never throws. */
    remove: tryRemove,
    /** Records a child process, in case this service is killed. @returns a function that removes the record */
    noteProcess: notes.note,
    /**
     * Removes the folders of services that have ended, and ends their processes if they are still the same. Never throws.
     */
    async sweep(): Promise<void> {
      const names = await readdir(root).catch(() => []);
      const found = names.filter(name => homeName.test(name));
      await Promise.all(found.map(name => sweepFolder(join(root, name))));
      await sweepAliases(homeName);
    },
    async close(): Promise<void> {
      const opened = await home?.catch(() => undefined);
      home = undefined;
      if (!opened) return;
      await removeAlias(opened.folder);
      await tryRemove(opened.folder);
      opened.socket.close();
    },
  };
}
export type AuditFolders = ReturnType<typeof createAuditFolders>;
