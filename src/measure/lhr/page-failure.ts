import { AnalysisError, type ErrorCode } from '../../contract/errors.ts';
import type { Lhr } from './lhr.ts';

/**
 * Maps Lighthouse's error codes (core/lib/lh-error.js, 13.5). Both analysers use Lighthouse, so the same page fails
 * with the same code on either. Other codes are failures of the machine, not of the page.
 */
const codes: Readonly<Record<string, ErrorCode>> = {
  DNS_FAILURE: 'page_unreachable',
  FAILED_DOCUMENT_REQUEST: 'page_unreachable',
  NO_DOCUMENT_REQUEST: 'page_unreachable',
  ERRORED_DOCUMENT_REQUEST: 'page_error',
  NOT_HTML: 'page_not_html',
  INSECURE_DOCUMENT_REQUEST: 'page_insecure',
  CHROME_INTERSTITIAL_ERROR: 'page_insecure',
  PAGE_HUNG: 'page_hung',
  PROTOCOL_TIMEOUT: 'page_hung',
  TARGET_CRASHED: 'page_crashed',
  TARGET_DETACHED: 'page_crashed',
  NO_FCP: 'page_blank',
  NO_LCP: 'page_blank',
  NO_SPEEDLINE_FRAMES: 'page_blank',
  SPEEDINDEX_OF_ZERO: 'page_blank',
  NO_SCREENSHOTS: 'page_blank',
  INVALID_SPEEDLINE: 'page_blank',
  NO_NAVSTART: 'page_blank',
  NO_DCL: 'page_blank',
  NO_RESOURCE_REQUEST: 'page_blank',
};

/**
 * Chrome's network errors that are more specific than "unreachable". A download aborts the navigation, so there is
 * nothing to render.
 */
const networkErrors: readonly (readonly [RegExp, ErrorCode])[] = [
  [/ERR_TOO_MANY_REDIRECTS/, 'too_many_redirects'],
  [/ERR_(CERT|SSL_|BAD_SSL)/, 'page_insecure'],
  [/ERR_(ABORTED|INVALID_RESPONSE_HEADERS)/, 'page_not_html'],
  // ERR_CONNECTION_TIMED_OUT is not in this list, because a server that accepts no connection is unreachable.
  [/net::ERR_TIMED_OUT/, 'page_timeout'],
  // An error status without content.
  [/ERR_HTTP_RESPONSE_CODE_FAILURE/, 'page_error'],
];

const details: Partial<Record<ErrorCode, string>> = {
  page_error: 'The page returned an error status instead of its content',
  page_unreachable: 'The page could not be loaded: check the URL and its server',
  page_not_html: 'The URL does not return an HTML page',
  page_insecure: 'The browser refused the connection as insecure: check the certificate of the page',
  page_timeout: 'The page did not respond or load within the time limit of Lighthouse',
  page_hung: 'The page stopped responding while it was measured',
  page_crashed: 'The browser tab crashed while it loaded the page',
  page_blank: 'The page painted nothing that could be measured',
  too_many_redirects: 'The page redirects in a loop',
};

/** Reasons why content is not painted, as the worker names them. */
const invisible: Readonly<Record<string, string>> = {
  opacity: 'its content has `opacity: 0`',
  'fade-in': 'its content fades in from `opacity: 0`, which Chrome does not count as a paint',
  hidden: 'its content is hidden (`visibility: hidden` or `display: none`)',
};

const toDetail = (code: ErrorCode, message: string): string => {
  const reason = code === 'page_blank' && invisible[/\(Invisible: ([a-z-]+)\)/.exec(message)?.[1] ?? ''];
  if (reason) return `${details.page_blank}: ${reason}.`;
  const netError = /net::(ERR_\w+)/.exec(message)?.[1];
  const mimeType = /[a-z]+\/[\w.+-]+/.exec(message)?.[0];
  const fact = netError ?? (code === 'page_not_html' ? mimeType : undefined);
  return `${details[code] ?? 'The page could not be measured'}${fact ? ` (${fact})` : ''}.`;
};

const toCode = (lighthouseCode: string, message: string): ErrorCode | undefined => {
  const code = Object.hasOwn(codes, lighthouseCode) ? codes[lighthouseCode] : undefined;
  if (code !== 'page_unreachable') return code;
  return networkErrors.find(([pattern]) => pattern.test(message))?.[1] ?? code;
};

/** Browsers accept statuses that no standard defines, and Lighthouse counts all of these as errors. */
const isErrorStatus = (status: number): boolean => status >= 400;

/** Creates the error for a page that responded with an error status instead of its content. */
export const pageAnswered = (
  status: number,
  facts: { lighthouseCode?: string; lighthouseMessage?: string } = {},
): AnalysisError =>
  new AnalysisError('page_error', `The page returned status ${status} instead of its content.`, {
    pageStatus: status,
    ...facts,
  });

/**
 * Converts a failure of Lighthouse to a failure of the page; undefined if it is not the page's fault.
 * @param lighthouseCode such as `NO_FCP`
 * @param message Lighthouse's message in any language, with the status, MIME type or network error
 */
export function toPageFailure(lighthouseCode: string, message: string): AnalysisError | undefined {
  const status = Number(/[:：]\s*(\d{3,})/.exec(message)?.[1]);
  if (lighthouseCode === 'ERRORED_DOCUMENT_REQUEST' && isErrorStatus(status))
    return pageAnswered(status, { lighthouseCode, lighthouseMessage: message });
  const code = toCode(lighthouseCode, message);
  const lighthouseMessage = message.replace(/ \(Invisible: [a-z-]+\)$/, '');
  return code && new AnalysisError(code, toDetail(code, message), { lighthouseCode, lighthouseMessage });
}

/**
 * Finds the error status of a page that PageSpeed Insights measured anyway: it only warns about statuses. Otherwise an
 * error page would get a score, even 100. The warning is translated, but always ends with `: 503`, and no other warning
 * does.
 */
export function findErrorStatus(runWarnings: readonly string[]): number | undefined {
  for (const warning of runWarnings) {
    const status = Number(/[:：]\s*(\d{3,})[)）.。]*$/.exec(warning)?.[1]);
    if (isErrorStatus(status)) return status;
  }
  return undefined;
}

/**
 * Returns whether a runtime error means that the page has no result. An artifact that was not gathered in time is such
 * an error too, but only the audits that need it failed.
 */
const isFatal = ({ code }: { code: string }, categories: Lhr['categories']): boolean =>
  code !== 'NO_ERROR' &&
  !(code === 'PROTOCOL_TIMEOUT' && Object.values(categories).some(({ score }) => typeof score === 'number'));

/**
 * @param otherwise code for a failure that is not the page's fault
 * @throws AnalysisError if the Lighthouse result reports a runtime error, and no score
 */
export function assertNoRuntimeError(
  { runtimeError, categories }: Pick<Lhr, 'runtimeError' | 'categories'>,
  otherwise: ErrorCode,
): void {
  if (!runtimeError || !isFatal(runtimeError, categories)) return;
  const { code, message = '' } = runtimeError;
  throw toPageFailure(code, message) ?? toMachineFailure(otherwise, code, message);
}

/** Creates the error for a failure of the machine. A retry may succeed. */
export const toMachineFailure = (
  code: ErrorCode,
  lighthouseCode: string | undefined,
  lighthouseMessage: string,
  cause?: unknown,
) =>
  new AnalysisError(code, 'The audit failed, but not because of the page. Retry.', {
    lighthouseCode,
    lighthouseMessage,
    cause,
  });

/** @throws AnalysisError if the page was not measured, or responded with an error status */
export function assertMeasured(lhr: Lhr, otherwise: ErrorCode): void {
  assertNoRuntimeError(lhr, otherwise);
  const status = findErrorStatus(lhr.runWarnings ?? []);
  if (status !== undefined) throw pageAnswered(status);
}
