/**
 * The order and the answer of a worker that simulates one stored load: plain data, because it crosses a process
 * boundary. Times are milliseconds; scores are 0 to 1, before Lighthouse rounds the category.
 */
import type { simulatedMetrics } from '../names.ts';

export type Network = { readonly rttMs: number; readonly throughputKbps: number };
export type Condition = Network & { readonly cpu: number };

/** A change to the page that an audit of Lighthouse proposes, limited to the part that a simulation can apply. */
export type Fix = {
  readonly id: string;
  /** Bytes over the network that the change saves, by URL. */
  readonly savedBytes?: Readonly<Record<string, number>>;
  /** URLs that the page no longer waits for before it paints. */
  readonly unblocked?: readonly string[];
  /** Milliseconds by which the server of the document responds sooner. */
  readonly serverMs?: number;
  /** Whether the image of the largest paint is requested right after the document, with a high priority. */
  readonly startsLargestImage?: boolean;
  /** Whether nothing shifts: CLS gets its best score. */
  readonly isStill?: boolean;
  /** URLs of scripts that do no work. */
  readonly idle?: readonly string[];
  /** Whether the main thread does nothing but run scripts. */
  readonly onlyScripts?: boolean;
  /** URLs that are not requested, and neither is what only they request. */
  readonly without?: readonly string[];
};

/** Fixes to simulate, and how to score a load. */
export type FixOrder = {
  /** Weights of the metrics in the performance score, by audit id. */
  readonly weights: Readonly<Record<string, number>>;
  /** Scores of metrics that no simulation changes: CLS. */
  readonly unchanged: Readonly<Record<string, number>>;
  readonly fixes: readonly Fix[];
  /** Whether the load is simulated as if it had never waited for a CPU. */
  readonly withoutWait?: boolean;
};

export type WhatIfOrder = FixOrder & {
  readonly cells: readonly Condition[];
  /** Sorted from fast to slow: the break point is between the last condition that reaches a score and the next. */
  readonly networks: readonly Network[];
  readonly slowestCpu: number;
  /** Scores, 0 to 1. */
  readonly thresholds: readonly number[];
};

export type Simulated = {
  readonly score: number;
  readonly firstContentfulPaintMs: number;
  readonly largestContentfulPaintMs: number;
  readonly totalBlockingMs: number;
  readonly speedIndexMs: number;
};

/** The gain of one fix alone. */
export type Cost = {
  /** Id of the audit that proposes the fix; `script:URL`, `picture:URL`, `third-party:NAME` or `main-thread` otherwise. */
  readonly id: string;
  /** Points of the performance score, not rounded; negative if the fix loses points. */
  readonly points: number;
  /** Milliseconds by which each metric is lower. */
  readonly saved: Readonly<Record<(typeof simulatedMetrics)[number], number>>;
  /** The files concerned, largest first, and what they transfer and work; only for a fix that no audit proposes. */
  readonly files: readonly string[];
  readonly bytes: number;
  readonly mainThreadMs: number;
};

export type Removal = {
  readonly kind: 'third_party' | 'script';
  /** Lighthouse's name for the entity, or the URL of a script. */
  readonly name: string;
  readonly category: string | null;
  readonly requests: number;
  readonly bytes: number;
  /** Main-thread time in milliseconds, at the CPU throttling of the load. */
  readonly mainThreadMs: number;
  /** Other entities that were removed too, because only these requests loaded them. */
  readonly takesWith: readonly string[];
  /** The prediction, or the reason why there is none. */
  readonly without: Simulated | { readonly reason: string };
};

/** The slowest condition that reaches a score, null if none does; `isSlowest` if it is the slowest simulated one. */
export type BreakPoint<T> = { readonly at: T | null; readonly isSlowest: boolean };

export type WhatIfFacts = {
  readonly own: Condition;
  readonly base: Simulated;
  readonly cells: readonly Simulated[];
  /** One entry for each threshold. */
  readonly breakPoints: readonly { readonly cpu: BreakPoint<number>; readonly network: BreakPoint<Network> }[];
  readonly removals: readonly Removal[];
  /** Cumulative steps, largest gain first. */
  readonly fixes: readonly { readonly id: string; readonly after: Simulated }[];
  /** Fixes that match no request of this load. */
  readonly unusable: readonly string[];
};
