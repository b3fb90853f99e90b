/** The processes of a browser, by its process group: their priority, and the processor time that they take. */
import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Where both want a processor, a tenth of the share of an ordinary process. */
const lowNice = 10;

/** Linux counts processor time in hundredths of a second, whatever its timer does (`USER_HZ`). */
const tickMs = 10;

/** A load at rest: its browser took less than this share of a processor... */
const restingShare = 0.05;
/** ... for so many looks in a row. A page whose server takes long rests; one that waits for its own script does not. */
const looksAtRest = 6;
const lookMs = 500;

/**
 * `proc_pid_stat(5)`, after the name, which may contain anything: state, parent, group; the times are 12th and 13th.
 */
const readStat = (pid: string): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/** Calls back with each process of a group. Processes that end meanwhile are skipped; without /proc there are none. */
function visitGroup(group: number, visit: (pid: string, stat: readonly string[]) => void): void {
  let names: string[] = [];
  try {
    names = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  } catch {
    // No Linux.
  }
  for (const pid of names)
    try {
      const stat = readStat(pid);
      if (Number(stat[2]) === group) visit(pid, stat);
    } catch {
      // It has ended.
    }
}

/**
 * Lowers the scheduling priority of every thread of a process group, and so of whatever it starts afterwards. Only a
 * privileged process can take that back. Does nothing on systems without `/proc`.
 * @param group process id of the browser, which leads its group
 */
export function lowerPriority(group: number): void {
  visitGroup(group, pid => {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), lowNice);
  });
}

/** Milliseconds of processor time that the running processes of a group have taken; undefined without `/proc`. */
export function readCpuMs(group: number): number | undefined {
  let ticks: number | undefined;
  visitGroup(group, (_, stat) => {
    ticks = (ticks ?? 0) + Number(stat[11]) + Number(stat[12]);
  });
  return ticks === undefined ? undefined : ticks * tickMs;
}

/**
 * Follows whether a browser is at rest: it waits for the network, and leaves the processors to others.
 * @param onChange called with each change; at first the browser is not at rest
 * @returns a function that ends it
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
