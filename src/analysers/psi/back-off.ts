import { LRUCache } from 'lru-cache';
import { AnalysisError } from '../errors.ts';
import { untilPacificMidnight } from './pacific-midnight.ts';
import { type FailureKind, retryRules } from './retry-rules.ts';

/** What was seen of the remote analyser, for `/health`. Times in milliseconds since the epoch. */
export type RemoteState =
  | { state: 'ok' }
  /** It said that it wants no more calls before a time. */
  | { state: 'throttled'; untilMs: number }
  /** Nothing but failures since a time. */
  | { state: 'down'; sinceMs: number };

export type BackOffSettings = {
  /** A first rest; each further one is twice as long. 0: nobody is ever left alone. */
  restMs: number;
  /** Rest after a quota per minute, or an announcement without a time. */
  minuteMs: number;
  now?: () => number;
};

/** Why a call may not go out now. */
export type Block = {
  ms: number;
  error: AnalysisError;
  /** False where the caller is better served by an answer at once: nobody knows whether it will be over then. */
  isWorthWaiting: boolean;
};

export type Failure = {
  kind: FailureKind;
  error: AnalysisError;
  origin: string;
  /** When the call went out. */
  startedMs: number;
};

/** Failures in a row before a rest begins. */
const tolerance = 3;
/** An origin that was throttled was seen to recover after about five minutes. */
const maxOriginRestMs = 300_000;
const maxAnalyserRestMs = 60_000;
const maxOrigins = 1000;
const dayMs = 86_400_000;

/** Failures of one party without a success between them. */
class Streak {
  failures = 0;
  sinceMs = 0;
  /** Nobody calls before this; 0 as long as the failures are too few for a rest. */
  untilMs = 0;
  #countedMs = Number.NEGATIVE_INFINITY;

  /** Calls that were out together fail together and say the same: they count once. */
  add(startedMs: number, now: number, rest: { firstMs: number; maxMs: number; tolerated: number }): void {
    if (startedMs < this.#countedMs) return;
    if (this.failures === 0) this.sinceMs = now;
    this.#countedMs = now;
    this.failures += 1;
    if (this.failures >= rest.tolerated && this.untilMs <= now)
      this.untilMs = now + Math.min(rest.maxMs, rest.firstMs * 2 ** (this.failures - rest.tolerated));
  }
}

export type BackOff = {
  /** Undefined: it may go out. @param turn who asks, for of those that come after an outage only one tries */
  blockOf(origin: string, turn: object): Block | undefined;
  /** The call that tried after an outage has ended, in whatever way. */
  release(turn: object): void;
  answered(origin: string): void;
  /** @returns the error for the caller, with the time when it is worth coming again where one is known */
  failed(failure: Failure): AnalysisError;
  state(): RemoteState;
};

const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

const after = (error: AnalysisError, ms: number): AnalysisError =>
  new AnalysisError(error.code, error.message, { retryAfterSeconds: toSeconds(ms), source: 'psi' });

/** Remembers who has failed, and decides who is left alone for how long. Waits for nothing itself. */
export function createBackOff({ restMs, minuteMs, now = Date.now }: BackOffSettings): BackOff {
  const origins = new LRUCache<string, Streak>({ max: maxOrigins });
  let outage = new Streak();
  let outageError: AnalysisError | undefined;
  let pause: { untilMs: number; error: AnalysisError } | undefined;
  let probe: object | undefined;

  const pauseFor = (ms: number, error: AnalysisError) => {
    const untilMs = now() + ms;
    // A shorter announcement does not take a longer one back.
    if (!pause || pause.untilMs < untilMs) pause = { untilMs, error };
  };

  const toPauseMs = ({ kind, error }: Failure): number => {
    if (error.retryAfterSeconds !== undefined) return Math.min(error.retryAfterSeconds * 1000, 2 * dayMs);
    if (kind === 'quota_day' || kind === 'quota_none') return untilPacificMidnight(now());
    return kind === 'own_busy' ? restMs : minuteMs;
  };

  const outageBlock = (turn: object): Block | undefined => {
    if (restMs === 0 || !outageError || outage.untilMs === 0) return undefined;
    const ms = outage.untilMs - now();
    if (ms <= 0 && (probe === undefined || probe === turn)) {
      probe = turn;
      return undefined;
    }
    const restOrProbeMs = Math.max(ms, restMs);
    return { ms: restOrProbeMs, error: after(outageError, restOrProbeMs), isWorthWaiting: false };
  };

  const originBlock = (origin: string): Block | undefined => {
    const ms = (origins.get(origin)?.untilMs ?? 0) - now();
    if (ms <= 0) return undefined;
    const error = new AnalysisError('psi_unavailable', `The remote analyser keeps failing for pages of ${origin}.`);
    return { ms, error: after(error, ms), isWorthWaiting: true };
  };

  const pauseBlock = (): Block | undefined => {
    const ms = (pause?.untilMs ?? 0) - now();
    return pause && ms > 0 ? { ms, error: after(pause.error, ms), isWorthWaiting: true } : undefined;
  };

  const blameOrigin = ({ origin, startedMs }: Failure) => {
    const streak = origins.get(origin) ?? new Streak();
    origins.set(origin, streak);
    streak.add(startedMs, now(), { firstMs: restMs, maxMs: maxOriginRestMs, tolerated: tolerance });
  };

  const blameAnalyser = ({ kind, error, startedMs }: Failure) => {
    outageError = error;
    const tolerated = kind === 'key' ? 1 : tolerance;
    // A call that waited all its time in vain counts for itself, whoever waited beside it.
    const countedFrom = kind === 'timeout' ? now() : startedMs;
    outage.add(countedFrom, now(), { firstMs: restMs, maxMs: maxAnalyserRestMs, tolerated });
  };

  return {
    blockOf: (origin, turn) => pauseBlock() ?? originBlock(origin) ?? outageBlock(turn),
    release(turn) {
      if (probe === turn) probe = undefined;
    },
    answered(origin) {
      origins.delete(origin);
      outage = new Streak();
      outageError = undefined;
    },
    failed(failure) {
      const { kind, error } = failure;
      const { blames, retries } = retryRules[kind];
      if (blames === 'origin') blameOrigin(failure);
      if (blames === 'analyser' || blames === 'key') blameAnalyser(failure);
      if (blames === 'quota') {
        const ms = toPauseMs(failure);
        pauseFor(ms, error);
        return ms > 0 ? after(error, ms) : error;
      }
      // 'Come again later' is heard from whoever says it, but a front end may not stop us for a day.
      if (retries > 0 && error.retryAfterSeconds !== undefined)
        pauseFor(Math.min(error.retryAfterSeconds * 1000, maxOriginRestMs), error);
      return error;
    },
    state() {
      if (pause && pause.untilMs > now()) return { state: 'throttled', untilMs: pause.untilMs };
      return outage.untilMs > 0 ? { state: 'down', sinceMs: outage.sinceMs } : { state: 'ok' };
    },
  };
}
