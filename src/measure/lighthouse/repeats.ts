/**
 * A load that other work on the machine disturbed is repeated alone before it is answered: nothing else of this service
 * runs meanwhile (the phase `alone` of phases.ts). Whether that helped decides about the next repeat.
 */

/** One load of a page, measured. */
export type Load = {
  /** How much other work disturbed it; 0: a repeat would not help. */
  readonly disturbedMs: number;
  /** Settles when its browser and folder are gone. Never rejects. */
  readonly cleared: Promise<void>;
  /** Removes its artifacts: another load is answered. */
  discard(): Promise<void>;
};

export type Repeats = {
  /**
   * @param load measures the page once; the second and third time alone
   * @returns the least disturbed load, and how many others there were. A repeat that fails is not answered
   * @throws what the first load failed with; the signal's reason
   */
  measure<L extends Load>(load: (isAlone: boolean) => Promise<L>, signal: AbortSignal): Promise<Repeated<L>>;
  /** Lets loads under way end, and starts no repeat. */
  stop(): void;
};

type Repeated<L> = { readonly load: L; readonly repeated: number };

/** A repeat that leaves more of the disturbance has shown that it comes from other programs, which continue. */
const helpedShare = 0.7;

/**
 * On a machine that other programs always keep busy, every audit would take twice as long for nothing. After three
 * repeats in a row that did not help there are none for ten minutes; then one is enough to see whether that has
 * changed.
 */
const patience = { repeats: 3, pauseMs: 10 * 60_000 };

export type RepeatsSettings = {
  /** Repeats of one load, 0 to 2. */
  most: number;
  /** From the start of the first load, milliseconds: no repeat starts later. */
  withinMs: number;
  now?: () => number;
};

export function createRepeats({ most, withinMs, now = () => performance.now() }: RepeatsSettings): Repeats {
  let unhelpful = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  const remember = (hasHelped: boolean) => {
    unhelpful = hasHelped ? 0 : unhelpful + 1;
    if (unhelpful >= patience.repeats) pausedUntil = now() + patience.pauseMs;
  };

  return {
    async measure(load, signal) {
      const startedAt = now();
      let shown = await load(false);
      let repeated = 0;
      const isWanted = () =>
        shown.disturbedMs > 0 && repeated < most && now() - startedAt < withinMs && now() >= pausedUntil && !isStopped;
      while (isWanted()) {
        const again = await repeatAlone(shown, load, signal);
        // A service that stops kills what runs, which says nothing about repeats.
        if (!isStopped) remember(again?.hasHelped ?? false);
        if (again) {
          shown = again.load;
          repeated += 1;
        }
        if (!again?.hasHelped) break;
      }
      return { load: shown, repeated };
    },
    stop() {
      isStopped = true;
    },
  };
}

/**
 * @returns the less disturbed one of the two loads, and whether the repeat helped; undefined if it failed
 * @throws the signal's reason
 */
async function repeatAlone<L extends Load>(before: L, load: (isAlone: boolean) => Promise<L>, signal: AbortSignal) {
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
