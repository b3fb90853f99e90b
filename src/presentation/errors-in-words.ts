/** What went wrong, whose fault it is, and what to do now. */
import type { ErrorCode } from '../errors.ts';
import { formatDuration } from './numbers.ts';
import type { Trouble } from './trouble.ts';

export type TroubleWords = {
  readonly heading: string;
  readonly whose: string;
  /** What happened: a sentence or several. */
  readonly what: readonly string[];
  /** What to do now. */
  readonly advice: string;
  readonly code: string;
  readonly canRetry: boolean;
};

const page = 'the page';
const remote = 'the remote analyser';
const service = 'this service';
const request = 'the request';

/** Whose fault a code is, and what to do: every code of the service has its row. */
const table: Readonly<Record<ErrorCode, readonly [whose: string, advice: string]>> = {
  unauthorized: [request, 'Enter a key of this service. Whoever runs it has one for you.'],
  target_forbidden: [
    service,
    'It may not measure this address. Try the local backend, or ask whoever runs the service to allow the host (TARGETS).',
  ],
  cross_site_request: [request, 'Open this page at its own address and measure from here.'],
  host_not_allowed: [request, 'Open the service by a name it knows (ALLOWED_HOSTS).'],
  invalid_url: [request, 'Check the address for a typing error.'],
  payload_too_large: [request, 'Measure the list in smaller parts.'],
  rate_limited: [request, 'Wait a moment, then measure again.'],
  internal: [service, 'Measure again. If it happens twice, the log of the service has the cause.'],
  page_unreachable: [page, 'Open the address in a browser: is the name right, and does the server run?'],
  page_error: [page, 'Open the address in a browser. A page that needs a login, or is gone, cannot be measured.'],
  page_not_html: [page, 'Measure the page that shows this file, not the file.'],
  page_blank: [page, 'Check that the page shows something without a click or a login, also in a headless browser.'],
  page_hung: [
    page,
    'Look for a script that runs without end. Measuring again may help with one that only sometimes does.',
  ],
  page_crashed: [page, 'Look for something that takes very much memory, then measure again.'],
  page_insecure: [page, 'Renew or correct its certificate, or measure it under http.'],
  too_many_redirects: [
    page,
    'Look at where it redirects to: often a cookie or a language is asked for again and again.',
  ],
  psi_unavailable: [remote, 'Measure again in a few minutes, or measure locally.'],
  psi_bad_response: [
    remote,
    'Check PSI_ENDPOINT: something else may be answering there. Measuring locally works meanwhile.',
  ],
  psi_key_rejected: [remote, 'Whoever runs the service has to correct PSI_API_KEY. Measuring locally works meanwhile.'],
  psi_quota_exceeded: [remote, 'Wait until the quota is renewed, or measure locally.'],
  lighthouse_unavailable: [service, 'Measure remotely, or ask whoever runs the service: /health says what is missing.'],
  queue_full: [service, 'Others are being served. Wait a moment, then measure again.'],
  shutting_down: [service, 'It is being restarted. Measure again in a minute.'],
  psi_timeout: [remote, 'Measure again, or measure locally.'],
  lighthouse_timeout: [page, 'It took too long to measure. Measure again at a quieter time, or with fewer categories.'],
};

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(table, code);

type ProblemTrouble = Extract<Trouble, { kind: 'problem' }>;

function sayProblem({ problem, retryAfterSeconds }: ProblemTrouble): TroubleWords {
  const { code, title, detail, retryable, page_status: pageStatus } = problem;
  const [whose, advice] = isKnown(code) ? table[code] : [service, 'Read what it says, then measure again.'];
  const when =
    retryAfterSeconds === undefined ? '' : ` The service expects to be free in ${formatDuration(retryAfterSeconds)}.`;
  const status =
    pageStatus === undefined || detail.includes(`${pageStatus}`) ? [] : [`It answered with status ${pageStatus}.`];
  return { heading: title, whose, what: [detail, ...status], advice: `${advice}${when}`, code, canRetry: retryable };
}

const placeOf = (loc: readonly (string | number)[]): string =>
  loc
    .slice(1)
    .map(part => (typeof part === 'number' ? `number ${part + 1}` : part))
    .join(', ');

export function toWords(trouble: Trouble): TroubleWords {
  switch (trouble.kind) {
    case 'problem':
      return sayProblem(trouble);
    case 'invalid':
      return {
        heading: 'The service did not accept this',
        whose: request,
        what: trouble.faults.map(({ loc, msg }) => `${placeOf(loc) || 'request'}: ${msg}.`),
        advice: 'Correct it above and measure again.',
        code: trouble.faults.map(({ type }) => type).join(', '),
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
        what: ['The measurement had begun; its result did not arrive.'],
        advice: 'Measure again. If it happens each time, something between you and the service gives up too early.',
        code: 'connection_cut',
        canRetry: true,
      };
    case 'unreadable':
      return {
        heading: 'Something else answered',
        whose: 'the connection',
        what: [`The answer (status ${trouble.status}) is not one of this service: a proxy may stand between.`],
        advice: 'Measure again. If it stays, show this to whoever runs the service.',
        code: `status_${trouble.status}`,
        canRetry: true,
      };
  }
}
