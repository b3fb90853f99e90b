/** Who may see and end the jobs and schedules of every client. */
import type { FastifyRequest } from 'fastify';
import { AnalysisError } from '../../contract/errors.ts';
import type { Settings } from '../../settings/settings.ts';
import { createKeyRing, givenKeys } from './api-keys.ts';

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
      hasKeys ? 'Send one of the ADMIN_KEYS of this service.' : 'Send this request from the machine of the service.',
    );
  };
}
