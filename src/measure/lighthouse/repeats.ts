/**
 * Repeats a load that other work on the machine disturbed, before its result is returned. No other audit of this
 * service runs during the repeat (the phase `alone` of phases.ts). Repeats that do not help are suspended.
 */

/** A measured load of a page. */
export type Tried = {
  /** Disturbance of the load by other work, in milliseconds; 0 if a repeat would not help. */
  readonly disturbedMs: number;
  /** Settles when the load's browser and folder are removed. Never rejects. */
  readonly cleared: Promise<void>;
  /** Removes the load's artifacts, because another load is used. */
  discard(): Promise<void>;
};

type Repeated<L> = { readonly load: L; readonly repeated: number };

/**
 * Max share of the disturbance that remains after a useful repeat. If more remains, other programs cause it, and they
 * continue.
 */
const helpedShare = 0.7;

/**
 * Limit on useless repeats, because every audit would take twice as long on a machine that is always busy. After three
 * repeats in a row that did not help, repeats are disabled for ten minutes. Then one repeat tests whether that has
 * changed.
 */
const patience = { repeats: 3, pauseMs: 10 * 60_000 };

export type RepeatsSettings = {
  /** Max number of repeats of one load, 0 to 2. */
  most: number;
  /** Time from the start of the first load after which no repeat starts, in milliseconds. */
  withinMs: number;
  now?: () => number;
};

export function createRepeats({ most, withinMs, now = () => performance.now() }: RepeatsSettings) {
  let unhelpful = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  const remember = (hasHelped: boolean) => {
    unhelpful = hasHelped ? 0 : unhelpful + 1;
    if (unhelpful >= patience.repeats) pausedUntil = now() + patience.pauseMs;
  };

  return {
    /**
     * @param load measures the page once; repeats are measured alone
     * @returns the least disturbed load, and the number of the others. A failed repeat is ignored.
     * @throws the error of the first load; the signal's reason
     */
    async measure<L extends Tried>(load: (isAlone: boolean) => Promise<L>, signal: AbortSignal): Promise<Repeated<L>> {
      const startedAt = now();
      let shown = await load(false);
      let repeated = 0;
      const isWanted = () =>
        shown.disturbedMs > 0 && repeated < most && now() - startedAt < withinMs && now() >= pausedUntil && !isStopped;
      while (isWanted()) {
        const again = await repeatAlone(shown, load, signal);
        // When the service stops, it kills running loads, so their failure does not count.
        if (!isStopped) remember(again?.hasHelped ?? false);
        if (again) {
          shown = again.load;
          repeated += 1;
        }
        if (!again?.hasHelped) break;
      }
      return { load: shown, repeated };
    },
    /** Lets running loads finish, and starts no further repeat. */
    stop(): void {
      isStopped = true;
    },
  };
}

/**
 * @returns the less disturbed of the two loads, and whether the repeat helped; undefined if it failed
 * @throws the signal's reason
 */
async function repeatAlone<L extends Tried>(before: L, load: (isAlone: boolean) => Promise<L>, signal: AbortSignal) {
  await before.cleared;
  const again = await load(true).catch(() => undefined);
  if (signal.aborted) {
    await Promise.all([before.discard(), again?.discard()]);
    throw signal.reason;
  }
  if (!again) return undefined;
  const [shown, other] = again.disturbedMs < before.disturbedMs ? [again, before] : [before, again];
  await other.discard();
  return { load: shown, hasHelped: again.disturbedMs < helpedShare * before.disturbedMs };
}
