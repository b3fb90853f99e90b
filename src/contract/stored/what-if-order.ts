/**
 * The order and the answer of a worker that simulates one stored load: plain data, because it crosses a process
 * boundary. Times are milliseconds; scores are 0 to 1, before Lighthouse rounds the category.
 */
import Type, { type Static, type TSchema } from 'typebox';
import { closed, each, nullable, workerText as text } from '../fields.ts';
import { simulatedMetrics } from '../names.ts';

const amount = Type.Number({ minimum: 0 });

const network = { rttMs: amount, throughputKbps: amount };
const Network = closed(network);
export type Network = Readonly<Static<typeof Network>>;
const Condition = closed({ cpu: amount, ...network });
export type Condition = Readonly<Static<typeof Condition>>;

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

const times = each(simulatedMetrics, amount);
const Simulated = closed({ score: Type.Number({ minimum: 0, maximum: 1 }), ...times });
export type Simulated = Readonly<Static<typeof Simulated>>;

/** The gain of one fix alone. */
export const Cost = closed({
  /** Id of the audit that proposes the fix; `script:URL`, `picture:URL`, `third-party:NAME` or `main-thread` otherwise. */
  id: text,
  /** Points of the performance score, not rounded; negative if the fix loses points. */
  points: Type.Number({ minimum: -100, maximum: 100 }),
  /** Milliseconds by which each metric is lower; negative if it is higher. */
  saved: closed(each(simulatedMetrics, Type.Number())),
  /** The files concerned, largest first, and what they transfer and work; only for a fix that no audit proposes. */
  files: Type.Array(text, { maxItems: 3 }),
  bytes: amount,
  mainThreadMs: amount,
});
export type Cost = Static<typeof Cost>;

const Removal = closed({
  kind: Type.Enum(['third_party', 'script']),
  /** Lighthouse's name for the entity, or the URL of a script. */
  name: text,
  category: nullable(text),
  requests: Type.Integer({ minimum: 1 }),
  bytes: amount,
  /** Main-thread time in milliseconds, at the CPU throttling of the load. */
  mainThreadMs: amount,
  /** Other entities that were removed too, because only these requests loaded them. */
  takesWith: Type.Array(text, { maxItems: 100 }),
  /** The prediction, or the reason why there is none. */
  without: Type.Union([Simulated, closed({ reason: text })]),
});
export type Removal = Static<typeof Removal>;

/** The slowest condition that reaches a score, null if none does; `isSlowest` if it is the slowest simulated one. */
const breakPoint = <S extends TSchema>(at: S) => closed({ at: nullable(at), isSlowest: Type.Boolean() });
export type BreakPoint<T> = { readonly at: T | null; readonly isSlowest: boolean };

export const WhatIfFacts = closed({
  own: Condition,
  base: Simulated,
  cells: Type.Array(Simulated),
  /** One entry for each threshold. */
  breakPoints: Type.Array(closed({ cpu: breakPoint(amount), network: breakPoint(Network) })),
  removals: Type.Array(Removal, { maxItems: 100 }),
  /** Cumulative steps, largest gain first. */
  fixes: Type.Array(closed({ id: text, after: Simulated })),
  /** Fixes that match no request of this load. */
  unusable: Type.Array(text),
});
export type WhatIfFacts = Static<typeof WhatIfFacts>;
