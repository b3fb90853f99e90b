/** Next to what one instance may do at once: what all of them together may. */

export type Pass = { leave(): void };

export type CallGate = {
  /** Waits until a call may go out. @throws the signal's reason */
  enter(signal: AbortSignal): Promise<Pass>;
};

const free: Pass = { leave: () => {} };

/** The gate of an instance that has no others next to it. */
export const noGate: CallGate = { enter: async () => free };

/** The limits of the remote analyser, counted over instances. */
export type SharedLimits = {
  /** @param name tells this analyser from others */
  createGate(name: string, limits: { concurrency: number; ratePerMinute: number }): CallGate;
};
