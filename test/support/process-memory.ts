import { readFileSync } from 'node:fs';

export const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** Bytes that a process takes on Linux: now, or at most since the peak was reset. */
export const memoryOf = (pid: number, field: 'VmRSS' | 'VmHWM'): number =>
  1024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
