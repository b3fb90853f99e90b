/**
 * Reads the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), so that a repeated request does not
 * create anything twice.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ValidationFailure, valueError } from './validation-error.ts';

const longest = 255;
const loc = ['header', 'idempotency-key'];

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Parses a string of RFC 8941; many clients omit its quotes. */
const toKey = (text: string): string | undefined => {
  const [, quoted] = /^"((?:[ !#-[\]-~]|\\["\\])*)"(?:;.*)?$/.exec(text) ?? [];
  const key = quoted?.replaceAll(/\\(.)/g, '$1') ?? (/^[!#-~][!-~]*$/.test(text) ? text : '');
  return key === '' || key.length > longest ? undefined : key;
};

/**
 * @param order the request that the key identifies, as JSON
 * @throws ValidationFailure
 */
export function readIdempotencyKey(headers: IncomingHttpHeaders, order: unknown) {
  const given = headers['idempotency-key'];
  if (given === undefined) return undefined;
  const key = toKey(String(given).trim());
  if (key === undefined)
    throw new ValidationFailure([valueError(`it must be a string of 1 to ${longest} characters in quotes`)(loc)]);
  return { key: digest(key), digest: digest(JSON.stringify(order)) };
}

/** @throws ValidationFailure */
export const refuseReusedKey = (reason: string): never => {
  throw new ValidationFailure([valueError(reason)(loc)]);
};
