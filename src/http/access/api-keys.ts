import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AnalysisError } from '../../contract/errors.ts';
import type { Settings } from '../../settings/settings.ts';
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

/** Whether a request may use the service: it has one of its keys, or the service has none. */
export type IsClient = (request: FastifyRequest) => boolean;

export function createIsClient(apiKeys: readonly string[]): IsClient {
  const keys = createKeyRing(apiKeys);
  return request => keys.isEmpty || givenKeys(request).some(key => keys.has(key));
}

/* Who may see and end the jobs and schedules of every client. */

/** @throws AnalysisError `operator_only` */
export type AssertOperator = (request: FastifyRequest) => void;

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && (address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address));

/** A request of this machine itself, and not one that a proxy on it passed on. */
const isFromThisMachine = ({ ip, socket, headers }: FastifyRequest): boolean =>
  isLoopback(ip) &&
  isLoopback(socket.remoteAddress) &&
  ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].every(name => headers[name] === undefined);

/** With keys, whoever has one of ADMIN_KEYS; without any, whoever is on this machine. */
export function createAssertOperator({ apiKeys, adminKeys }: Pick<Settings, 'apiKeys' | 'adminKeys'>): AssertOperator {
  const keys = createKeyRing(adminKeys);
  const hasKeys = apiKeys.length > 0;
  return request => {
    const isOperator = hasKeys ? givenKeys(request).some(key => keys.has(key)) : isFromThisMachine(request);
    if (isOperator) return;
    throw new AnalysisError(
      'operator_only',
      hasKeys
        ? 'Send one of the ADMIN_KEYS of this service.'
        : 'Send this request from the machine that runs the service.',
    );
  };
}

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
const toKeyId = (key: string): string => digest(key).toString('base64url').slice(0, 22);

const textOf = (header: string | string[] | undefined): string[] => (header === undefined ? [] : [header].flat());

/** What a client sent as its key: `Authorization: Bearer KEY`, `X-API-Key: KEY`. Never from the URL, which is logged on the way. */
const keysOf = (headers: IncomingHttpHeaders): string[] => {
  const [, bearer] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return [...textOf(bearer), ...textOf(headers['x-api-key'])];
};

/** What clients of PageSpeed Insights send: they know only `X-Goog-Api-Key: KEY` and `?key=KEY`. */
const psiKeysOf = (headers: IncomingHttpHeaders, query: string): string[] => [
  ...keysOf(headers),
  ...textOf(headers['x-goog-api-key']),
  ...new URLSearchParams(query).getAll('key'),
];

/** Lighthouse CI's command can send a key only as the password of a user. */
function passwordsOf({ authorization = '' }: IncomingHttpHeaders): string[] {
  const [, basic = ''] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  return textOf(/:(.+)$/s.exec(Buffer.from(basic, 'base64').toString())?.[1]);
}

/** The keys of a request, as clients of its route send them. */
export function givenKeys({ headers, query, routeOptions }: FastifyRequest): string[] {
  const { access } = routeOptions.config;
  if (access === 'psi key') return psiKeysOf(headers, query as string);
  return access === 'build token' ? [...keysOf(headers), ...passwordsOf(headers)] : keysOf(headers);
}
