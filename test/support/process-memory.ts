import { readFileSync } from 'node:fs';

export const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** Resident memory of a process in bytes, on Linux: `VmRSS` is the current value, `VmHWM` the peak since its reset. */
export const memoryOf = (pid: number, field: 'VmRSS' | 'VmHWM'): number =>
  1024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
