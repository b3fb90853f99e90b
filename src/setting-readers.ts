/** Readers of the settings that are lists. Each throws an Error whose message completes "NAME: …". */
import { isIP } from 'node:net';

const toItems = (text: string): string[] =>
  text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');

/** 16 characters of a random key are beyond guessing over a network, and no word or date is that long by chance. */
const minKeyCharacters = 16;

/** Keys that callers send. A wrong one is never repeated: only its place in the list is named. */
export const readApiKeys = (text: string): readonly string[] => {
  const keys = toItems(text);
  if (keys.length === 0) throw new Error('is an empty list: leave it out to let everybody in');
  const faults = keys.flatMap((key, index) => {
    if (key.length < minKeyCharacters) return [`key ${index + 1} has fewer than ${minKeyCharacters} characters`];
    // What a header can carry without quoting or encoding.
    return /^[!-~]+$/.test(key) ? [] : [`key ${index + 1} has a space or a letter beyond ASCII in it`];
  });
  if (faults.length > 0) throw new Error(`${faults.join('; ')}: make one with 'openssl rand -hex 24'`);
  return keys;
};

/** `any`, or the names that callers may use for this service. */
export type AllowedHosts = 'any' | readonly string[];

/** A name as a browser sends it in `Host`: no scheme, no port, no wildcard. */
const isHostName = (item: string): boolean => /^[\w-]+(\.[\w-]+)*$/.test(item) && isIP(item) === 0;

export const readAllowedHosts = (text: string): AllowedHosts => {
  const items = toItems(text).map(item => item.toLowerCase().replace(/\.$/, ''));
  if (items.length === 0) throw new Error('is an empty list: write any, or the names of this service');
  if (items.every(item => item === 'any')) return 'any';
  if (items.includes('any')) throw new Error("has 'any' in a list: it stands alone");
  const faults = items.filter(item => !isHostName(item) && isIP(item) === 0);
  if (faults.length > 0)
    throw new Error(`must be names without scheme and port, not ${faults.map(item => `'${item}'`).join(', ')}`);
  // Addresses are always allowed: see http/allowed-hosts.ts.
  return items.filter(isHostName);
};

const isAddressBlock = (item: string): boolean => {
  const [address = '', bits, ...more] = item.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
};

/** Addresses and CIDRs of proxies. */
export const readAddressBlocks = (text: string): readonly string[] => {
  const items = toItems(text);
  const faults = items.filter(item => !isAddressBlock(item));
  if (items.length === 0 || faults.length > 0)
    throw new Error(
      `must be addresses or CIDRs such as 10.0.0.0/8, not ${(items.length === 0 ? [text] : faults).map(item => `'${item}'`).join(', ')}`,
    );
  return items;
};
