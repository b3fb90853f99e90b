/**
 * Loaded into a service by bench/event-loop.ts: the longest turn of its event loop since it was last asked. Time in which
 * the machine ran something else does not count: a turn is no longer than what its thread had of a processor.
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
