/**
 * What a worker is asked about one stored load, and what it answers: plain data, because it crosses a process boundary.
 * Everything is simulated. Times are milliseconds; scores are 0 to 1, before Lighthouse rounds the category.
 */

export type Network = { readonly rttMs: number; readonly throughputKbps: number };
export type Condition = Network & { readonly cpu: number };

/** A change to the page that Lighthouse's audits propose, as far as a simulation can make it. */
export type Fix = {
  readonly id: string;
  /** Bytes over the network that the change saves, by URL. */
  readonly savedBytes?: Readonly<Record<string, number>>;
  /** URLs that the page no longer waits for before it paints. */
  readonly unblocked?: readonly string[];
  /** How much sooner the server of the document answers. */
  readonly serverMs?: number;
  /** Whether the image of the largest paint is requested right after the document, with a high priority. */
  readonly startsLargestImage?: boolean;
};

export type WhatIfOrder = {
  /** Weights of the metrics in the performance score, by audit id. */
  readonly weights: Readonly<Record<string, number>>;
  /** Scores of metrics that no simulation changes: CLS. */
  readonly unchanged: Readonly<Record<string, number>>;
  readonly cells: readonly Condition[];
  /** From fast to slow: between the last one that reaches a score and the next one lies the break point. */
  readonly networks: readonly Network[];
  readonly slowestCpu: number;
  /** Scores, 0 to 1. */
  readonly thresholds: readonly number[];
  readonly fixes: readonly Fix[];
};

export type Simulated = {
  readonly score: number;
  readonly firstContentfulPaintMs: number;
  readonly largestContentfulPaintMs: number;
  readonly totalBlockingMs: number;
  readonly speedIndexMs: number;
};

/** Requests that were left out together. */
export type Removal = {
  readonly kind: 'third_party' | 'script';
  /** The entity as Lighthouse calls it, or the URL of a script. */
  readonly name: string;
  readonly category: string | null;
  readonly requests: number;
  readonly bytes: number;
  /** At the CPU throttling of the load. */
  readonly mainThreadMs: number;
  /** Other entities whose requests went with them, because only they requested these. */
  readonly takesWith: readonly string[];
  /** Or why it cannot be predicted. */
  readonly without: Simulated | { readonly reason: string };
};

/** The slowest condition that still has a score, null where none has; `isSlowest`: the slowest that was tried has it. */
export type BreakPoint<T> = { readonly at: T | null; readonly isSlowest: boolean };

export type WhatIfFacts = {
  readonly own: Condition;
  readonly base: Simulated;
  readonly cells: readonly Simulated[];
  /** For each threshold. */
  readonly breakPoints: readonly { readonly cpu: BreakPoint<number>; readonly network: BreakPoint<Network> }[];
  readonly removals: readonly Removal[];
  /** Each with all before it, in the order of what it adds. */
  readonly fixes: readonly { readonly id: string; readonly after: Simulated }[];
  /** Fixes that name nothing of this load. */
  readonly unusable: readonly string[];
};
