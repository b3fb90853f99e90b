import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** Keys that can be compared with, and never read out. */
export type KeyRing = {
  readonly isEmpty: boolean;
  /** Takes as long for a key that is nearly right as for one that is not, and for the first as for the last. */
  has(key: string): boolean;
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export function createKeyRing(keys: readonly string[]): KeyRing {
  // Of one length, whatever the key's: timingSafeEqual asks for that.
  const digests = keys.map(digest);
  return {
    isEmpty: keys.length === 0,
    has: key => {
      const given = digest(key);
      return digests.map(known => timingSafeEqual(known, given)).includes(true);
    },
  };
}

/** A name for a key that does not give it away. */
export const toKeyId = (key: string): string => digest(key).toString('base64url').slice(0, 22);

const textOf = (header: string | string[] | undefined): string[] => (header === undefined ? [] : [header].flat());

/** What a client sent as its key: `Authorization: Bearer KEY`, `X-API-Key: KEY`. Never from the URL, which is logged on the way. */
export const keysOf = (headers: IncomingHttpHeaders): string[] => {
  const [, bearer] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return [...textOf(bearer), ...textOf(headers['x-api-key'])];
};

/** What clients of PageSpeed Insights send: they know only `X-Goog-Api-Key: KEY` and `?key=KEY`. */
export const psiKeysOf = (headers: IncomingHttpHeaders, query: string): string[] => [
  ...keysOf(headers),
  ...textOf(headers['x-goog-api-key']),
  ...new URLSearchParams(query).getAll('key'),
];

/** The keys of a request, as clients of its route send them. */
export const givenKeys = ({ headers, query, routeOptions }: FastifyRequest): string[] =>
  routeOptions.config.access === 'psi key' ? psiKeysOf(headers, query as string) : keysOf(headers);
