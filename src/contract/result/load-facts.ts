/** The facts of a load that its simulation depends on, read from its artifacts. */

/** Whether a file had loaded before the first contentful paint, only before the largest one, or later. */
export const filePlaces = ['first', 'largest', 'after'] as const;
export type FilePlace = (typeof filePlaces)[number];

/** All requests of a load for one URL without its query. */
export type FileFacts = {
  /** Resource type of Chromium, such as `Script`. */
  readonly type: string;
  readonly requests: number;
  /** Bytes over the network, headers included. */
  readonly bytes: number;
  readonly resourceBytes: number;
  /** Priority of Chromium, such as `High`. */
  readonly priority: string;
  readonly place: FilePlace;
  /** CPU time of the script in this file, in milliseconds. */
  readonly cpuMs: number;
};

export type LoadFacts = {
  /** Files by URL without query. */
  readonly files: Readonly<Record<string, FileFacts>>;
  /** CPU time of all tasks except scripts: parsing, style, layout. */
  readonly otherCpuMs: number;
  /** Benchmark index of the machine; null if unknown. */
  readonly benchmarkIndex: number | null;
  /** Whether its values are simulated: a load with applied throttling cannot be simulated again. */
  readonly isSimulated: boolean;
  /** Speed index of the observed load in milliseconds; null if its frames cannot be read. */
  readonly observedSpeedIndex: number | null;
  /** Server response time by origin, as Lighthouse estimates it. */
  readonly latencyMs: Readonly<Record<string, number>>;
};
