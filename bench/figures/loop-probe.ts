/**
 * Loaded into a service by event-loop.ts: on SIGUSR2 it writes the longest turn of the event loop since the last
 * signal. A turn is no longer than the CPU time of its thread, so time in which the machine ran something else does not
 * count.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const everyMs = 2;

if (isMainThread && process.env.LOOP_PROBE_FILE) {
  const file = process.env.LOOP_PROBE_FILE;
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let longestMs = 0;
  let at = performance.now();
  let cpu = cpuMs();
  setInterval(() => {
    const [nowMs, nowCpu] = [performance.now(), cpuMs()];
    longestMs = Math.max(longestMs, Math.min(nowMs - at, nowCpu - cpu));
    [at, cpu] = [nowMs, nowCpu];
  }, everyMs).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(file, String(longestMs));
    longestMs = 0;
  });
}
