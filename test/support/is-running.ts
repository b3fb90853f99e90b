import { readFileSync } from 'node:fs';

/** Whether the process runs. A zombie counts as ended: without an init process, nothing removes it. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
