import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What tells one process from every other on this machine, now and later: ids are given again, and start times are
 * counted from the boot. Undefined where there is no /proc, or no such process.
 */
const identityOf = (pid: number): string | undefined => {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
    // proc(5): field 22 is the start time, the 20th after the name.
    const startTime = afterName.split(' ')[19];
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${startTime}`;
  } catch {
    return undefined;
  }
};

/** Notes on running children, one small file each, for whoever comes after a kill. */
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
  if (!Number.isSafeInteger(pid) || pid <= 1 || identityOf(pid) !== noted) return false;
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
