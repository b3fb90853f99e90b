import { AnalysisError, type ErrorCode, errorTable, faultOf, isDefect } from '../../contract/errors.ts';
import { isObject } from '../../contract/result/details.ts';
import { toMachineFailure, toPageFailure } from '../lhr/page-failure.ts';
import { type FailureKind, kindOfMeasurement } from './retry-rules.ts';
import { ownDomain, type PsiErrorBody, type PsiErrorDetail } from './wire/error-body.ts';

/**
 * Interprets failures in PSI v5's format by domain and reason, because the status is ambiguous: a 400 may mean a bad
 * request, a bad key or a page that could not be measured.
 */

const isPsiErrorBody = (body: unknown): body is PsiErrorBody =>
  isObject(body) && isObject(body.error) && typeof body.error.message === 'string';

const isErrorCode = (reason: unknown): reason is ErrorCode =>
  typeof reason === 'string' && Object.hasOwn(errorTable, reason);

const detailsOf = ({ details }: PsiErrorBody['error']): PsiErrorDetail[] =>
  Array.isArray(details) ? details.filter(isObject) : [];

/** Reads a message such as `Lighthouse returned error: NO_FCP. The page did not paint …`. */
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

type Failed = { kind: FailureKind; error: AnalysisError };

const keyRejected = (kind: FailureKind, message: string): Failed => ({
  kind,
  error: new AnalysisError('psi_key_rejected', `The PSI server rejected the API key: ${message.slice(0, 300)}`),
});

/** @param metadata as received; its values may not be text */
const quotaExceeded = (
  metadata: Record<string, unknown> | undefined,
  retryAfterSeconds: number | undefined,
): Failed => {
  const exceeded = (kind: FailureKind, detail: string) => ({
    kind,
    error: new AnalysisError('psi_quota_exceeded', detail, { retryAfterSeconds }),
  });
  if (metadata?.quota_limit_value === '0')
    return exceeded('quota_none', 'The PSI server grants no quota without a key. Set PSI_API_KEY.');
  return /PerDay/i.test(String(metadata?.quota_limit)) || String(metadata?.quota_unit).startsWith('1/d')
    ? exceeded('quota_day', 'The PSI quota is used up for today.')
    : exceeded('quota_minute', 'The PSI quota is used up for now.');
};

const fromStatus = (status: number, body: unknown, retryAfterSeconds: number | undefined): Failed => {
  if (status === 504)
    return {
      kind: 'gateway_timeout',
      error: new AnalysisError('psi_timeout', 'The PSI server timed out while it measured the page.', {
        retryAfterSeconds,
      }),
    };
  if (status >= 500 || status === 408)
    return {
      // A PSI error body is the analyser's answer to this request. A status without one comes from a front end.
      kind: status === 500 && isPsiErrorBody(body) ? 'overload' : 'gateway',
      error: new AnalysisError('psi_unavailable', `The PSI server returned status ${status}.`, {
        retryAfterSeconds,
      }),
    };
  return {
    kind: 'refused',
    error: new AnalysisError('psi_bad_response', `The PSI server rejected the request with status ${status}.`),
  };
};

/**
 * Returns whether another Rangelight refused the page, could not measure it, or timed out. One that restarts is an
 * unavailable server.
 */
const isOwnRefusal = (code: ErrorCode): boolean =>
  code === 'target_forbidden' || (faultOf(code) === 'machine' && !isDefect(code) && code !== 'shutting_down');

const toOwnKind = (error: AnalysisError): FailureKind | undefined => {
  if (error.code === 'queue_full') return 'own_busy';
  if (isOwnRefusal(error.code)) return 'own_final';
  const kind = kindOfMeasurement(error);
  return kind === 'machine' ? undefined : kind;
};

/**
 * Converts a failure that another Rangelight reports. Facts about that server's clients, keys and faults are not
 * repeated: the failure counts as a refused key, a quota or a failed analyser.
 */
const fromOwn = (code: ErrorCode, status: number, message: string, retryAfterSeconds: number | undefined): Failed => {
  const error = new AnalysisError(code, message, { retryAfterSeconds });
  const kind = toOwnKind(error);
  if (kind) return { kind, error };
  if (code === 'unauthorized' || code === 'psi_key_rejected') return keyRejected('key', message);
  if (code === 'rate_limited' || code === 'psi_quota_exceeded') return quotaExceeded(undefined, retryAfterSeconds);
  const failed = fromStatus(status, undefined, retryAfterSeconds);
  return isDefect(code) ? { ...failed, kind: 'own_final' } : failed;
};

/**
 * @param body parsed JSON; undefined if the response was not JSON
 * @returns the failure without its source, and its kind for the retry rules. Messages of the analyser pass through
 * `redact`, which must remove the key.
 */
export function fromPsiFailure(
  status: number,
  body: unknown,
  { retryAfterSeconds, redact }: { retryAfterSeconds: number | undefined; redact: (text: string) => string },
): Failed {
  const error = isPsiErrorBody(body) ? body.error : undefined;
  const details = error ? detailsOf(error) : [];
  const first = error?.errors?.[0];
  if (error && first?.domain === ownDomain && isErrorCode(first.reason))
    return fromOwn(first.reason, status, redact(error.message), retryAfterSeconds);
  if (error && first?.domain === 'lighthouse') {
    const failure = fromLighthouseMessage(redact(error.message));
    return { kind: kindOfMeasurement(failure), error: failure };
  }
  if (status === 429) return quotaExceeded(details.find(({ metadata }) => metadata)?.metadata, retryAfterSeconds);
  const keyFault = details.some(({ reason }) => keyReasons.has(reason ?? ''));
  if (status === 401 || status === 403 || keyFault)
    // Without an error body, a firewall may have refused only this request.
    return keyRejected(keyFault || error ? 'key' : 'refused', redact(error?.message ?? `status ${status}.`));
  return fromStatus(status, body, retryAfterSeconds);
}
