import type { FastifyRequest } from 'fastify';
import { createKeyRing, givenKeys, toKeyId } from './api-keys.ts';
import { toClient } from './rate-limit.ts';

/** Names the client of a request, for its turns in the queues. The name gives no key away. */
export type ToClientId = (request: FastifyRequest) => string;

/** The client that has this key. */
export const toKeyClient = (key: string): string => `key ${toKeyId(key)}`;

/**
 * A key of the service says better who a client is than an address does. One that the service does not know says
 * nothing: anybody could make up a new one for each request.
 */
export function createToClientId(apiKeys: readonly string[]): ToClientId {
  const keys = createKeyRing(apiKeys);
  return request => {
    const key = givenKeys(request).find(given => keys.has(given));
    return key === undefined ? toClient(request.ip) : toKeyClient(key);
  };
}
