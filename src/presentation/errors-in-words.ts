/** Describes errors: what happened, which part is at fault, and what to do. */

import { type ErrorCode, type Fault, faultOf } from '../contract/errors.ts';
import type { Problem, ValidationError } from '../contract/problem.ts';
import { isObject } from '../contract/result/details.ts';
import { formatDuration } from './numbers.ts';
import { type SideNames, toSideNames } from './side-names.ts';

/** Reason for a missing result, as data. */
export type FailureReason =
  | { readonly kind: 'problem'; readonly problem: Problem; readonly retryAfterSeconds?: number }
  | { readonly kind: 'invalid'; readonly faults: readonly ValidationError[] }
  /** The service could not be reached. */
  | { readonly kind: 'unreachable' }
  /** The connection closed before the result arrived. */
  | { readonly kind: 'cut' }
  /** Another part of the same request is stored, and this one is not. */
  | { readonly kind: 'absent' }
  /** The id in a link is invalid. */
  | { readonly kind: 'malformed' }
  /** The response is not from the service; it may be a proxy's page. */
  | { readonly kind: 'unreadable'; readonly status: number };

export const isProblem = (body: unknown): body is Problem =>
  isObject(body) && typeof body.code === 'string' && typeof body.detail === 'string';

const isValidation = (body: unknown): body is { detail: ValidationError[] } =>
  isObject(body) && Array.isArray(body.detail);

/**
 * Returns the reason from a response without a result.
 * @param retryAfter value of the header: seconds, or a date, which is ignored
 */
export function toFailureReason(body: unknown, status: number, retryAfter: string | null = null): FailureReason {
  if (isValidation(body)) return { kind: 'invalid', faults: body.detail };
  if (!isProblem(body)) return { kind: 'unreadable', status };
  const seconds = Number(retryAfter ?? '');
  return seconds > 0
    ? { kind: 'problem', problem: body, retryAfterSeconds: seconds }
    : { kind: 'problem', problem: body };
}

/** Returns whether the service is stopping. It accepts the same request after its restart. */
export const isStopping = (failure: FailureReason): boolean =>
  failure.kind === 'problem' && failure.problem.code === 'shutting_down';

/** Returns whether the service requires a key, or a different one. */
export const wantsKey = (failure: FailureReason): boolean =>
  failure.kind === 'problem' && failure.problem.code === 'unauthorized';

export type FailureWords = {
  readonly heading: string;
  readonly whose: string;
  /** Description of the failure, in one or more sentences. */
  readonly what: readonly string[];
  readonly advice: string;
  readonly code: string;
  readonly canRetry: boolean;
};

const faultWords: Readonly<Record<Exclude<Fault, 'remote'>, string>> = {
  page: 'the page',
  machine: 'this service',
  client: 'the request',
};

/** Names the PSI analyser, which may be the service itself. */
const nameAnalyser = (names: SideNames): string => {
  if (names.remote === 'embedded') return faultWords.machine;
  return names.remote === undefined ? 'the PSI server' : names.psi.full;
};

const nameFault = (fault: Fault, names: SideNames): string =>
  fault === 'remote' ? nameAnalyser(names) : faultWords[fault];

const advices: Readonly<Record<ErrorCode, string>> = {
  unauthorized: 'Enter an API key for this service. Its operator can give you one.',
  target_forbidden: 'Measure the page locally, or ask the operator to allow its host (TARGETS).',
  cross_site_request: 'Open this service in a browser and measure from there.',
  operator_only: 'Send an operator key of this service (ADMIN_KEYS).',
  host_not_allowed: 'Open the service under a host name in ALLOWED_HOSTS.',
  invalid_url: 'Check the URL for typos.',
  result_not_found: 'Check the id or the label, or measure the page again.',
  job_not_found: 'Send the request again. Jobs are removed a day after they end.',
  job_cancelled: 'Send the request again if you still need the result.',
  schedule_not_found: 'Look it up in the list of schedules.',
  access_not_found: 'Look it up with GET /access: names belong to the API key that stored them.',
  note_not_found: 'Look it up in the list of notes.',
  artifacts_gone: 'Measure the page again on this machine, and use the id of the new result.',
  not_simulated: 'Measure the page with local Lighthouse and its default throttling.',
  results_not_kept: 'Measure the page again. The operator can set DATA_DIR to store results.',
  payload_too_large: 'Split the list into smaller parts.',
  rate_limited: 'Wait a moment, then measure again.',
  internal: 'The server failed: check its log.',
  job_interrupted: 'Measure the page again. The service log shows why it stopped.',
  page_unreachable: 'Open the URL in a browser: is the host name right, and is its server running?',
  page_error: 'Open the URL in a browser. If it needs a login there, measure it as a private page, with an access.',
  login_required: 'Renew the access of the page, or correct what it expects.',
  login_failed: 'Check the recording of the login and its secrets.',
  page_not_html: 'Measure the page that shows this file, not the file itself.',
  page_blank: 'Check that a headless browser shows the page without a click or a login, and without `opacity: 0`.',
  page_hung: 'Look for a script with an infinite loop. If the page hangs only sometimes, measure again.',
  page_crashed: 'Look for scripts or images that need a lot of memory, then measure again.',
  page_too_large: 'Look for a download or a video that the page loads by itself, and measure it without that.',
  page_insecure: 'Renew or fix the certificate of the page, or measure its http URL.',
  too_many_redirects: 'Follow the redirects in a browser. Often the server expects a cookie or a language.',
  sitemap_not_found: 'Enter the URL of the sitemap, or the URLs of the pages, one per line.',
  sitemap_invalid: 'Enter the URL of the sitemap, or of the site, whose robots.txt lists its sitemaps.',
  sitemap_too_large: 'Enter the URL of one of the sitemaps that it lists.',
  sitemap_empty: 'Enter the URLs of the pages, one per line, or ask the operator to allow the host (TARGETS).',
  psi_unavailable: 'Measure again in a few minutes, or measure locally.',
  psi_bad_response: 'Check that PSI_ENDPOINT is the URL of a PSI server. You can measure locally in the meantime.',
  psi_key_rejected: 'Ask the operator to correct PSI_API_KEY. You can measure locally in the meantime.',
  psi_quota_exceeded: 'Wait until the quota resets, or measure locally.',
  lighthouse_unavailable: 'Ask the operator of the service: /health shows the cause.',
  jobs_unavailable: 'Wait a moment, then try again. The service log shows the cause.',
  queue_full: 'The service is busy. Wait a moment, then measure again.',
  queue_unavailable: 'Wait a moment, then measure again. /health shows the state of the database and of the fleet.',
  results_unavailable: 'Wait a moment, then reload. /health shows the cause.',
  shutting_down: 'Measure again in a minute, after the restart.',
  page_timeout:
    'Open the URL in a browser: how long does its server take to respond? Measure again when the server is less busy.',
  psi_timeout: 'Measure again, or measure locally.',
  lighthouse_timeout: 'Measure again when the service is less busy, or with fewer categories.',
};

/** Targets that no setting allows: this service itself, and IP addresses without pages. */
const neverAllowed = /is this service|link-local|cloud metadata|unspecified address|multicast|reserved address/;

const adviceFor = ({ code, detail, page_status: status = 0 }: ProblemReason['problem'], known: string): string => {
  if (code === 'target_forbidden' && neverAllowed.test(detail))
    return 'No setting allows this URL. Measure the page at the URL that its visitors use.';
  if (code !== 'page_error' || status < 404) return known;
  return status < 500
    ? 'Open the URL in a browser: does it have a typo?'
    : 'Open the URL in a browser. If it fails there, too, the log of its server shows why.';
};

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(advices, code);

type ProblemReason = Extract<FailureReason, { kind: 'problem' }>;

function sayProblem({ problem, retryAfterSeconds }: ProblemReason, names: SideNames): FailureWords {
  const { code, title, detail, retryable, page_status: pageStatus } = problem;
  const [whose, advice] = isKnown(code)
    ? [nameFault(faultOf(code), names), advices[code]]
    : [faultWords.machine, 'Read the message above, then measure again.'];
  const when = retryAfterSeconds === undefined ? '' : ` Retry in ${formatDuration(retryAfterSeconds)}.`;
  const status =
    pageStatus === undefined || detail.includes(`${pageStatus}`) ? [] : [`The page returned status ${pageStatus}.`];
  return {
    heading: title,
    whose,
    what: [detail, ...status],
    advice: `${adviceFor(problem, advice)}${when}`,
    code,
    // A removed result can be measured again.
    canRetry: retryable || ['result_not_found', 'results_not_kept', 'artifacts_gone'].includes(code),
  };
}

const placeOf = (loc: readonly (string | number)[]): string =>
  loc
    .slice(1)
    .map(part => (typeof part === 'number' ? `number ${part + 1}` : part))
    .join(', ');

/** Describes a fault. The contract's message has pydantic's wording; users need to know what to enter. */
const sayFault = ({ loc, msg, type }: Extract<FailureReason, { kind: 'invalid' }>['faults'][number]): string =>
  `${placeOf(loc) || 'request'}: ${type === 'url_scheme' ? 'it must start with http:// or https://' : msg.replace(/^Value error, /, '')}.`;

/** @param names names of the sides, if known */
export function toWords(failure: FailureReason, names: SideNames = toSideNames(undefined)): FailureWords {
  switch (failure.kind) {
    case 'problem':
      return sayProblem(failure, names);
    case 'invalid':
      return {
        heading: 'Invalid request',
        whose: faultWords.client,
        what: failure.faults.map(sayFault),
        advice: 'Correct the request and measure again.',
        code: failure.faults.map(({ type }) => type).join(', '),
        canRetry: false,
      };
    case 'unreachable':
      return {
        heading: 'The service cannot be reached',
        whose: 'the connection',
        what: ['The server of this page does not respond.'],
        advice: 'Check that the service is running and that you are online, then measure again.',
        code: 'no_connection',
        canRetry: true,
      };
    case 'cut':
      return {
        heading: 'The connection closed before the result arrived',
        whose: 'the connection',
        what: ['The analysis had already started.'],
        advice: 'Measure again. If it fails each time, raise the timeout of the proxy between you and the service.',
        code: 'connection_cut',
        canRetry: true,
      };
    case 'absent':
      return {
        heading: 'No stored result',
        whose: faultWords.machine,
        what: ['The measurement failed for a reason unrelated to the page, or its result has since been removed.'],
        advice: 'Measure the page again.',
        code: 'not_kept',
        canRetry: true,
      };
    case 'malformed':
      return {
        heading: 'This link is incomplete',
        whose: faultWords.client,
        what: ['The link contains no valid id: the id of a result has 36 characters.'],
        advice: 'Copy the whole link again, or measure the page.',
        code: 'malformed_id',
        canRetry: false,
      };
    case 'unreadable':
      return {
        heading: 'Unexpected response',
        whose: 'the connection',
        what: [`The response (status ${failure.status}) is not from this service. A proxy may have sent it.`],
        advice: 'Measure again. If it fails again, report it to the operator of the service.',
        code: `status_${failure.status}`,
        canRetry: true,
      };
  }
}
