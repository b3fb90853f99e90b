/** Reads facts of a process from /proc, or from `ps` on systems without it (macOS). */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export type ProcessFacts = {
  parent: number;
  /** Id of its process group, which is its own id if it leads the group. */
  group: number;
  /** Identifies a process on this machine even if its id is reused. Start times are counted from the boot. */
  identity: string;
};

export type ReadProcess = (pid: number) => ProcessFacts | undefined;

export const readFromProc: ReadProcess = pid => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc_pid_stat(5): state, parent and group follow the name, which may contain any character. The start time is
    // field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { parent: Number(fields[1]), group: Number(fields[2]), identity: `${boot} ${fields[19]}` };
  } catch {
    return undefined;
  }
};

/** Reads the facts from `ps`. Undefined if the process has ended, or the system lacks `ps`. */
export const readFromPs: ReadProcess = pid => {
  try {
    const args = ['-o', 'ppid=', '-o', 'pgid=', '-o', 'lstart=', '-p', String(pid)];
    const line = execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 5_000 });
    const [, parent, group, identity = ''] = /^\s*(\d+)\s+(\d+)\s+(\S.*\S)\s*$/.exec(line) ?? [];
    return parent && group ? { parent: Number(parent), group: Number(group), identity } : undefined;
  } catch {
    return undefined;
  }
};

const hasProc = existsSync('/proc/self/stat');
export const readProcess: ReadProcess = pid => (hasProc ? readFromProc(pid) : readFromPs(pid));

/**
 * Max number of ancestors to search: more than any browser's launcher needs, and finite if the chain changes during the
 * search.
 */
const maxGenerations = 16;

function descends(pid: number, ancestor: number, read: ReadProcess): boolean {
  let at = pid;
  for (let generation = 0; generation < maxGenerations && at > 1; generation += 1) {
    at = read(at)?.parent ?? 0;
    if (at === ancestor) return true;
  }
  return false;
}

/**
 * Finds a process that leads a group and descends from another one, so that its group may be killed with it.
 * @returns `foreign` if it is not a descendant; `gone` if it no longer exists, or this system reports no processes
 */
export function findOwnGroup(pid: number, ancestor: number, read = readProcess): ProcessFacts | 'foreign' | 'gone' {
  const facts = read(pid);
  if (!facts) return 'gone';
  return facts.group === pid && descends(pid, ancestor, read) ? facts : 'foreign';
}

/**
 * Kills a process group, unless its number now belongs to another process. The number is not reused while the group has
 * members, even without its leader.
 */
export function killGroup(pid: number, identity: string): void {
  const now = readProcess(pid);
  if (pid <= 1 || (now && now.identity !== identity)) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
