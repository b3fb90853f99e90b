import { LRUCache } from 'lru-cache';
import { AnalysisError } from '../../contract/errors.ts';
import type { AnalyserState } from '../analyser.ts';
import type { PsiPatience } from './client.ts';
import { type FailureKind, retryRules, untilPacificMidnight } from './retry-rules.ts';

type BackOffSettings = Pick<PsiPatience, 'backOffMs' | 'minuteMs'> & {
  /** Monotonic time in milliseconds, so that a step of the system clock does not change a wait. */
  now: () => number;
  /** Time since the epoch in milliseconds; `now` if absent. */
  wallNow?: () => number;
};

/** Reason why a call may not start now. */
type Block = {
  ms: number;
  error: AnalysisError;
  /** False if the client should get an error immediately, because the end of the block is unknown. */
  isWorthWaiting: boolean;
  /** Whether all calls are blocked, for a reason that passes without a change of settings. */
  isOutage: boolean;
};

export type OriginFailure = {
  kind: FailureKind;
  error: AnalysisError;
  origin: string;
  /** Time at which the call started. */
  startedMs: number;
  /** Time at which the call failed; now if absent. */
  endedMs?: number;
};

/** Number of consecutive failures before a back-off. */
const tolerance = 3;
/** Max back-off for an origin. Throttled origins recovered after about five minutes. */
const maxOriginMs = 300_000;
const maxAnalyserMs = 60_000;
const maxOrigins = 1000;
const dayMs = 86_400_000;
/** Kinds of failures that remain until the settings change: a rejected key, and a server that has no quota. */
const lasting: ReadonlySet<FailureKind> = new Set(['key', 'quota_none']);

/** Consecutive failures of one origin or of the analyser. */
class Streak {
  failures = 0;
  sinceMs = 0;
  /** End of the back-off; 0 while there are too few failures. */
  untilMs = 0;
  #countedMs = Number.NEGATIVE_INFINITY;

  /** Adds a failure. Calls that were in flight at the same time fail together, so they count once. */
  add(startedMs: number, now: number, limits: { firstMs: number; maxMs: number; tolerated: number }): void {
    if (startedMs < this.#countedMs) return;
    if (this.failures === 0) this.sinceMs = now;
    this.#countedMs = now;
    this.failures += 1;
    if (this.failures >= limits.tolerated && this.untilMs <= now)
      this.untilMs = now + Math.min(limits.maxMs, limits.firstMs * 2 ** (this.failures - limits.tolerated));
  }
}

const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

const after = (error: AnalysisError, ms: number): AnalysisError =>
  new AnalysisError(error.code, error.message, { retryAfterSeconds: toSeconds(ms), source: 'psi' });

/** Records failures, and decides which calls to block and for how long. It does not wait itself. */
export function createBackOff({ backOffMs, minuteMs, now, wallNow = now }: BackOffSettings) {
  const origins = new LRUCache<string, Streak>({ max: maxOrigins });
  let outage = new Streak();
  let cause: Pick<OriginFailure, 'kind' | 'error'> | undefined;
  let pause: (Pick<OriginFailure, 'kind' | 'error'> & { untilMs: number }) | undefined;
  let probe: object | undefined;

  const toWallMs = (ms: number): number => Math.round(ms + wallNow() - now());

  const endOf = ({ endedMs }: OriginFailure): number => endedMs ?? now();

  const pauseFor = (ms: number, error: AnalysisError, failure: OriginFailure) => {
    const untilMs = endOf(failure) + ms;
    // A shorter pause that is announced later does not shorten this one.
    if (!pause || pause.untilMs < untilMs) pause = { untilMs, error, kind: failure.kind };
  };

  const toPauseMs = (failure: OriginFailure): number => {
    const { kind, error } = failure;
    if (error.retryAfterSeconds !== undefined) return Math.min(error.retryAfterSeconds * 1000, 2 * dayMs);
    if (kind === 'quota_day' || kind === 'quota_none') return untilPacificMidnight(toWallMs(endOf(failure)));
    return minuteMs;
  };

  const outageBlock = (call: object): Block | undefined => {
    if (backOffMs === 0 || !cause || outage.untilMs === 0) return undefined;
    const ms = outage.untilMs - now();
    if (ms <= 0 && (probe === undefined || probe === call)) {
      probe = call;
      return undefined;
    }
    const untilProbedMs = Math.max(ms, backOffMs);
    const error = after(cause.error, untilProbedMs);
    return { ms: untilProbedMs, error, isWorthWaiting: false, isOutage: !lasting.has(cause.kind) };
  };

  const originBlock = (origin: string): Block | undefined => {
    const ms = (origins.get(origin)?.untilMs ?? 0) - now();
    if (ms <= 0) return undefined;
    const error = new AnalysisError('psi_unavailable', `The PSI server failed repeatedly for pages of ${origin}.`);
    return { ms, error: after(error, ms), isWorthWaiting: true, isOutage: false };
  };

  const pauseBlock = (): Block | undefined => {
    const ms = (pause?.untilMs ?? 0) - now();
    if (!pause || ms <= 0) return undefined;
    return { ms, error: after(pause.error, ms), isWorthWaiting: true, isOutage: !lasting.has(pause.kind) };
  };

  const blameOrigin = (failure: OriginFailure) => {
    const { origin, startedMs } = failure;
    const streak = origins.get(origin) ?? new Streak();
    origins.set(origin, streak);
    streak.add(startedMs, endOf(failure), { firstMs: backOffMs, maxMs: maxOriginMs, tolerated: tolerance });
  };

  const blameAnalyser = (failure: OriginFailure) => {
    const { kind, error, startedMs } = failure;
    const endedMs = endOf(failure);
    cause = { kind, error };
    const tolerated = kind === 'key' ? 1 : tolerance;
    // Each timeout counts, even if other calls timed out at the same time.
    const countedFrom = kind === 'timeout' ? endedMs : startedMs;
    outage.add(countedFrom, endedMs, { firstMs: backOffMs, maxMs: maxAnalyserMs, tolerated });
  };

  return {
    /**
     * Returns undefined if the call may start.
     * @param call identifies the call, because after an outage only one call probes the analyser
     */
    blockOf: (origin: string, call: object): Block | undefined =>
      pauseBlock() ?? originBlock(origin) ?? outageBlock(call),
    /** Reports the end of a call that may have probed the analyser. */
    release(call: object): void {
      if (probe === call) probe = undefined;
    },
    answered(origin: string): void {
      origins.delete(origin);
      outage = new Streak();
      cause = undefined;
    },
    /** Records a failure. @returns the error for the client, with the time after which a retry makes sense, if known */
    failed(failure: OriginFailure): AnalysisError {
      const { kind, error } = failure;
      const { blames, retries } = retryRules[kind];
      if (blames === 'origin') blameOrigin(failure);
      if (blames === 'analyser' || blames === 'key') blameAnalyser(failure);
      if (blames === 'quota') {
        const ms = toPauseMs(failure);
        pauseFor(ms, error, failure);
        return ms > 0 ? after(error, ms) : error;
      }
      // The announced time applies, whichever server announced it. However, a front end cannot block all calls for a
      // day.
      if (retries > 0 && error.retryAfterSeconds !== undefined)
        pauseFor(Math.min(error.retryAfterSeconds * 1000, maxOriginMs), error, failure);
      return error;
    },
    state(): AnalyserState {
      if (pause && pause.untilMs > now()) return { state: 'throttled', untilMs: toWallMs(pause.untilMs) };
      return outage.untilMs > 0 ? { state: 'down', sinceMs: toWallMs(outage.sinceMs) } : { state: 'ok' };
    },
  };
}
export type BackOff = ReturnType<typeof createBackOff>;
