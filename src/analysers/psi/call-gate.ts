import type { BackOff } from './back-off.ts';

/** Beside what one instance may do at once: what all of them together may. */

export type Pass = { leave(): void };

export type CallGate = {
  /**
   * Waits until a call may go out.
   * @param isProbe the one call that finds out whether the analyser is back
   * @returns undefined where another instance probes already
   * @throws the signal's reason
   */
  enter(call: { signal: AbortSignal; isProbe: boolean }): Promise<Pass | undefined>;
};

const free: Pass = { leave: () => {} };

/** Of an instance that has no others beside it. */
export const noGate: CallGate = { enter: async () => free };

/** The limits of the remote analyser, counted over instances. */
export type SharedLimits = {
  /** @param name tells this analyser from others */
  createGate(name: string, limits: { concurrency: number; ratePerMinute: number }): CallGate;
  /** Makes what one instance has seen of the analyser known to all. @param create one that knows nothing yet */
  shareBackOff(name: string, create: () => BackOff): BackOff;
};
