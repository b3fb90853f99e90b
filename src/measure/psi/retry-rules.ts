import { type AnalysisError, type ErrorCode, errorTable, faultOf } from '../../contract/errors.ts';

/** Google counts a day's quota from midnight to midnight in California, summer time included. */
const clock = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const sinceMidnight = (now: number): number => {
  const parts = Object.fromEntries(clock.formatToParts(now).map(({ type, value }) => [type, Number(value)]));
  const { hour = 0, minute = 0, second = 0 } = parts;
  return hour * hourMs + minute * 60_000 + second * 1000 + (now % 1000);
};

/** Milliseconds until a day's quota starts again. Twice a year the day has 23 or 25 hours. */
export function untilPacificMidnight(now: number): number {
  const ms = dayMs - sinceMidnight(now);
  const late = sinceMidnight(now + ms);
  return late < dayMs / 2 ? ms - late : ms + dayMs - late;
}

/**
 * What a failed call says, as far as it matters for what to do next. The status does not tell: a 400 is a bad request,
 * a bad key or a page that could not be measured. `failure.ts` reads the kind off domain and reason.
 */
export type FailureKind =
  | 'refused'
  | 'key'
  | 'page_final'
  | 'page_passing'
  | 'machine'
  | 'overload'
  | 'gateway'
  | 'gateway_timeout'
  | 'network'
  | 'timeout'
  | 'nonsense'
  | 'quota_minute'
  | 'quota_day'
  | 'quota_none'
  | 'own_busy'
  | 'own_final';

/**
 * From which calls to back off when it happens again and again: all calls (`analyser`), those for pages of one origin
 * (`origin`), or all of them from the first time on (`key`, `quota`).
 */
type Blame = 'none' | 'origin' | 'analyser' | 'key' | 'quota';

type Rule = {
  /** Of one call after such a failure. */
  readonly retries: 0 | 1 | 2;
  readonly blames: Blame;
};

/** Every row has its test in retry-rules.test.ts, and the reasons are in docs/remote.md. */
export const retryRules: Readonly<Record<FailureKind, Rule>> = {
  // 400 with a parameter at fault, 404, a redirect, too large an answer: the same request gets the same answer.
  refused: { retries: 0, blames: 'none' },
  // 400 API_KEY_INVALID, 401, 403: nothing gets better by asking.
  key: { retries: 0, blames: 'key' },
  // Not HTML, a bad certificate, a redirect loop, an error page: the page was seen, and this is what it is.
  page_final: { retries: 0, blames: 'none' },
  // Unreachable, blank, hung, crashed: at times only at that moment. One more look.
  page_passing: { retries: 1, blames: 'none' },
  // 'Something went wrong', and Lighthouse codes that say nothing of the page. Seen to come for one origin at a time.
  machine: { retries: 2, blames: 'origin' },
  // 500 'Unable to process request. Please wait a while'.
  overload: { retries: 2, blames: 'origin' },
  // 500, 502, 503 and 408 of a front end.
  gateway: { retries: 2, blames: 'analyser' },
  // 504: two minutes have gone into this page already.
  gateway_timeout: { retries: 1, blames: 'origin' },
  network: { retries: 2, blames: 'analyser' },
  // Ours: the time of the call is used up.
  timeout: { retries: 0, blames: 'analyser' },
  // A success that holds no result: a proxy's login page, a body cut in two.
  nonsense: { retries: 1, blames: 'analyser' },
  quota_minute: { retries: 2, blames: 'quota' },
  quota_day: { retries: 0, blames: 'quota' },
  quota_none: { retries: 0, blames: 'quota' },
  // Our own endpoint, or one like it, has its queue full for this page, and says when to retry. It is well.
  own_busy: { retries: 2, blames: 'none' },
  // It may not, cannot or did not: a retry would double the work of the machine that has just failed at it.
  own_final: { retries: 0, blames: 'none' },
};

/** The page was seen, and this is what it is: an error page is worth another visit, but not a moment later. */
const isFinal = (code: ErrorCode): boolean => code === 'page_error' || !errorTable[code].retryable;

/** The kind of a failure that Lighthouse reports, in an error or inside a result. */
export const kindOfMeasurement = ({ code }: AnalysisError): FailureKind => {
  if (faultOf(code) !== 'page') return 'machine';
  return isFinal(code) ? 'page_final' : 'page_passing';
};
