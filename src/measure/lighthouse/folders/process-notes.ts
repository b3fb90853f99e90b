import { rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFromProc } from '../cells/process-facts.ts';

/** Undefined where there is no /proc: start times in whole seconds prove nothing for as long as a note may lie. */
const identityOf = (pid: number) => (Number.isSafeInteger(pid) && pid > 1 ? readFromProc(pid)?.identity : undefined);

/** Notes on running children, one small file each, for the service that starts after a kill. */
export function createProcessNotes() {
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
export async function endNotedProcesses(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const ended = await Promise.all(names.map(name => endIfSame(join(folder, name), Number(name)).catch(() => false)));
  return ended.filter(Boolean).length;
}
