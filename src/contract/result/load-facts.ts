/** What the simulation of a load depends on, as it is read from the artifacts of the load. */

/** Whether a file was there before the first contentful paint, only before the largest one, or later. */
export const filePlaces = ['first', 'largest', 'after'] as const;
export type FilePlace = (typeof filePlaces)[number];

/** All requests of a load under one URL without query. */
export type FileFacts = {
  /** As Chromium names it, such as `Script`. */
  readonly type: string;
  readonly requests: number;
  /** Bytes over the network, headers included. */
  readonly bytes: number;
  /** Bytes once uncompressed. */
  readonly resourceBytes: number;
  /** As Chromium names it, such as `High`. */
  readonly priority: string;
  readonly place: FilePlace;
  /** CPU time of this file as a script. */
  readonly cpuMs: number;
};

/** What the simulation of a load depends on. */
export type LoadFacts = {
  /** By URL without query. */
  readonly files: Readonly<Record<string, FileFacts>>;
  /** CPU time of all tasks beyond scripts: parsing, style, layout. */
  readonly otherCpuMs: number;
  /** How fast the machine was; null when the load does not say. */
  readonly benchmarkIndex: number | null;
  /** Whether its values are simulated: what was observed under real throttling cannot be simulated again. */
  readonly isSimulated: boolean;
  /** Server response time by origin, as Lighthouse estimates it. */
  readonly latencyMs: Readonly<Record<string, number>>;
};
