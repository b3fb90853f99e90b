/** Why there is no result, as data. `errors-in-words.ts` says it to a person. */
import type { Problem, ValidationError } from '../contract/problem.ts';
import { isObject } from '../contract/result/details.ts';

export type FailureReason =
  /** The service says what went wrong. */
  | { readonly kind: 'problem'; readonly problem: Problem; readonly retryAfterSeconds?: number }
  /** The service did not accept the input. */
  | { readonly kind: 'invalid'; readonly faults: readonly ValidationError[] }
  /** The service could not be reached. */
  | { readonly kind: 'unreachable' }
  /** The connection ended before the result. */
  | { readonly kind: 'cut' }
  /** Another part of the same request is stored, and this one is not. */
  | { readonly kind: 'absent' }
  /** A link whose id cannot be one. */
  | { readonly kind: 'malformed' }
  /** The answer is not one of the service: a proxy's page, for instance. */
  | { readonly kind: 'unreadable'; readonly status: number };

export const isProblem = (body: unknown): body is Problem =>
  isObject(body) && typeof body.code === 'string' && typeof body.detail === 'string';

const isValidation = (body: unknown): body is { detail: ValidationError[] } =>
  isObject(body) && Array.isArray(body.detail);

/** The reason in a body that is no result. @param retryAfter the header: seconds, or a date, which is ignored */
export function toFailureReason(body: unknown, status: number, retryAfter: string | null = null): FailureReason {
  if (isValidation(body)) return { kind: 'invalid', faults: body.detail };
  if (!isProblem(body)) return { kind: 'unreadable', status };
  const seconds = Number(retryAfter ?? '');
  return seconds > 0
    ? { kind: 'problem', problem: body, retryAfterSeconds: seconds }
    : { kind: 'problem', problem: body };
}

/** Whether the service requires a key, or another one. */
export const wantsKey = (failure: FailureReason): boolean =>
  failure.kind === 'problem' && failure.problem.code === 'unauthorized';
