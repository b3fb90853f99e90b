/** Reason for a missing result, as data. `errors-in-words.ts` describes it to users. */
import type { Problem, ValidationError } from '../contract/problem.ts';
import { isObject } from '../contract/result/details.ts';

export type FailureReason =
  /** The service responded with a Problem. */
  | { readonly kind: 'problem'; readonly problem: Problem; readonly retryAfterSeconds?: number }
  /** The service did not accept the input. */
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
