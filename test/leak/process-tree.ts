/** Processes from /proc. Only proven descendants of a process of the test are ever killed. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type Process = {
  readonly pid: number;
  /** In clock ticks since boot: a pid with its start time is unique. */
  readonly startTime: string;
  readonly command: string;
};

/** Why processes cannot be inspected on this platform; undefined if they can. */
export const whyNoProcessTree = process.platform === 'linux' ? undefined : 'skipped: it reads /proc';

const readOr = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process has ended, or belongs to another user.
    return '';
  }
};

/**
 * Fields after the name, which may contain anything: state, parent, …; the start time is field 22 (proc_pid_stat(5)).
 */
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

/** All descendants, including zombies that their parent has not reaped. */
export function descendantsOf(root: number): Process[] {
  const parents = new Map(allPids().map(pid => [pid, readStat(pid)?.parent ?? 0]));
  const descends = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === root || (parent > 1 && descends(parent));
  };
  return [...parents.keys()].filter(descends).map(toProcess);
}

export const isWorker = ({ command }: Process): boolean => command.includes('lighthouse/worker/worker.ts');
/** Whether this is the main process of a browser. */
export const isBrowser = ({ command }: Process): boolean =>
  command.includes('--user-data-dir=') && !command.includes('--type=');
export const isRenderer = ({ command }: Process): boolean => command.includes('--type=renderer');

/** Whether the same process is still running, not another one with its pid. */
export const isAlive = ({ pid, startTime }: Process): boolean => {
  const now = readStat(pid);
  return now !== undefined && now.startTime === startTime && !now.isZombie;
};

/** @returns false if the process had already ended */
export function killProcess(target: Process): boolean {
  if (!isAlive(target)) return false;
  process.kill(target.pid, 'SIGKILL');
  return true;
}

export const statusOf = ({ pid }: { pid: number }, field: string): string =>
  new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(readOr(`/proc/${pid}/status`))?.[1] ?? '';

export const countOpenFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
export const residentBytes = (pid: number): number => Number.parseInt(statusOf({ pid }, 'VmRSS'), 10) * 1024;

/** For example `user:[4026531837]`: equal for processes in the same namespace. */
export const namespaceOf = ({ pid }: { pid: number }, name: string): string => readlinkSync(`/proc/${pid}/ns/${name}`);
