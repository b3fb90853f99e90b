import Type, { type Static } from 'typebox';
import { type AnalysisError, errorTable, faultOf } from '../../../contract/errors.ts';

/** Writes failures in the format of PSI v5, with Google's messages and statuses. */

const Detail = Type.Object({
  '@type': Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  domain: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  fieldViolations: Type.Optional(Type.Array(Type.Object({ field: Type.String(), description: Type.String() }))),
});

export const PsiErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.Integer({ description: 'The HTTP status' }),
      message: Type.String(),
      errors: Type.Array(
        Type.Object({
          message: Type.String(),
          domain: Type.String({ description: '`lighthouse` for a page that failed, `rangelight` for this service' }),
          reason: Type.String(),
          location: Type.Optional(Type.String()),
          locationType: Type.Optional(Type.String()),
        }),
      ),
      status: Type.Optional(Type.String()),
      details: Type.Optional(Type.Array(Detail)),
    }),
  },
  { $id: 'PsiErrorBody', description: "Error in the envelope of Google's APIs" },
);
export type PsiErrorBody = Static<typeof PsiErrorBody>;

export type PsiErrorDetail = Static<typeof Detail>;

/** Domain of failures that do not exist in v5. Their reason is one of this service's codes. */
export const ownDomain = 'rangelight';

const envelope = (
  code: number,
  message: string,
  domain: string,
  reason: string,
  more: { status?: string; details?: PsiErrorDetail[] } = {},
): PsiErrorBody => ({ error: { code, message, errors: [{ message, domain, reason }], ...more } });

/** Returns Google's error for a parameter that does not match its pattern. */
export const invalidParameter = (name: string, message: string): PsiErrorBody => ({
  error: {
    code: 400,
    message,
    errors: [
      { message, domain: 'gdata.CoreErrorDomain', reason: 'INVALID_PARAMETER', location: name, locationType: 'other' },
    ],
  },
});

/** Returns Google's error for a value outside an enumeration. */
export const invalidEnum = (name: 'strategy' | 'category', value: string): PsiErrorBody => {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const request = 'google.chrome.pagespeedonline.v5.PagespeedonlinePagespeedapiRunpagespeedRequest';
  return envelope(
    400,
    `Invalid value at '${name}' (type.googleapis.com/${request}.${type}), ${JSON.stringify(value)}`,
    'global',
    'invalid',
    { status: 'INVALID_ARGUMENT' },
  );
};

/** Returns Google's error for a `fields` mask that is malformed or names unknown fields. */
export const invalidMask = (mask: string, description: string): PsiErrorBody =>
  envelope(400, 'Request contains an invalid argument.', 'global', 'badRequest', {
    status: 'INVALID_ARGUMENT',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: mask, description }] },
    ],
  });

const errorInfo = (reason: string): PsiErrorDetail => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
});

/** Google's message for an invalid key. */
export const invalidKey = 'API key not valid. Please pass a valid API key.';

/**
 * Returns the error for a client without a valid key; for a wrong one, it is Google's. Another Rangelight that uses this
 * one must not forward it to its own client.
 */
const unauthenticated = ({ message }: AnalysisError): PsiErrorBody =>
  message === invalidKey
    ? envelope(400, message, 'global', 'badRequest', {
        status: 'INVALID_ARGUMENT',
        details: [errorInfo('API_KEY_INVALID')],
      })
    : envelope(401, message, 'global', 'required', { status: 'UNAUTHENTICATED' });

const rateLimited = ({ message }: AnalysisError): PsiErrorBody =>
  envelope(429, message, 'global', 'rateLimitExceeded', {
    status: 'RESOURCE_EXHAUSTED',
    details: [errorInfo('RATE_LIMIT_EXCEEDED')],
  });

const isOfPage = ({ code }: AnalysisError): boolean => faultOf(code) === 'page';

const notLoaded =
  'Lighthouse was unable to reliably load the page you requested. Make sure you are testing the correct URL and that the server is properly responding to all requests.';

/**
 * Returns Lighthouse's code and message for a page that did not load, even if this service noticed the failure first.
 */
const toWords = (lighthouseCode: string, { lighthouseMessage, pageStatus, message }: AnalysisError): string => {
  const text = lighthouseMessage ?? message;
  const netError = /net::ERR_\w+/.exec(text)?.[0];
  if (lighthouseCode === 'ERRORED_DOCUMENT_REQUEST' && pageStatus !== undefined)
    return `${lighthouseCode}. ${notLoaded} (Status code: ${pageStatus})`;
  if (lighthouseCode !== 'FAILED_DOCUMENT_REQUEST' || !netError) return `${lighthouseCode}. ${text}`;
  return netError.startsWith('net::ERR_CERT')
    ? `INSECURE_DOCUMENT_REQUEST. The URL you have provided does not have a valid security certificate. ${netError}`
    : `${lighthouseCode}. ${notLoaded} (Details: ${netError})`;
};

const documentTimedOut = `Lighthouse returned error: FAILED_DOCUMENT_REQUEST. ${notLoaded} (Details: net::ERR_TIMED_OUT)`;

const toLighthouseBody = (error: AnalysisError, lighthouseCode: string): PsiErrorBody => {
  const message = `Lighthouse returned error: ${toWords(lighthouseCode, error)}`;
  return isOfPage(error)
    ? envelope(400, message, 'lighthouse', 'lighthouseUserError')
    : envelope(500, message, 'lighthouse', 'lighthouseError');
};

/** Names of google.rpc.Code by HTTP status. */
const statusNames: Readonly<Record<number, string>> = {
  400: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Returns whether an audit was too slow. Clients retry a 504 three times, which would take as long and fail again. */
const isSlowAudit = ({ code }: AnalysisError): boolean => code === 'lighthouse_timeout';

const toOwnBody = (error: AnalysisError): PsiErrorBody => {
  const httpStatus = isOfPage(error) || isSlowAudit(error) ? 400 : errorTable[error.code].status;
  const status = statusNames[isSlowAudit(error) ? errorTable[error.code].status : httpStatus];
  return envelope(httpStatus, error.message, ownDomain, error.code, status ? { status } : {});
};

/**
 * Converts a failure to PSI v5. A failure of the page is a 400, because clients would retry a 500 three times in vain.
 * A failure of this machine has its own status and this service's domain.
 */
export function toPsiFailure(error: AnalysisError): PsiErrorBody {
  const { lighthouseCode, lighthouseMessage, pageStatus, code } = error;
  if (code === 'unauthorized') return unauthenticated(error);
  if (code === 'rate_limited') return rateLimited(error);
  if (lighthouseCode) return toLighthouseBody(error, lighthouseCode);
  // Google has no specific message for a page that does not respond in time.
  if (code === 'page_timeout') return envelope(400, documentTimedOut, 'lighthouse', 'lighthouseUserError');
  // In v5, only this message can contain the status of the page.
  if (pageStatus !== undefined) return toLighthouseBody(error, 'ERRORED_DOCUMENT_REQUEST');
  if (lighthouseMessage !== undefined && !isOfPage(error))
    return envelope(500, 'Lighthouse returned error: Something went wrong.', 'lighthouse', 'lighthouseError');
  return toOwnBody(error);
}
