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
const restingShare = 0.1;
/** Share that wakes a quiet page: a long task, which takes at least 50 ms, within one check. */
const wakingShare = 0.2;
const lookMs = 250;
/**
 * Number of checks in a row after which a load counts as idle. A load that waits for its server is idle, but not one
 * that waits for its own script. docs/internals/measurement.md, "The quiet of a load", has the figures.
 */
const looksAtRest = { waiting: 12, quiet: 2 } as const;
export type Rest = keyof typeof looksAtRest;

/**
 * Returns the fields of `proc_pid_stat(5)` after the name, which may contain any character: state, parent, group; the
 * times are fields 12 and 13.
 */
const readStat = (pid: string): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/** Calls back with each process that is of a group and has not ended. */
function visit(pids: readonly string[], group: number, found: (pid: string, stat: readonly string[]) => void): void {
  for (const pid of pids)
    try {
      const stat = readStat(pid);
      if (Number(stat[2]) === group) found(pid, stat);
    } catch {
      // The process has ended.
    }
}

/** Lists all processes of this machine. Without /proc, it finds none. */
function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter(name => /^\d+$/.test(name));
  } catch {
    // The system is not Linux.
    return [];
  }
}

/**
 * Lowers the scheduling priority of every thread in a process group, and of the threads and processes that they start.
 * Only a privileged process can revert that. Has no effect on systems without `/proc`.
 * @param group process id of the browser, which leads its group
 */
export function lowerPriority(group: number): void {
  visit(listProcesses(), group, pid => {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), lowNice);
  });
}

/** Returns the processor time of a group's running processes in milliseconds; undefined without `/proc`. */
export function readCpuMs(group: number, pids: readonly string[] = listProcesses()): number | undefined {
  let ticks: number | undefined;
  visit(pids, group, (_, stat) => {
    ticks = (ticks ?? 0) + Number(stat[11]) + Number(stat[12]);
  });
  return ticks === undefined ? undefined : ticks * tickMs;
}

/** Returns how long the main thread of a process had to wait for a CPU, in milliseconds, if the kernel counts that. */
function readWaitMs(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1] ?? 0) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * Reads how much CPU time a group used or waited for: next to other work, a page that works may get little. It notices a
 * new process only after a second, because a look at all processes of the machine takes 5 ms of CPU time.
 */
function createDemandReader(group: number): () => number | undefined {
  let looks = 0;
  let pids: string[] = [];
  return () => {
    if (looks % (1000 / lookMs) === 0) {
      pids = [];
      visit(listProcesses(), group, pid => pids.push(pid));
    }
    looks += 1;
    const cpuMs = readCpuMs(group, pids);
    return cpuMs === undefined ? undefined : pids.reduce((sum, pid) => sum + readWaitMs(pid), cpuMs);
  };
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
 * Watches whether a load needs no CPU, because it waits for the network, or because the page is quiet.
 * @param isLoaded returns whether the page has painted and loaded, and its network is idle
 * @param onChange called when a rest starts, and when it ends; a browser is busy at the start
 * @returns `look`, which checks now, and `stop`, which ends the watch
 */
export function watchRest(
  group: number,
  isLoaded: () => boolean,
  onChange: (rest: Rest, isAtRest: boolean) => void,
  { read = createDemandReader(group), now = () => performance.now() } = {},
): { look(): void; stop(): void } {
  let last = { demandMs: read(), at: now() };
  let idleLooks = 0;
  let rest: Rest | undefined;
  /** Returns the share of a CPU that the browser needed since the last check; 1 if it is unknown. */
  const toShare = (): number => {
    const { demandMs, at } = last;
    last = { demandMs: read(), at: now() };
    return demandMs === undefined || last.demandMs === undefined ? 1 : (last.demandMs - demandMs) / (last.at - at);
  };
  const look = () => {
    const kind = rest ?? (isLoaded() ? 'quiet' : 'waiting');
    idleLooks = toShare() < (rest === 'quiet' ? wakingShare : restingShare) ? idleLooks + 1 : 0;
    const isAtRest = idleLooks > 0 && (rest !== undefined || idleLooks >= looksAtRest[kind]);
    if (isAtRest === (rest !== undefined)) return;
    rest = isAtRest ? kind : undefined;
    onChange(kind, isAtRest);
  };
  const timer = setInterval(look, lookMs);
  return { look, stop: () => clearInterval(timer) };
}
