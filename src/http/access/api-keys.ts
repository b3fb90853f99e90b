import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AnalysisError } from '../../contract/errors.ts';
import type { Settings } from '../../settings/settings.ts';
import { toClient } from './rate-limit.ts';

/** Returns the name of a request's client, for its turns in the queues. The name does not reveal a key. */
export type ToClientId = (request: FastifyRequest) => string;

export const toKeyClient = (key: string): string => `key ${toKeyId(key)}`;

/**
 * Identifies clients by their API key, or else by their IP address. Unknown keys are ignored: otherwise a client could
 * invent a new one for each request.
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

/* Operators may see and cancel the jobs and schedules of every client. */

/** @throws AnalysisError `operator_only` */
export type AssertOperator = (request: FastifyRequest) => void;

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && (address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address));

/** Returns whether a request comes from this machine itself, and not through a proxy on it. */
const isFromThisMachine = ({ ip, socket, headers }: FastifyRequest): boolean =>
  isLoopback(ip) &&
  isLoopback(socket.remoteAddress) &&
  ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].every(name => headers[name] === undefined);

/**
 * Creates the check for operators. If the service has API keys, they need one of ADMIN_KEYS; otherwise they must be on
 * this machine.
 */
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

/** API keys that can be compared with others, but not read. */
export type KeyRing = {
  readonly isEmpty: boolean;
  /** Compares in constant time: the duration depends neither on the key's content nor on its position. */
  has(key: string): boolean;
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export function createKeyRing(keys: readonly string[]): KeyRing {
  // Digests have one length, which timingSafeEqual requires.
  const digests = keys.map(digest);
  return {
    isEmpty: keys.length === 0,
    has: key => {
      const given = digest(key);
      return digests.map(known => timingSafeEqual(known, given)).includes(true);
    },
  };
}

/** Returns a name for a key that does not reveal it. */
const toKeyId = (key: string): string => digest(key).toString('base64url').slice(0, 22);

const textOf = (header: string | string[] | undefined): string[] => (header === undefined ? [] : [header].flat());

/**
 * Returns the keys that a client sent as `Authorization: Bearer KEY` or `X-API-Key: KEY`. Keys in the URL are ignored,
 * because proxies log URLs.
 */
const keysOf = (headers: IncomingHttpHeaders): string[] => {
  const [, bearer] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return [...textOf(bearer), ...textOf(headers['x-api-key'])];
};

/**
 * Returns the keys of a request in all forms that PageSpeed Insights clients send, such as `X-Goog-Api-Key: KEY` and
 * `?key=KEY`.
 */
const psiKeysOf = (headers: IncomingHttpHeaders, query: string): string[] => [
  ...keysOf(headers),
  ...textOf(headers['x-goog-api-key']),
  ...new URLSearchParams(query).getAll('key'),
];

/** Returns passwords of basic authentication, the only form in which Lighthouse CI's command can send a key. */
function passwordsOf({ authorization = '' }: IncomingHttpHeaders): string[] {
  const [, basic = ''] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  return textOf(/:(.+)$/s.exec(Buffer.from(basic, 'base64').toString())?.[1]);
}

/** Returns the keys of a request, in the forms that clients of its route use. */
export function givenKeys({ headers, query, routeOptions }: FastifyRequest): string[] {
  const { access } = routeOptions.config;
  if (access === 'psi key') return psiKeysOf(headers, query as string);
  return access === 'build token' ? [...keysOf(headers), ...passwordsOf(headers)] : keysOf(headers);
}
