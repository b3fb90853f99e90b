import { AnalysisError, type ErrorCode, errorTable } from '../errors.ts';
import { toMachineFailure, toPageFailure } from '../report/page-failure.ts';

/**
 * Failures in PSI v5's wire format, both ways. The status alone tells little: a 400 is a bad request, a bad key or a
 * page that could not be measured. So it is the domain and the reason that decide.
 */
export type PsiErrorBody = {
  error: {
    code: number;
    message: string;
    errors: { message: string; domain: string; reason: string; location?: string; locationType?: string }[];
    status?: string;
    details?: PsiErrorDetail[];
  };
};

type PsiErrorDetail = { reason?: string; metadata?: Record<string, string> };

/** The domain under which our own endpoint says what v5 has no word for; the reason is then one of our codes. */
const ownDomain = 'rangelight';

const isPsiErrorBody = (body: unknown): body is PsiErrorBody =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'object' &&
  body.error !== null &&
  'message' in body.error &&
  typeof body.error.message === 'string';

const isErrorCode = (reason: unknown): reason is ErrorCode =>
  typeof reason === 'string' && Object.hasOwn(errorTable, reason);

const detailsOf = ({ details }: PsiErrorBody['error']): PsiErrorDetail[] =>
  Array.isArray(details) ? details.filter(detail => typeof detail === 'object' && detail !== null) : [];

/** `Lighthouse returned error: NO_FCP. The page did not paint …` */
const fromLighthouseMessage = (message: string): AnalysisError => {
  const [, code = '', text = ''] = /^Lighthouse returned error: ([A-Z_]+)(?:\. ?(.*))?$/s.exec(message) ?? [];
  return toPageFailure(code, text) ?? toMachineFailure('psi_unavailable', code || undefined, text || message);
};

const keyReasons = new Set([
  'API_KEY_INVALID',
  'API_KEY_SERVICE_BLOCKED',
  'API_KEY_HTTP_REFERRER_BLOCKED',
  'API_KEY_IP_ADDRESS_BLOCKED',
  'SERVICE_DISABLED',
]);

const keyRejected = (message: string) =>
  new AnalysisError('psi_key_rejected', `The remote analyser refused the API key: ${message.slice(0, 300)}`);

const quotaExceeded = (details: readonly PsiErrorDetail[], retryAfterSeconds: number | undefined) => {
  const metadata = details.find(detail => detail.metadata)?.metadata;
  if (metadata?.quota_limit_value === '0')
    return new AnalysisError('psi_quota_exceeded', 'The remote analyser grants this caller no quota: set PSI_API_KEY.');
  const span = /PerDay/i.test(metadata?.quota_limit ?? '') ? 'for today' : 'for now';
  return new AnalysisError('psi_quota_exceeded', `The quota of the remote analyser is used up ${span}.`, {
    retryAfterSeconds,
  });
};

const fromStatus = (status: number, retryAfterSeconds: number | undefined): AnalysisError => {
  if (status === 504) return new AnalysisError('psi_timeout', 'The remote analyser ran out of time for the page.');
  if (status >= 500 || status === 408)
    return new AnalysisError('psi_unavailable', `The remote analyser answered with status ${status}.`, {
      retryAfterSeconds,
    });
  return new AnalysisError('psi_bad_response', `The remote analyser refused the request with status ${status}.`);
};

/**
 * @param body parsed JSON, or undefined where the answer was not JSON
 * @returns the failure without its source; messages of the analyser pass through `redact`, which must hide the key
 */
export function fromPsiFailure(
  status: number,
  body: unknown,
  { retryAfterSeconds, redact }: { retryAfterSeconds: number | undefined; redact: (text: string) => string },
): AnalysisError {
  const error = isPsiErrorBody(body) ? body.error : undefined;
  const details = error ? detailsOf(error) : [];
  const first = error?.errors?.[0];
  if (error && first?.domain === ownDomain && isErrorCode(first.reason))
    return new AnalysisError(first.reason, redact(error.message), { retryAfterSeconds });
  if (error && first?.domain === 'lighthouse') return fromLighthouseMessage(redact(error.message));
  if (status === 429) return quotaExceeded(details, retryAfterSeconds);
  const keyFault = status === 401 || status === 403 || details.some(({ reason }) => keyReasons.has(reason ?? ''));
  if (keyFault) return keyRejected(redact(error?.message ?? `status ${status}.`));
  return fromStatus(status, retryAfterSeconds);
}

const envelope = (code: number, message: string, domain: string, reason: string): PsiErrorBody => ({
  error: { code, message, errors: [{ message, domain, reason }] },
});

/** A parameter outside its pattern, as Google says it. */
export const invalidParameter = (name: string, message: string): PsiErrorBody => ({
  error: {
    code: 400,
    message,
    errors: [
      { message, domain: 'gdata.CoreErrorDomain', reason: 'INVALID_PARAMETER', location: name, locationType: 'other' },
    ],
  },
});

/** A value outside an enumeration, as Google says it. */
export const invalidEnum = (name: 'strategy' | 'category', value: string): PsiErrorBody => {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const request = 'google.chrome.pagespeedonline.v5.PagespeedonlinePagespeedapiRunpagespeedRequest';
  const body = envelope(
    400,
    `Invalid value at '${name}' (type.googleapis.com/${request}.${type}), ${JSON.stringify(value)}`,
    'global',
    'invalid',
  );
  return { error: { ...body.error, status: 'INVALID_ARGUMENT' } };
};

const isOfPage = ({ code }: AnalysisError): boolean => code.startsWith('page_') || code === 'too_many_redirects';

const toLighthouseFailure = (error: AnalysisError, lighthouseCode: string, text: string): PsiErrorBody => {
  const message = `Lighthouse returned error: ${lighthouseCode}. ${text}`;
  return isOfPage(error)
    ? envelope(400, message, 'lighthouse', 'lighthouseUserError')
    : envelope(500, message, 'lighthouse', 'lighthouseError');
};

/** What Google has words of its own for; a Rangelight that asks this one must not take them for its own caller's. */
const googleWords: Partial<Record<ErrorCode, { reason: string; status: string }>> = {
  unauthorized: { reason: 'required', status: 'UNAUTHENTICATED' },
  rate_limited: { reason: 'rateLimitExceeded', status: 'RESOURCE_EXHAUSTED' },
};

/**
 * Our failure as a v5 client knows it. A page's failure is a 400: clients repeat a 500 three times, and it would fail
 * as often. What is our machine's own keeps its status and is named under our own domain.
 */
export function toPsiFailure(error: AnalysisError): PsiErrorBody {
  const { lighthouseCode, lighthouseMessage, pageStatus, message, code } = error;
  if (lighthouseCode) return toLighthouseFailure(error, lighthouseCode, lighthouseMessage ?? message);
  // The page's status has a place in v5 only in these words.
  if (pageStatus !== undefined)
    return toLighthouseFailure(error, 'ERRORED_DOCUMENT_REQUEST', `${message} (Status code: ${pageStatus})`);
  const google = googleWords[code];
  if (google) {
    const body = envelope(errorTable[code].status, message, 'global', google.reason);
    return { error: { ...body.error, status: google.status } };
  }
  return envelope(isOfPage(error) ? 400 : errorTable[code].status, message, ownDomain, code);
}
