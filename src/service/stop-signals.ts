/** Time in which signals count as one: a terminal, a supervisor and the parent process may each send the same one. */
const sameSignalMs = 500;

/**
 * Listens to signals that stop this process. The first one may have reached the whole process group, so from then on
 * the end of the parent process is no reason to hurry.
 */
export function onStopSignals<Signal extends NodeJS.Signals>(
  signals: readonly Signal[],
  { onFirst, onAgain }: { onFirst: (signal: Signal) => void; onAgain: (signal: Signal) => void },
): void {
  let firstAtMs: number | undefined;
  const hear = (signal: Signal) => {
    if (firstAtMs === undefined) {
      firstAtMs = performance.now();
      // Also removes the listener of the launcher (bin/rangelight.js).
      process.removeAllListeners('disconnect');
      onFirst(signal);
    } else if (performance.now() - firstAtMs > sameSignalMs) onAgain(signal);
  };
  for (const signal of signals) process.on(signal, () => hear(signal));
}
