import { hostname, networkInterfaces } from 'node:os';

const withoutPort = (host: string): string => /^\[(.+)\](:\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d+$/, '');

/** Whether a host, with its port, is written as an address or a name of this machine itself. */
export function isOwnAddress(host: string | undefined): boolean {
  if (host === undefined) return false;
  const name = withoutPort(host).toLowerCase();
  if (/^127(\.\d+){3}$|^localhost$|^::1$/.test(name) || name === hostname().toLowerCase()) return true;
  return Object.values(networkInterfaces()).some(addresses => addresses?.some(({ address }) => address === name));
}
