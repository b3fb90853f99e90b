/** Readers that convert the text of a setting to its value. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { readBooleanWord } from '../contract/names.ts';
import { toRange } from '../measure/targets/address.ts';

/** Format of OpenTelemetry's traces. `http/protobuf` and `http/json` are supported. */
export type Traces = { readonly exporter: string; readonly protocol: string };

const read = (env: NodeJS.ProcessEnv, name: string): string | undefined => env[name]?.trim() || undefined;

/**
 * Reads OpenTelemetry's environment variables.
 * @returns undefined if tracing is off, so that none of its code is loaded without an endpoint
 */
export function readTraces(env: NodeJS.ProcessEnv): Traces | undefined {
  const exporter = read(env, 'OTEL_TRACES_EXPORTER') ?? 'otlp';
  const endpoint = read(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? read(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const isDisabled = read(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
  if (endpoint === undefined || isDisabled || exporter === 'none') return undefined;
  const protocol = read(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read(env, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  return { exporter, protocol: protocol ?? 'http/protobuf' };
}

/** Reads one value. @throws Error whose message completes "NAME: …" */
export type Reader<T> = (text: string) => T;

export const asText: Reader<string> = text => text;

export const asNumber =
  (min: number, max: number, whole: boolean): Reader<number> =>
  text => {
    const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max) || (whole && !Number.isInteger(number)))
      throw new Error(`must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}, not '${text}'`);
    return number;
  };

/** Reads seconds as whole milliseconds, which timers require, because 2.01 * 1000 is 2009.9999999999998. */
export const asSeconds =
  (min: number, max: number): Reader<number> =>
  text =>
    Math.round(asNumber(min, max, false)(text.replace(/s$/, '')) * 1000);

/** Reads megabytes of 1,000,000 bytes, as every size is shown. */
export const asMegabytes: Reader<number> = text =>
  Math.floor(asNumber(1, 1_000_000, false)(text.replace(/\s*MB$/i, '')) * 1_000_000);

export const asChoice =
  <const T extends readonly string[]>(...choices: T): Reader<T[number]> =>
  text => {
    if (!choices.includes(text)) throw new Error(`must be one of ${choices.join(', ')}, not '${text}'`);
    return text;
  };

export const asSwitch: Reader<boolean> = text => {
  const read = readBooleanWord(text);
  if (read === undefined) throw new Error(`must be true or false, not '${text}'`);
  return read;
};

export const asEndpoint =
  (api: string): Reader<string> =>
  text => {
    const url = URL.parse(text);
    // The message does not repeat the text, because it may contain a key.
    if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`must be the http or https URL of a ${api} endpoint`);
    return url.href;
  };

const toItems = (text: string): string[] =>
  text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');

/** Min length of keys. 16 random characters cannot be guessed over a network, and few words or dates are that long. */
const minKeyCharacters = 16;

/** Reads the keys of clients. Messages contain only the position of an invalid key in the list, never the key. */
export const readApiKeys = (text: string): readonly string[] => {
  const keys = toItems(text);
  if (keys.length === 0) throw new Error('is an empty list: unset it to allow every client');
  const faults = keys.flatMap((key, index) => {
    if (key.length < minKeyCharacters) return [`key ${index + 1} has fewer than ${minKeyCharacters} characters`];
    // A key may contain only characters that a header can contain without quoting or encoding.
    return /^[!-~]+$/.test(key) ? [] : [`key ${index + 1} contains a space or a character beyond ASCII`];
  });
  if (faults.length > 0) throw new Error(`${faults.join('; ')}: generate one with 'openssl rand -hex 24'`);
  return keys;
};

const secretBytes = { least: 24, most: 64 };

/** Reads a secret in the format of Standard Webhooks. Messages do not repeat it. @returns the bytes of the key */
export const readCallbackSecret = (text: string): Uint8Array => {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64');
  if (key.length < secretBytes.least || key.length > secretBytes.most)
    throw new Error(
      'must be whsec_ and the base64 of 24 to 64 bytes: generate one with "echo whsec_$(openssl rand -base64 32)"',
    );
  return key;
};

const accessKeyBytes = 32;

/** Reads keys that encrypt stored secrets. Messages contain only the position of an invalid key. */
export const readAccessKeys = (text: string): readonly Uint8Array[] => {
  const items = toItems(text);
  const keys = items.map(item => Buffer.from(/^[A-Za-z0-9+/]+={0,2}$/.test(item) ? item : '', 'base64'));
  const faults = keys.flatMap((key, index) => (key.length === accessKeyBytes ? [] : [`key ${index + 1}`]));
  if (keys.length === 0 || faults.length > 0)
    throw new Error(
      `must be the base64 of ${accessKeyBytes} bytes, or several, comma-separated${faults.length > 0 ? `, unlike ${faults.join(', ')}` : ''}: generate one with "openssl rand -base64 ${accessKeyBytes}"`,
    );
  return keys;
};

/** `any`, or the host names that clients may use for this service. */
export type AllowedHosts = 'any' | readonly string[];

/** Returns whether text is a host name as a browser sends it in `Host`: without scheme, port or wildcard. */
const isHostName = (item: string): boolean => /^[\w-]+(\.[\w-]+)*$/.test(item) && isIP(item) === 0;

export const readAllowedHosts = (text: string): AllowedHosts => {
  const items = toItems(text).map(item => item.toLowerCase().replace(/\.$/, ''));
  if (items.length === 0) throw new Error('is an empty list: write any, or the names of this service');
  if (items.every(item => item === 'any')) return 'any';
  if (items.includes('any')) throw new Error("has 'any' in a list: write any alone");
  const faults = items.filter(item => !isHostName(item) && isIP(item) === 0);
  if (faults.length > 0)
    throw new Error(`must be names without scheme and port, not ${faults.map(item => `'${item}'`).join(', ')}`);
  // IP addresses need not be in the list, because they are always allowed: see http/access/guard.ts.
  return items.filter(isHostName);
};

/** Reads IP addresses and CIDRs of proxies. */
export const readAddressBlocks = (text: string): readonly string[] => {
  const items = toItems(text);
  const faults = items.filter(item => !toRange(item));
  if (items.length === 0 || faults.length > 0)
    throw new Error(
      `must be addresses or CIDRs such as 10.0.0.0/8, not ${(items.length === 0 ? [text] : faults).map(item => `'${item}'`).join(', ')}`,
    );
  return items;
};

/** Reads `none` or a folder. A relative path is resolved from the working directory. */
export const readDataDir = (text: string): string => {
  if (text.includes('\0')) throw new Error('must be the path of a folder, or none');
  return text.toLowerCase() === 'none' ? 'none' : resolve(text);
};

/** Reads a database URL. Messages do not repeat it, because it contains a password. */
export const readDatabaseUrl = (text: string): string => {
  const url = URL.parse(text);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error('must be the URL of a PostgreSQL database, such as postgres://user:password@host/name');
  try {
    decodeURIComponent(url.password);
  } catch {
    throw new Error('has a password that is not percent-encoded');
  }
  return text;
};
