/** A measurement that outlives this document: after a reload, it is followed instead of started again. */

export type PageRun = {
  /** Idempotency key of its jobs: see `jobKey` of AskOptions. */
  readonly key: string;
  readonly fresh: boolean;
  readonly startedAtMs: number;
  /** Rows of a list that it measures; absent for all. */
  readonly indexes?: readonly number[];
};

/** Creates a key without `randomUUID`, which requires https. */
const createKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

export const startRun = (fresh: boolean, indexes?: readonly number[]): PageRun => ({
  key: createKey(),
  fresh,
  startedAtMs: Date.now(),
  ...(indexes ? { indexes } : {}),
});

/** Max age of a run: the service removes a job a day after its end. */
const longestMs = 20 * 60 * 60_000;

/** Returns the run in an entry of the tab's history. */
export function runIn(state: unknown): PageRun | undefined {
  const { run } = (state ?? {}) as { run?: PageRun };
  return run && Date.now() - run.startedAtMs < longestMs ? run : undefined;
}

export const secondsOf = ({ startedAtMs }: PageRun): number => Math.max(0, (Date.now() - startedAtMs) / 1000);

export const isOfRun = ({ indexes }: PageRun, index: number): boolean => indexes?.includes(index) ?? true;
