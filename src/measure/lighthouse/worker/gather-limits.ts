/**
 * Limits the time of each gatherer. Lighthouse gathers artifacts one after another, and waits up to 60 s for each, so a
 * page on which several never end would use up the time of the audit. Without an artifact, only the audits that need it
 * have no result. The gatherers are internal modules; gather-limits.test.ts detects when they move.
 */
import type { default as Gatherer } from 'lighthouse/core/gather/base-gatherer.js';
import { LighthouseError } from 'lighthouse/core/lib/lh-error.js';
import { Runner } from 'lighthouse/core/runner.js';

type GetArtifact = Gatherer['getArtifact'];

/** Share of the remaining time that one gatherer may use, so that there is some left for the others. */
const share = 2 / 3;
/** Limits in milliseconds: after one gatherer has failed, others are likely to fail in the same way. */
const limits = { least: 1_000, afterFailure: 10_000 };
/** Time for Lighthouse to compute the result: this share of the whole, and not more than this. */
const reserve = { share: 0.2, mostMs: 20_000 };

export type GatherBudget = {
  /** Time for the whole audit of the page. */
  totalMs: number;
  /** Milliseconds for which the browser was paused so far. They do not count. */
  pausedMs: () => number;
  /** Called before each artifact is gathered. */
  onArtifact: (artifact: string) => void;
  /** Called for each artifact that was not gathered in time, before the next one is gathered. */
  onUnfinished: (artifact: string) => Promise<void>;
};

type RunningGatherer = GatherBudget & { startedAt: number; hasFailed: boolean };

/** Budget of the page that is gathered now. A worker gathers one page at a time. */
let running: RunningGatherer | undefined;

const spentMs = ({ startedAt, pausedMs }: RunningGatherer): number => performance.now() - startedAt - pausedMs();

/** Starts the clock of a page. @returns a function that ends it */
export function startBudget(budget: GatherBudget): () => void {
  const own = { ...budget, startedAt: performance.now(), hasFailed: false };
  running = own;
  return () => {
    if (running === own) running = undefined;
  };
}

/** Returns the max time for the next artifact in milliseconds. */
export function toLimit({ totalMs, spentMs, hasFailed }: { totalMs: number; spentMs: number; hasFailed: boolean }) {
  const leftMs = totalMs - Math.min(reserve.share * totalMs, reserve.mostMs) - spentMs;
  const limit = Math.max(limits.least, share * leftMs);
  return hasFailed ? Math.min(limit, limits.afterFailure) : limit;
}

/** Rejects when the budget has spent this much more time. */
function timeOut(budget: RunningGatherer, limitMs: number): { promise: Promise<never>; clear: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const endsAt = spentMs(budget) + limitMs;
  let timer: NodeJS.Timeout;
  const check = () => {
    const leftMs = endsAt - spentMs(budget);
    if (leftMs > 0) timer = setTimeout(check, Math.max(leftMs, 50));
    else reject(new LighthouseError(LighthouseError.errors.PROTOCOL_TIMEOUT, { protocolMethod: 'getArtifact' }));
  };
  check();
  return { promise, clear: () => clearTimeout(timer) };
}

const isTimeout = (error: unknown): boolean => error instanceof LighthouseError && error.code === 'PROTOCOL_TIMEOUT';

const limit = (artifact: string, getArtifact: GetArtifact): GetArtifact =>
  async function limited(this: Gatherer, context) {
    const budget = running;
    if (!budget) return getArtifact.call(this, context);
    const { totalMs, hasFailed } = budget;
    budget.onArtifact(artifact);
    const late = timeOut(budget, toLimit({ totalMs, spentMs: spentMs(budget), hasFailed }));
    try {
      return await Promise.race([getArtifact.call(this, context), late.promise]);
    } catch (error) {
      if (isTimeout(error)) {
        budget.hasFailed = true;
        await budget.onUnfinished(artifact);
      }
      throw error;
    } finally {
      late.clear();
    }
  };

async function limitAll(): Promise<void> {
  const files = Runner.getGathererList();
  const modules = await Promise.all(files.map(file => import(`lighthouse/core/gather/gatherers/${file}`)));
  for (const { default: OneGatherer } of modules) {
    const { prototype } = OneGatherer;
    if (Object.hasOwn(prototype, 'getArtifact')) prototype.getArtifact = limit(OneGatherer.name, prototype.getArtifact);
  }
}

let limiting: Promise<void> | undefined;

/** Limits all gatherers of this process, once. Must have resolved before a page is gathered. */
export const limitGatherers = (): Promise<void> => {
  limiting ??= limitAll();
  return limiting;
};
