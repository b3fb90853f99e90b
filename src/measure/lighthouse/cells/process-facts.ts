/** What the system says of a process: from /proc, and where there is none (macOS) from `ps`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export type ProcessFacts = {
  parent: number;
  /** The id of its process group: its own where it leads one. */
  group: number;
  /**
   * What tells it from every other process on this machine, now and later: ids are given again, and start times are
   * counted from the boot.
   */
  identity: string;
};

export type ReadProcess = (pid: number) => ProcessFacts | undefined;

/** Undefined when there is no such process. */
export const readFromProc: ReadProcess = pid => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc_pid_stat(5), after the name, which may hold anything: state, parent, group; the start time is the 22nd of all.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { parent: Number(fields[1]), group: Number(fields[2]), identity: `${boot} ${fields[19]}` };
  } catch {
    return undefined;
  }
};

/** Undefined when there is no such process, or no `ps`. */
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

/** Deeper than any browser's launcher; a chain that changes while it is read ends all the same. */
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
 * A process that leads a process group and descends from another: then its group may be killed with that other.
 * @returns `foreign` when it is none; `gone` when there is no such process any more, or nothing is known of processes here
 */
export function findOwnGroup(pid: number, ancestor: number, read = readProcess): ProcessFacts | 'foreign' | 'gone' {
  const facts = read(pid);
  if (!facts) return 'gone';
  return facts.group === pid && descends(pid, ancestor, read) ? facts : 'foreign';
}

/**
 * Kills a process group, unless its number has been given to another process since. A group outlives its leader, and
 * keeps the number taken for as long.
 */
export function killGroup(pid: number, identity: string): void {
  const now = readProcess(pid);
  if (pid <= 1 || (now && now.identity !== identity)) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
