import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readFromProc } from '../cells/process-facts.ts';
import type { User } from '../cells/worker-process.ts';
import { removeAlias, sweepAliases, toShortPath } from './folder-alias.ts';
import { askSocket, type FolderSocket, listenIn } from './folder-socket.ts';

/** Undefined if there is no /proc: start times in whole seconds prove nothing for as long as a note may lie. */
const identityOf = (pid: number) => (Number.isSafeInteger(pid) && pid > 1 ? readFromProc(pid)?.identity : undefined);

/** Notes on running children, one small file each, for the service that starts after a kill. */
function createProcessNotes() {
  let folder: string | undefined;

  return {
    keepIn(path: string): void {
      folder = path;
    },
    /** @returns a function that drops the note, once the process is gone */
    note(pid: number): () => void {
      const identity = identityOf(pid);
      if (!folder || !identity) return () => {};
      const path = join(folder, String(pid));
      try {
        writeFileSync(path, identity);
      } catch {
        // The folder was cleared away: the note was for a case that is rare, and the child ends by its pipe anyway.
      }
      return () => rmSync(path, { force: true });
    },
  };
}

const endIfSame = async (path: string, pid: number): Promise<boolean> => {
  const noted = await readFile(path, 'utf8');
  if (identityOf(pid) !== noted) return false;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Not the leader of a group of its own: a worker.
    process.kill(pid, 'SIGKILL');
  }
  return true;
};

/** Ends the processes noted in a folder that still are the ones that were noted. @returns how many */
async function endNotedProcesses(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const ended = await Promise.all(names.map(name => endIfSame(join(folder, name), Number(name)).catch(() => false)));
  return ended.filter(Boolean).length;
}

/**
 * The scratch folders of one service, in one folder of its own (its home) that says whether its owner lives: it listens
 * on a socket there. The kernel closes it however the owner ends, so the next start can tell what was left behind, also
 * across containers that share the folder, where process ids say nothing and networks are separate.
 */
export type AuditFolders = {
  /** A fresh folder for one audit, writable by `user`. @throws when there is no room */
  create(user: User | undefined): Promise<string>;
  /**
   * The same folder, by a path that is short enough for a browser's sockets wherever there can be one. Never throws.
   */
  toShortPath(folder: string): Promise<string>;
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
const homeName = /^rangelight-[\da-f]{8}-[\da-f]{4}$/;
const socketName = 'alive';
const processesName = 'processes';

/** A service that starts needs milliseconds from its folder to the socket in it. */
const unfinishedMs = 60_000;

const isOurs = async (folder: string): Promise<boolean> => {
  const facts = await lstat(folder);
  return facts.isDirectory() && facts.uid === process.getuid?.() && (facts.mode & 0o022) === 0;
};

/** What is left of a start that failed before its socket was there: nothing else in it, and too old to be under way. */
async function removeUnfinished(folder: string): Promise<void> {
  const [{ mtimeMs }, names] = await Promise.all([lstat(folder), readdir(folder)]);
  if (Date.now() - mtimeMs < unfinishedMs || names.some(name => name !== processesName)) return;
  // Either fails where something has come meanwhile.
  if (names.length > 0) await rmdir(join(folder, processesName));
  await rmdir(folder);
}

export type FolderMeans = {
  /** Removes a folder and what is in it. */
  removeAll(folder: string): Promise<void>;
  /** Makes the socket that says that its owner lives. */
  listen: typeof listenIn;
  /** Called for each folder that could not be removed, and for each that an ended service had left. */
  onLeftover: (() => void) | undefined;
};

const removeWholly = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

/**
 * @param root where temporary files go, such as `/tmp`
 */
export function createAuditFolders(
  root: string,
  log: Log,
  { removeAll = removeWholly, listen = listenIn, onLeftover = () => {} }: Partial<FolderMeans> = {},
): AuditFolders {
  let home: Promise<{ folder: string; socket: FolderSocket }> | undefined;
  const leftovers = new Set<string>();
  const notes = createProcessNotes();

  async function openHome() {
    const folder = join(root, `${prefix}${randomUUID().slice(0, 13)}`);
    // Others may pass through to a folder of their own, and see nothing.
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

  /** One that was cleared away from outside is made again, once for all who miss it. */
  async function findHome(): Promise<string> {
    home ??= openHome();
    const found = home;
    const forget = () => {
      if (home === found) home = undefined;
    };
    try {
      const { folder, socket } = await found;
      if (await lstat(folder).catch(() => undefined)) return folder;
      await socket.close();
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
      log('removed folders that an ended service had left', { folder, processes: ended });
    } catch (error) {
      log('could not remove folders that an ended service had left', { folder, err: error });
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
    toShortPath: async folder => join(await toShortPath(dirname(folder)), basename(folder)),
    remove: tryRemove,
    noteProcess: notes.note,
    async sweep() {
      const names = await readdir(root).catch(() => []);
      const found = names.filter(name => homeName.test(name));
      await Promise.all(found.map(name => sweepFolder(join(root, name))));
      await sweepAliases(homeName);
    },
    async close() {
      const opened = await home?.catch(() => undefined);
      home = undefined;
      if (!opened) return;
      await removeAlias(opened.folder);
      await tryRemove(opened.folder);
      await opened.socket.close();
    },
  };
}
