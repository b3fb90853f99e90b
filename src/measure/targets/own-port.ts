import { networkInterfaces } from 'node:os';
import { classifyAddress, isSameAddress } from './address.ts';
import { classifyName, type Host } from './host-name.ts';

export type OwnPortSettings = {
  /** The port this service listens on, once it does. */
  readonly ownPort?: () => number | undefined;
  /** The addresses of this machine; those of its network interfaces by default. */
  readonly localAddresses?: () => readonly string[];
};

/** Whether a host and port lead back to this service. A name other than `localhost` is known by its addresses only. */
export type OwnPortCheck = (host: Host, port: number) => boolean;

/** An audit of this service by itself would start the next one, without end: this says when it would. */
export function createOwnPortCheck({ ownPort, localAddresses = interfaceAddresses }: OwnPortSettings): OwnPortCheck {
  return (host, port) => {
    // First the port: listing the interfaces is a system call, and hardly any request needs it.
    if (port !== ownPort?.()) return false;
    if (host.kind === 'name') return classifyName(host.text) === 'localhost';
    const addressClass = classifyAddress(host.text);
    // Linux connects 0.0.0.0 and :: to this machine.
    if (addressClass === 'loopback' || addressClass === 'unspecified') return true;
    return localAddresses().some(local => isSameAddress(local, host.text));
  };
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap(addresses => (addresses ?? []).map(({ address }) => address));
}
