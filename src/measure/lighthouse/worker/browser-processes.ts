/**
 * Processes of a browser, found by its process group. This module sets their priority and reads their processor time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Nice value of low priority: it gives a process a tenth of the CPU share of an ordinary one. */
const lowNice = 10;

/** Linux reports processor time in hundredths of a second, whatever the kernel's timer (`USER_HZ`). */
const tickMs = 10;

/** Share of a CPU below which a browser's load counts as idle. */
const restingShare = 0.05;
/**
 * Number of checks in a row after which it counts as idle. A load is idle while it waits for its server, but not while
 * it waits for its own script.
 */
const looksAtRest = 6;
const lookMs = 500;

/**
 * Returns the fields of `proc_pid_stat(5)` after the name, which may contain any character: state, parent, group; the
 * times are fields 12 and 13.
 */
const readStat = (pid: string): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/** Calls back with each process of a group, except those that end in the meantime. Without /proc, it finds none. */
function visitGroup(group: number, visit: (pid: string, stat: readonly string[]) => void): void {
  let names: string[] = [];
  try {
    names = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  } catch {
    // The system is not Linux.
  }
  for (const pid of names)
    try {
      const stat = readStat(pid);
      if (Number(stat[2]) === group) visit(pid, stat);
    } catch {
      // The process has ended.
    }
}

/**
 * Lowers the scheduling priority of every thread in a process group, and of the threads and processes that they start.
 * Only a privileged process can revert that. Has no effect on systems without `/proc`.
 * @param group process id of the browser, which leads its group
 */
export function lowerPriority(group: number): void {
  visitGroup(group, pid => {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), lowNice);
  });
}

/** Returns the processor time of a group's running processes in milliseconds; undefined without `/proc`. */
export function readCpuMs(group: number): number | undefined {
  let ticks: number | undefined;
  visitGroup(group, (_, stat) => {
    ticks = (ticks ?? 0) + Number(stat[11]) + Number(stat[12]);
  });
  return ticks === undefined ? undefined : ticks * tickMs;
}

/**
 * Returns the processor time that this machine spent on everything but a group and this process, in milliseconds since
 * the machine started; undefined without `/proc`. The first line of `/proc/stat` contains user, nice, system, idle,
 * iowait, irq, softirq and steal.
 */
function readOtherCpuMs(group: number): number | undefined {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1);
    const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
    const busy = ticks.filter((_, at) => at !== 3 && at !== 4).reduce((sum, of) => sum + of, 0);
    const { user, system } = process.cpuUsage();
    return busy * tickMs - (readCpuMs(group) ?? 0) - (user + system) / 1000;
  } catch {
    return undefined;
  }
}

/**
 * Starts to measure the CPU time that other programs use on this machine.
 * @returns a function that returns their CPU time so far, in milliseconds; undefined without `/proc`
 */
export function watchOthers(group: number | undefined): () => number | undefined {
  const read = () => (group === undefined ? undefined : readOtherCpuMs(group));
  const before = read();
  return () => {
    const after = read();
    return before === undefined || after === undefined ? undefined : Math.max(0, Math.round(after - before));
  };
}

/**
 * Watches whether a browser is idle: it waits for the network and hardly uses the CPUs.
 * @param onChange called with each change; a browser is busy at the start
 * @returns `look`, which checks now, and `stop`, which ends the watch
 */
export function watchRest(
  group: number,
  onChange: (isAtRest: boolean) => void,
  { read = readCpuMs, now = () => performance.now() } = {},
): { look(): void; stop(): void } {
  let last = { cpuMs: read(group), at: now() };
  let quietLooks = 0;
  let isAtRest = false;
  const look = () => {
    const next = { cpuMs: read(group), at: now() };
    const share =
      next.cpuMs === undefined || last.cpuMs === undefined ? 1 : (next.cpuMs - last.cpuMs) / (next.at - last.at);
    last = next;
    quietLooks = share < restingShare ? quietLooks + 1 : 0;
    if (isAtRest === quietLooks >= looksAtRest) return;
    isAtRest = !isAtRest;
    onChange(isAtRest);
  };
  const timer = setInterval(look, lookMs);
  return { look, stop: () => clearInterval(timer) };
}
