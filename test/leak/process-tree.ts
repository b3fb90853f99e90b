/** Processes as the kernel shows them. Only what is proved to descend from a process of ours is ever ended. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type Process = {
  readonly pid: number;
  /** In clock ticks since boot: together with the pid it names one process for good. */
  readonly startTime: string;
  readonly command: string;
};

/** What can be told of processes here, or why not. */
export const whyNoProcessTree = process.platform === 'linux' ? undefined : 'skipped: it reads /proc';

const readOr = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Gone, or another user's.
    return '';
  }
};

/** After the name, which may hold anything: state, parent, …; the start time is the 22nd of all (proc_pid_stat(5)). */
const readStat = (pid: number): { parent: number; startTime: string; isZombie: boolean } | undefined => {
  const text = readOr(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text ? { isZombie: fields[0] === 'Z', parent: Number(fields[1]), startTime: fields[19] ?? '' } : undefined;
};

const allPids = (): number[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number);

const toProcess = (pid: number): Process => ({
  pid,
  startTime: readStat(pid)?.startTime ?? '',
  command: readOr(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim(),
});

/** Every process that descends from this one, zombies too: their parent has not asked for them. */
export function descendantsOf(root: number): Process[] {
  const parents = new Map(allPids().map(pid => [pid, readStat(pid)?.parent ?? 0]));
  const descends = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === root || (parent > 1 && descends(parent));
  };
  return [...parents.keys()].filter(descends).map(toProcess);
}

export const isWorker = ({ command }: Process): boolean => command.includes('lighthouse/worker/worker.ts');
/** A browser's first process, none of those it starts itself. */
export const isBrowser = ({ command }: Process): boolean =>
  command.includes('--user-data-dir=') && !command.includes('--type=');
export const isRenderer = ({ command }: Process): boolean => command.includes('--type=renderer');

/** Whether it runs still: the same process, not another with its number. */
export const isAlive = ({ pid, startTime }: Process): boolean => {
  const now = readStat(pid);
  return now !== undefined && now.startTime === startTime && !now.isZombie;
};

/** @returns false when it was gone already */
export function killProcess(target: Process): boolean {
  if (!isAlive(target)) return false;
  process.kill(target.pid, 'SIGKILL');
  return true;
}

export const statusOf = ({ pid }: { pid: number }, field: string): string =>
  new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(readOr(`/proc/${pid}/status`))?.[1] ?? '';

export const countOpenFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
export const residentBytes = (pid: number): number => Number.parseInt(statusOf({ pid }, 'VmRSS'), 10) * 1024;

/** Such as `user:[4026531837]`: equal for two processes in the same one. */
export const namespaceOf = ({ pid }: { pid: number }, name: string): string => readlinkSync(`/proc/${pid}/ns/${name}`);
