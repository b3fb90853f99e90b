import type { Socket } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import { type Endpoint, portOf } from '../targets/endpoint.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { type DialNetwork, dial, resolveHost } from './dial.ts';

export type AllowedAgentParts = { network: DialNetwork; policy: TargetPolicy };

/** Creates an HTTP agent over sockets that `open` opens. @param open gets an IP address without brackets */
export async function createAgent(open: (target: Endpoint) => Promise<Socket>): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici');
  const secure = buildConnector({ allowH2: false });
  const toTarget = ({ protocol, hostname, port }: buildConnector.Options): Endpoint => ({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: portOf({ protocol, port }),
  });
  return new Agent({
    connect: (options, callback) => {
      open(toTarget(options)).then(
        socket => {
          if (options.protocol === 'https:') secure({ ...options, httpSocket: socket }, callback);
          else callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    },
  });
}

/**
 * Creates an HTTP agent for a URL that a client named. It connects only to IP addresses that the policy allows.
 * @param signal aborts connection attempts
 * @param onAddresses called with the IP addresses of a host before it is connected
 * @returns an agent whose requests fail with DialError, the signal's reason, or an error of TLS or the socket
 */
export const createAllowedAgent = (
  { network, policy }: AllowedAgentParts,
  signal: AbortSignal,
  onAddresses: (addresses: readonly string[]) => void = () => {},
): Promise<Agent> =>
  createAgent(async ({ host, port }) => {
    const addresses = await resolveHost(network, host, signal);
    onAddresses(addresses);
    return dial(network, policy.auditPolicyFor(host, addresses), { host, port, addresses }, signal);
  });
