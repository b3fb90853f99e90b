/** Every error code as the page and the command show it, and errors with values. */
import { type ErrorCode, errorTable } from '../../src/contract/errors.ts';
import { toPageFailure } from '../../src/measure/lhr/page-failure.ts';
import { type FailureReason, toWords } from '../../src/presentation/errors-in-words.ts';
import { buildProblem } from '../web/reports.ts';
import type { Case } from './case.ts';

const sayCode = (code: ErrorCode) => () => {
  const { heading, whose, advice } = toWords({
    kind: 'problem',
    problem: buildProblem({ code, title: errorTable[code].title }),
  });
  return `${heading} (${whose}). ${advice}`;
};
const sayReason = (reason: FailureReason) => () => {
  const { heading, what, advice } = toWords(reason);
  return `${heading}. ${what.join(' ')} ${advice}`;
};
const sayPage = (code: string, message: string) => () => toPageFailure(code, message)?.message;

const advice: Readonly<Record<ErrorCode, string>> = {
  unauthorized:
    'Authentication required (the request). Enter an API key for this service. Its operator can give you one.',
  target_forbidden:
    'Target not allowed (the request). Measure the page locally, or ask the operator to allow its host (TARGETS).',
  cross_site_request:
    'Cross-site request refused (the request). Open this service in a browser and measure from there.',
  operator_only: 'Only for operators (the request). Send an operator key of this service (ADMIN_KEYS).',
  host_not_allowed: 'Host not allowed (the request). Open the service under a host name in ALLOWED_HOSTS.',
  invalid_url: 'Invalid URL (the request). Check the URL for typos.',
  result_not_found: 'Result not found (the request). Check the id or the label, or measure the page again.',
  job_not_found: 'Job not found (the request). Send the request again. Jobs are removed a day after they end.',
  job_cancelled: 'Job cancelled (the request). Send the request again if you still need the result.',
  schedule_not_found: 'Schedule not found (the request). Look it up in the list of schedules.',
  access_not_found:
    'Stored access not found (the request). Look it up with GET /access: names belong to the API key that stored them.',
  note_not_found: 'Note not found (the request). Look it up in the list of notes.',
  artifacts_gone:
    'Artifacts are not stored (the request). Measure the page again on this machine, and use the id of the new result.',
  not_simulated:
    'Load was not simulated (the request). Measure the page with local Lighthouse and its default throttling.',
  results_not_kept:
    'Results are not stored (the request). Measure the page again. The operator can set DATA_DIR to store results.',
  payload_too_large: 'Request body too large (the request). Split the list into smaller parts.',
  rate_limited: 'Too many requests (the request). Wait a moment, then measure again.',
  internal: 'Internal error (this service). The server failed: check its log.',
  job_interrupted: 'Job interrupted (this service). Measure the page again. The service log shows why it stopped.',
  page_unreachable:
    'Page unreachable (the page). Open the URL in a browser: is the host name right, and is its server running?',
  page_error:
    'Page returned an error (the page). Open the URL in a browser. If it needs a login there, measure it as a private page, with an access.',
  login_required: 'Page requires a login (the page). Renew the access of the page, or correct what it expects.',
  login_failed: 'Login failed (the page). Check the recording of the login and its secrets.',
  page_not_html: 'Page is not HTML (the page). Measure the page that shows this file, not the file itself.',
  page_blank:
    'Page painted nothing (the page). Check that a headless browser shows the page without a click or a login, and without `opacity: 0`.',
  page_hung:
    'Page stopped responding (the page). Look for a script with an infinite loop. If the page hangs only sometimes, measure again.',
  page_crashed:
    'Page crashed the browser (the page). Look for scripts or images that need a lot of memory, then measure again.',
  page_too_large:
    'Page too large (the page). Look for a download or a video that the page loads by itself, and measure it without that.',
  page_insecure: 'Page is not secure (the page). Renew or fix the certificate of the page, or measure its http URL.',
  too_many_redirects:
    'Page redirects in a loop (the page). Follow the redirects in a browser. Often the server expects a cookie or a language.',
  sitemap_not_found:
    'No sitemap found (the page). Enter the URL of the sitemap, or the URLs of the pages, one per line.',
  sitemap_invalid:
    'Not a sitemap (the page). Enter the URL of the sitemap, or of the site, whose robots.txt lists its sitemaps.',
  sitemap_too_large: 'Sitemap too large (the page). Enter the URL of one of the sitemaps that it lists.',
  sitemap_empty:
    'No pages to measure in the sitemap (the page). Enter the URLs of the pages, one per line, or ask the operator to allow the host (TARGETS).',
  psi_unavailable: 'PSI server unavailable (the PSI server). Measure again in a few minutes, or measure locally.',
  psi_bad_response:
    'Invalid response from the PSI server (the PSI server). Check that PSI_ENDPOINT is the URL of a PSI server. You can measure locally in the meantime.',
  psi_key_rejected:
    'PSI server rejected the key (the PSI server). Ask the operator to correct PSI_API_KEY. You can measure locally in the meantime.',
  psi_quota_exceeded: 'PSI quota used up (the PSI server). Wait until the quota resets, or measure locally.',
  lighthouse_unavailable:
    'Local audits unavailable (this service). Ask the operator of the service: /health shows the cause.',
  queue_full: 'Queue full (this service). The service is busy. Wait a moment, then measure again.',
  queue_unavailable:
    'Audit queue unavailable (this service). Wait a moment, then measure again. /health shows the state of the database and of the fleet.',
  results_unavailable:
    'Stored results unavailable (this service). Wait a moment, then reload. /health shows the cause.',
  jobs_unavailable: 'Jobs unavailable (this service). Wait a moment, then try again. The service log shows the cause.',
  shutting_down: 'Service is shutting down (this service). Measure again in a minute, after the restart.',
  page_timeout:
    'Page timed out (the page). Open the URL in a browser: how long does its server take to respond? Measure again when the server is less busy.',
  psi_timeout: 'PSI server timed out (the PSI server). Measure again, or measure locally.',
  lighthouse_timeout:
    'Local audit timed out (this service). Measure again when the service is less busy, or with fewer categories.',
};

export const failureCases: readonly Case[] = [
  ...Object.entries(advice).map(([code, sentence]): Case => [`\`${code}\``, sayCode(code as ErrorCode), sentence]),
  [
    'status 404 of the page',
    sayPage('ERRORED_DOCUMENT_REQUEST', 'Status code: 404'),
    'The page returned status 404 instead of its content.',
  ],
  ...(
    [
      [404, 'Open the URL in a browser: does it have a typo?'],
      [503, 'Open the URL in a browser. If it fails there, too, the log of its server shows why.'],
    ] as const
  ).map(([page_status, sentence]): Case => {
    const problem = buildProblem({ code: 'page_error', page_status });
    return [`advice for status ${page_status}`, () => toWords({ kind: 'problem', problem }).advice, sentence];
  }),
  ['nothing painted', sayPage('NO_FCP', 'NO_FCP'), 'The page painted nothing that could be measured.'],
  [
    'no connection',
    sayReason({ kind: 'unreachable' }),
    'The service cannot be reached. The server of this page does not respond. Check that the service is running and that you are online, then measure again.',
  ],
  [
    'a connection that ended early',
    sayReason({ kind: 'cut' }),
    'The connection closed before the result arrived. The analysis had already started. Measure again. If it fails each time, raise the timeout of the proxy between you and the service.',
  ],
  [
    'no stored result',
    sayReason({ kind: 'absent' }),
    'No stored result. The measurement failed for a reason unrelated to the page, or its result has since been removed. Measure the page again.',
  ],
  [
    'a link without a valid id',
    sayReason({ kind: 'malformed' }),
    'This link is incomplete. The link contains no valid id: the id of a result has 36 characters. Copy the whole link again, or measure the page.',
  ],
  [
    'status 502 of a proxy',
    sayReason({ kind: 'unreadable', status: 502 }),
    'Unexpected response. The response (status 502) is not from this service. A proxy may have sent it. Measure again. If it fails again, report it to the operator of the service.',
  ],
];
