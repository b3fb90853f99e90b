import type { ResultStore, SweepOrder } from '../../storage/results/store.ts';

const everyMs = 15 * 60_000;
const growthEveryMs = 5000;
/** Of KEEP_SIZE, written since the last sweep, or of KEEP_ARTIFACTS, too much of them: then the next one does not wait for its time. */
const growthShare = 1 / 50;

/** Makes room at the start, every quarter of an hour, and when much was written: never two sweeps at once. */
export function sweepByTimer(store: ResultStore, order: SweepOrder): { stop(): void } {
  let isSweeping = false;
  let sweptAtBytes = 0;
  const sweep = async (): Promise<void> => {
    if (isSweeping) return;
    isSweeping = true;
    sweptAtBytes = store.status().writtenBytes;
    // What fails here is reported by the store.
    await store.sweep(order);
    isSweeping = false;
  };
  const sweepIfGrown = (): void => {
    const { writtenBytes, artifactBytes, bounds, isWritable } = store.status();
    const hasGrown = writtenBytes - sweptAtBytes > bounds.keepBytes * growthShare;
    const hasTooMuch = artifactBytes > bounds.keepArtifactBytes * (1 + growthShare);
    if (isWritable && (hasGrown || hasTooMuch)) void sweep();
  };
  void sweep();
  const timers = [setInterval(() => void sweep(), everyMs), setInterval(sweepIfGrown, growthEveryMs)];
  for (const timer of timers) timer.unref();
  return { stop: () => timers.forEach(clearInterval) };
}
