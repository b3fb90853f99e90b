/** What went wrong, which part is at fault, and what to do now. */

import { type ErrorCode, type Fault, faultOf } from '../contract/errors.ts';
import type { FailureReason } from './failure-reason.ts';
import { formatDuration } from './numbers.ts';
import { type SideNames, toSideNames } from './side-names.ts';

export type FailureWords = {
  readonly heading: string;
  readonly whose: string;
  /** What happened, in one sentence or several. */
  readonly what: readonly string[];
  /** What to do now. */
  readonly advice: string;
  readonly code: string;
  readonly canRetry: boolean;
};

const faultWords: Readonly<Record<Exclude<Fault, 'remote'>, string>> = {
  page: 'the page',
  machine: 'this service',
  client: 'the request',
};

/** The remote analyser has a name of its own, or is the service itself. */
const nameAnalyser = (names: SideNames): string => {
  if (names.remote === 'embedded') return faultWords.machine;
  return names.remote === undefined ? 'the remote analyser' : names.psi.full;
};

const nameFault = (fault: Fault, names: SideNames): string =>
  fault === 'remote' ? nameAnalyser(names) : faultWords[fault];

/** What to do now: every code of the service has its row. */
const advices: Readonly<Record<ErrorCode, string>> = {
  unauthorized: 'Enter a key of this service. Its operator has one for you.',
  target_forbidden:
    'Its settings do not allow this address. Measure locally, or ask the operator to allow the host (TARGETS).',
  cross_site_request: 'Open this page at its own address and measure from here.',
  operator_only: 'Use an operator key of this service (ADMIN_KEYS).',
  host_not_allowed: 'Open the service by a name it knows (ALLOWED_HOSTS).',
  invalid_url: 'Check the address for a typing error.',
  result_not_found: 'It may have been removed to make room. Measure the page again.',
  job_not_found: 'Ask for it again: a job is kept for a day after its end.',
  job_cancelled: 'Ask for it again if you still need it.',
  schedule_not_found: 'Look for it in the list of schedules.',
  artifacts_gone: 'Measure the page again on this machine: the new result has its trace.',
  not_simulated: 'Measure the page with local Lighthouse and its usual throttling.',
  results_not_kept: 'Measure the page again. The operator can set DATA_DIR to keep results.',
  payload_too_large: 'Measure the list in smaller parts.',
  rate_limited: 'Wait a moment, then measure again.',
  internal: 'Measure again. If it happens twice, the log of the service has the cause.',
  job_interrupted: 'Measure it again. The log of the service says why it ended.',
  page_unreachable: 'Open the address in a browser: is the name right, and does the server run?',
  page_error: 'Open the address in a browser. A page that needs a login, or is gone, cannot be measured.',
  page_not_html: 'Measure the page that shows this file, not the file.',
  page_blank: 'Check that the page shows something without a click or a login, also in a headless browser.',
  page_hung: 'Look for a script that runs without end. Measuring again may help with one that only sometimes does.',
  page_crashed: 'Look for something that takes very much memory, then measure again.',
  page_insecure: 'Renew or correct its certificate, or measure it under http.',
  too_many_redirects: 'Look at where it redirects to: often it asks for a cookie or a language each time.',
  sitemap_not_found: 'Enter the address of the sitemap itself, or the pages one a line.',
  sitemap_invalid: 'Enter the address of the sitemap, or of the site alone: its robots.txt is read then.',
  sitemap_too_large: 'Enter the address of one of the sitemaps that it names.',
  sitemap_empty: 'Enter the pages one a line, or ask the operator to allow the host (TARGETS).',
  psi_unavailable: 'Measure again in a few minutes, or measure locally.',
  psi_bad_response: 'Check PSI_ENDPOINT: something else may be answering there. Measuring locally works meanwhile.',
  psi_key_rejected: 'The operator has to correct PSI_API_KEY. Measuring locally works meanwhile.',
  psi_quota_exceeded: 'Wait until the quota is renewed, or measure locally.',
  lighthouse_unavailable: 'Ask the operator of the service: /health says what is missing.',
  jobs_unavailable: 'Wait a moment, then ask again. The log of the service has the cause.',
  queue_full: 'All audit slots are busy. Wait a moment, then measure again.',
  queue_unavailable: 'Wait a moment, then measure again. /health says whether the database and a worker are there.',
  results_unavailable: 'Wait a moment, then load it again. /health says what is wrong.',
  shutting_down: 'It is being restarted. Measure again in a minute.',
  page_timeout:
    'Open the address in a browser: how long does its server take to answer? Measure again when it is less busy.',
  psi_timeout: 'Measure again, or measure locally.',
  lighthouse_timeout: 'It took too long to measure. Measure again at a quieter time, or with fewer categories.',
};

/** What no setting allows: this service itself, and addresses that no page is at. */
const neverAllowed = /is this service|link-local|cloud metadata|unspecified address|multicast|reserved address/;

const adviceFor = ({ code, detail }: ProblemReason['problem'], known: string): string => {
  if (code !== 'target_forbidden' || !neverAllowed.test(detail)) return known;
  return 'No setting allows this address. Measure the page at the address that its visitors use.';
};

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(advices, code);

type ProblemReason = Extract<FailureReason, { kind: 'problem' }>;

function sayProblem({ problem, retryAfterSeconds }: ProblemReason, names: SideNames): FailureWords {
  const { code, title, detail, retryable, page_status: pageStatus } = problem;
  const [whose, advice] = isKnown(code)
    ? [nameFault(faultOf(code), names), advices[code]]
    : [faultWords.machine, 'Read what it says, then measure again.'];
  const when =
    retryAfterSeconds === undefined ? '' : ` The service expects to be free in ${formatDuration(retryAfterSeconds)}.`;
  const status =
    pageStatus === undefined || detail.includes(`${pageStatus}`) ? [] : [`It answered with status ${pageStatus}.`];
  return {
    heading: title,
    whose,
    what: [detail, ...status],
    advice: `${adviceFor(problem, advice)}${when}`,
    code,
    // What is gone can be measured anew.
    canRetry: retryable || ['result_not_found', 'results_not_kept', 'artifacts_gone'].includes(code),
  };
}

const placeOf = (loc: readonly (string | number)[]): string =>
  loc
    .slice(1)
    .map(part => (typeof part === 'number' ? `number ${part + 1}` : part))
    .join(', ');

/** The message of a fault is the contract's, in the words of pydantic; a person needs to know what to enter. */
const sayFault = ({ loc, msg, type }: Extract<FailureReason, { kind: 'invalid' }>['faults'][number]): string => {
  if (type === 'url_scheme') return 'Only pages with an http:// or https:// URL can be measured.';
  return `${placeOf(loc) || 'request'}: ${msg}.`;
};

/** @param names of the sides, where they are known */
export function toWords(failure: FailureReason, names: SideNames = toSideNames(undefined)): FailureWords {
  switch (failure.kind) {
    case 'problem':
      return sayProblem(failure, names);
    case 'invalid':
      return {
        heading: 'The service did not accept this',
        whose: faultWords.client,
        what: failure.faults.map(sayFault),
        advice: 'Correct it above and measure again.',
        code: failure.faults.map(({ type }) => type).join(', '),
        canRetry: false,
      };
    case 'unreachable':
      return {
        heading: 'The service cannot be reached',
        whose: 'the connection',
        what: ['No answer came from the address this page was loaded from.'],
        advice: 'Check that the service runs and that you are online, then measure again.',
        code: 'no_connection',
        canRetry: true,
      };
    case 'cut':
      return {
        heading: 'The connection ended before the result',
        whose: 'the connection',
        what: ['The analysis had started; its result did not arrive.'],
        advice: 'Measure again. If it happens each time, a proxy between you and the service times out too early.',
        code: 'connection_cut',
        canRetry: true,
      };
    case 'absent':
      return {
        heading: 'No result is kept',
        whose: faultWords.machine,
        what: ['It could not be measured then, for no fault of the page, or its result has been removed since.'],
        advice: 'Measure the page again.',
        code: 'not_kept',
        canRetry: true,
      };
    case 'malformed':
      return {
        heading: 'This link is incomplete',
        whose: faultWords.client,
        what: ['The id in the link is not the id of a result: an id has 36 characters.'],
        advice: 'Copy the whole link again, or measure the page.',
        code: 'malformed_id',
        canRetry: false,
      };
    case 'unreadable':
      return {
        heading: 'Something else answered',
        whose: 'the connection',
        what: [`The answer (status ${failure.status}) is not from this service: a proxy may stand between.`],
        advice: 'Measure again. If it stays, show this to the operator of the service.',
        code: `status_${failure.status}`,
        canRetry: true,
      };
  }
}
