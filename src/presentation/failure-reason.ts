/** Everything that can keep a result from the page, as data. `errors-in-words.ts` says it to a person. */
import type { Problem, ValidationError } from '../http/schemas.ts';

export type Trouble =
  /** The service says what went wrong. */
  | { readonly kind: 'problem'; readonly problem: Problem; readonly retryAfterSeconds?: number }
  /** The service did not accept the input. */
  | { readonly kind: 'invalid'; readonly faults: readonly ValidationError[] }
  /** The service could not be reached. */
  | { readonly kind: 'unreachable' }
  /** The connection ended before the result. */
  | { readonly kind: 'cut' }
  /** Something answered that is not the service, or not as we know it: a proxy's page. */
  | { readonly kind: 'unreadable'; readonly status: number };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

export const isProblem = (body: unknown): body is Problem =>
  isObject(body) && typeof body.code === 'string' && typeof body.detail === 'string';

const isValidation = (body: unknown): body is { detail: ValidationError[] } =>
  isObject(body) && Array.isArray(body.detail);

/** A body that is no result, as trouble. @param retryAfter the header as it came: seconds, or a date, which is left out */
export function toTrouble(body: unknown, status: number, retryAfter: string | null = null): Trouble {
  if (isValidation(body)) return { kind: 'invalid', faults: body.detail };
  if (!isProblem(body)) return { kind: 'unreadable', status };
  const seconds = Number(retryAfter ?? '');
  return seconds > 0
    ? { kind: 'problem', problem: body, retryAfterSeconds: seconds }
    : { kind: 'problem', problem: body };
}

/** Whether the service wants a key, or another one. */
export const wantsKey = (trouble: Trouble): boolean =>
  trouble.kind === 'problem' && trouble.problem.code === 'unauthorized';
