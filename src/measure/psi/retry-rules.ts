import { type AnalysisError, type ErrorCode, errorTable, faultOf } from '../../contract/errors.ts';

let clock: Intl.DateTimeFormat | undefined;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Returns the time of day in California, where Google's daily quota starts at midnight, in milliseconds. */
function sinceMidnight(now: number): number {
  // It is made at the first use, because that takes 20 ms.
  clock ??= new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Los_Angeles', timeStyle: 'medium' });
  const [hours = 0, minutes = 0, seconds = 0] = clock.format(now).split(':').map(Number);
  return hours * hourMs + minutes * 60_000 + seconds * 1000 + (now % 1000);
}

/** Returns the time until the daily quota is reset, in milliseconds. Twice a year, the day has 23 or 25 hours. */
export function untilPacificMidnight(now: number): number {
  const ms = dayMs - sinceMidnight(now);
  const late = sinceMidnight(now + ms);
  return late < dayMs / 2 ? ms - late : ms + dayMs - late;
}

/** Kind of a failed call, which determines the next step. `failure.ts` derives it from domain and reason. */
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
 * Calls that are blocked after repeated failures: all calls (`analyser`), those for pages of one origin (`origin`), or
 * all calls after the first failure (`key`, `quota`).
 */
type Blame = 'none' | 'origin' | 'analyser' | 'key' | 'quota';

type Rule = {
  /** Number of retries of one call. */
  readonly retries: 0 | 1 | 2;
  readonly blames: Blame;
};

/** Rules by kind. retry-rules.test.ts tests each of them, and docs/remote.md explains them. */
export const retryRules: Readonly<Record<FailureKind, Rule>> = {
  // 400 with an invalid parameter, 404, a redirect, an answer that is too large: a retry would get the same answer.
  refused: { retries: 0, blames: 'none' },
  // 400 API_KEY_INVALID, 401, 403: a retry cannot succeed.
  key: { retries: 0, blames: 'key' },
  // Not HTML, a bad certificate, a redirect loop, an error page: the analyser reached the page.
  page_final: { retries: 0, blames: 'none' },
  // Unreachable, blank, hung, crashed: the failure may be temporary, so there is one retry.
  page_passing: { retries: 1, blames: 'none' },
  // 'Something went wrong', and Lighthouse codes that are not the page's fault. They affected one origin at a time.
  machine: { retries: 2, blames: 'origin' },
  // 500 'Unable to process request. Please wait a while'.
  overload: { retries: 2, blames: 'origin' },
  // 500, 502, 503 and 408 of a front end.
  gateway: { retries: 2, blames: 'analyser' },
  // 504: the page has already taken two minutes.
  gateway_timeout: { retries: 1, blames: 'origin' },
  network: { retries: 2, blames: 'analyser' },
  // The timeout of the call.
  timeout: { retries: 0, blames: 'analyser' },
  // A successful response without a result: a proxy's login page, a truncated body.
  nonsense: { retries: 1, blames: 'analyser' },
  quota_minute: { retries: 2, blames: 'quota' },
  quota_day: { retries: 0, blames: 'quota' },
  quota_none: { retries: 0, blames: 'quota' },
  // The queue of a Rangelight is full for this page. The server works, and announces the time to retry.
  own_busy: { retries: 2, blames: 'none' },
  // A Rangelight refused the page, could not measure it, or timed out. A retry would double its work.
  own_final: { retries: 0, blames: 'none' },
};

/** Returns whether an immediate retry cannot succeed. An error page may change later, but not that soon. */
const isFinal = (code: ErrorCode): boolean => code === 'page_error' || !errorTable[code].retryable;

/** Returns the kind of a failure that Lighthouse reports in an error or inside a result. */
export const kindOfMeasurement = ({ code }: AnalysisError): FailureKind => {
  if (faultOf(code) !== 'page') return 'machine';
  return isFinal(code) ? 'page_final' : 'page_passing';
};
