import { isIPv4 } from 'node:net';
import { parseTargets, type Targets } from '../targets/policy.ts';
import { toDataDir } from './data-folder.ts';
import { readFlags } from './flags.ts';
import {
  type AllowedHosts,
  asChoice,
  asEndpoint,
  asMegabytes,
  asNumber,
  asSeconds,
  asSwitch,
  asText,
  type Reader,
  readAddressBlocks,
  readAllowedHosts,
  readApiKeys,
  readCallbackSecret,
  readDatabaseUrl,
  readDataDir,
} from './readers.ts';
import { readTraces, type Traces } from './traces.ts';

/** Everything a person can set, read once at the start. Durations in milliseconds, sizes in bytes. */
export type Settings = {
  readonly host: string;
  readonly port: number;
  /** Whether only this machine can reach the service: several defaults depend on it. */
  readonly loopbackOnly: boolean;
  /** Empty where the service needs no key. */
  readonly apiKeys: readonly string[];
  /** Pages per minute and client; 0 where there is no limit. */
  readonly rateLimit: number;
  /** Addresses and CIDRs of proxies whose `X-Forwarded-*` headers count. */
  readonly trustProxy: readonly string[];
  readonly allowedHosts: AllowedHosts;
  readonly psiApiKey: string | undefined;
  readonly psiEndpoint: string | undefined;
  readonly psiTimeoutMs: number;
  readonly psiConcurrency: number;
  readonly psiRatePerMinute: number;
  readonly cruxApiKey: string | undefined;
  readonly cruxEndpoint: string;
  readonly cacheTtlMs: number;
  readonly cacheStaleMs: number;
  readonly cacheMaxBytes: number;
  /** Where results are kept; undefined: nowhere on this machine. */
  readonly dataDir: string | undefined;
  /** PostgreSQL, in place of a file in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** What this instance does of what the fleet does. */
  readonly role: Role;
  /** What callbacks are signed with; undefined: nobody is called. */
  readonly callbackKey: Uint8Array | undefined;
  readonly keepDays: number;
  readonly keepBytes: number;
  readonly keepArtifactBytes: number;
  readonly lighthouseConcurrency: number;
  readonly lighthouseQueue: number;
  readonly lighthouseTimeoutMs: number;
  readonly lighthouseSpare: boolean;
  readonly chromePath: string | undefined;
  readonly chromeSandbox: 'auto' | 'on' | 'off';
  readonly targets: Targets;
  readonly errorPages: 'html' | 'json';
  readonly noindex: boolean;
  readonly debug: boolean;
  readonly logLevel: LogLevel;
  readonly shutdownGraceMs: number;
  /** By the environment variables of OpenTelemetry, which have no flags; undefined: none are sent. */
  readonly traces: Traces | undefined;
  /** Where the browser and its files are looked up. */
  readonly system: { readonly path: string; readonly cacheHome: string | undefined };
};

const roles = ['all', 'api', 'worker'] as const;
type Role = (typeof roles)[number];

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

type Setting = {
  readonly read: Reader<unknown>;
  /** As text, read like any other value; undefined where the setting may stay unset. */
  readonly default?: string;
  /** For docs/settings.md and `--help`. */
  readonly meaning: string;
  readonly shownDefault?: string;
};

/** Every setting under its environment name; `PSI_TIMEOUT` is also the flag `--psi-timeout`. */
export const settingTable = {
  HOST: { read: asText, default: '127.0.0.1', meaning: 'Address to listen on.' },
  PORT: { read: asNumber(0, 65_535, true), default: '8000', meaning: 'Port to listen on; 0 takes a free one.' },
  API_KEYS: {
    read: readApiKeys,
    meaning: 'Keys of clients, with commas between them; 16 characters or more each.',
  },
  RATE_LIMIT: {
    read: asNumber(0, 100_000, true),
    shownDefault: '`0` on loopback, else `60`',
    meaning: 'Pages per minute and client; 0 means no limit.',
  },
  TRUST_PROXY: {
    read: readAddressBlocks,
    meaning: 'Addresses and CIDRs of proxies whose `X-Forwarded-*` headers count.',
  },
  ALLOWED_HOSTS: {
    read: readAllowedHosts,
    shownDefault: '`localhost` on loopback, else `any`',
    meaning: 'Host names that the service answers to: a list, or `any`.',
  },
  PSI_API_KEY: { read: asText, meaning: 'Google API key. With it, the remote analyser is Google.' },
  PSI_ENDPOINT: {
    read: asEndpoint('PSI v5'),
    meaning: 'URL of another PSI v5 server. With it, that server is the remote analyser.',
  },
  PSI_TIMEOUT: {
    read: asSeconds(1, 3600),
    default: '150',
    meaning: 'Seconds that the remote analyser has for one page, over all tries.',
  },
  PSI_CONCURRENCY: { read: asNumber(1, 100, true), default: '4', meaning: 'Remote calls in flight at once.' },
  PSI_RATE: {
    read: asNumber(1, 100_000, true),
    default: '60',
    meaning: 'Remote calls per minute. The embedded analyser has no such limit.',
  },
  CRUX_API_KEY: {
    read: asText,
    shownDefault: '`PSI_API_KEY` with Google',
    meaning: 'Key for the CrUX API, which supplies missing field data.',
  },
  CRUX_ENDPOINT: {
    read: asEndpoint('CrUX API'),
    default: 'https://chromeuxreport.googleapis.com/v1/records:queryRecord',
    shownDefault: "Google's",
    meaning: 'URL of `records:queryRecord` of the CrUX API.',
  },
  CACHE_TTL: {
    read: asSeconds(0, 31_536_000),
    default: '3600',
    meaning: 'Seconds until a `/psi` result in the cache expires.',
  },
  CACHE_STALE: {
    read: asSeconds(0, 31_536_000),
    default: '86400',
    meaning: 'Seconds after that in which the stale result covers a failure; 0 means never.',
  },
  CACHE_SIZE: { read: asMegabytes, default: '256', meaning: 'Megabytes that the cache holds at most.' },
  DATA_DIR: {
    read: readDataDir,
    shownDefault: "the user's state folder; for root `/var/lib/rangelight`",
    meaning: 'Folder in which results are kept, or `none`.',
  },
  DATABASE_URL: {
    read: readDatabaseUrl,
    meaning: 'URL of a PostgreSQL database: instances with the same one share queue and results.',
  },
  ROLE: {
    read: asChoice(...roles),
    default: 'all',
    meaning: 'With `DATABASE_URL`: `api` answers and runs no audits, `worker` only runs audits, `all` does both.',
  },
  CALLBACK_SECRET: {
    read: readCallbackSecret,
    meaning: 'Secret that callbacks are signed with: `whsec_` and base64. Without it there are none.',
  },
  KEEP_DAYS: {
    read: asNumber(1, 36_500, true),
    default: '90',
    meaning: 'Days that results are kept.',
  },
  KEEP_SIZE: {
    read: asMegabytes,
    default: '2048',
    meaning: 'Megabytes that kept results take at most; the oldest go first.',
  },
  KEEP_ARTIFACTS: {
    read: asMegabytes,
    default: '512',
    meaning: 'Megabytes that traces and network logs of local audits take at most; the oldest go first.',
  },
  LIGHTHOUSE_CONCURRENCY: {
    read: asNumber(1, 2, true),
    default: '2',
    meaning: 'Local audits that run at once: 1 or 2.',
  },
  LIGHTHOUSE_QUEUE: {
    read: asNumber(0, 10_000, true),
    default: '50',
    meaning: 'Local audits that may wait in the queue.',
  },
  LIGHTHOUSE_TIMEOUT: {
    read: asSeconds(1, 3600),
    default: '120',
    meaning: 'Seconds from the start of a local audit until it is killed.',
  },
  LIGHTHOUSE_SPARE: {
    read: asSwitch,
    default: 'on',
    meaning: 'Starts the browser of the next local audit before it is asked for.',
  },
  CHROME_PATH: {
    read: asText,
    shownDefault: 'an installed Chrome, else the bundled one',
    meaning: 'Path of the browser for local audits.',
  },
  CHROME_SANDBOX: {
    read: asChoice('auto', 'on', 'off'),
    default: 'auto',
    meaning: 'Sandbox of Chromium: `on`, `off`, or `auto`, which is on where the kernel allows it.',
  },
  TARGETS: {
    read: parseTargets,
    shownDefault: '`any` on loopback, else `public`',
    meaning: 'Allowed pages: `public`, `any`, or public plus hosts and CIDRs.',
  },
  ERROR_PAGES: {
    read: asChoice('html', 'json'),
    default: 'html',
    meaning: 'Form of the 404 for a path without a route: `html` or `json`.',
  },
  NOINDEX: {
    read: asSwitch,
    shownDefault: 'on in debug mode',
    meaning: 'Adds `x-robots-tag: noindex` to every response.',
  },
  DEBUG: {
    read: asSwitch,
    default: 'false',
    meaning: 'Adds `x-debug-*` headers to 404 pages. Shows internals: not for public servers.',
  },
  LOG_LEVEL: {
    read: asChoice(...logLevels),
    default: 'info',
    meaning: 'Lowest level that is logged, as JSON lines on the standard output.',
  },
  SHUTDOWN_GRACE: {
    read: asSeconds(0, 3600),
    default: '25',
    meaning: 'Seconds that running audits have to finish after SIGTERM.',
  },
} as const satisfies Record<string, Setting>;

type Name = keyof typeof settingTable;
type Table = typeof settingTable;
type Values = {
  [N in Name]: ReturnType<Table[N]['read']> | (Table[N] extends { default: string } ? never : undefined);
};

const names = Object.keys(settingTable) as Name[];
export const toFlag = (name: string): string => name.toLowerCase().replaceAll('_', '-');

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

/** The settings do not allow a start: the message names every fault. */
export class SettingsError extends Error {
  constructor(faults: readonly string[]) {
    super(`Rangelight cannot start with these settings:\n${faults.map(fault => `  ${fault}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

const readValue = (name: Name, text: string | undefined, faults: string[]): unknown => {
  const setting: Setting = settingTable[name];
  const given = text?.trim() || setting.default;
  if (given === undefined) return undefined;
  try {
    return setting.read(given);
  } catch (error) {
    faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
};

/**
 * Flags win over the environment; an empty value counts as not given.
 * @throws SettingsError
 */
export function readSettings(env: NodeJS.ProcessEnv, args: readonly string[] = []): Settings {
  const faults: string[] = [];
  const flags = readFlags(args, names.map(toFlag), faults);
  const values = Object.fromEntries(
    names.map(name => [name, readValue(name, flags[toFlag(name)]?.trim() || env[name], faults)]),
  ) as Values;
  if (values.ROLE !== 'all' && !values.DATABASE_URL && faults.length === 0)
    faults.push(`ROLE: ${values.ROLE} needs DATABASE_URL, the database that the instances share`);
  if (faults.length > 0) throw new SettingsError(faults);
  const loopbackOnly = isLoopback(values.HOST);
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    loopbackOnly,
    apiKeys: values.API_KEYS ?? [],
    rateLimit: values.RATE_LIMIT ?? (loopbackOnly ? 0 : 60),
    trustProxy: values.TRUST_PROXY ?? [],
    allowedHosts: values.ALLOWED_HOSTS ?? (loopbackOnly ? ['localhost'] : 'any'),
    psiApiKey: values.PSI_API_KEY,
    psiEndpoint: values.PSI_ENDPOINT,
    psiTimeoutMs: values.PSI_TIMEOUT,
    psiConcurrency: values.PSI_CONCURRENCY,
    psiRatePerMinute: values.PSI_RATE,
    cruxApiKey: values.CRUX_API_KEY,
    cruxEndpoint: values.CRUX_ENDPOINT,
    cacheTtlMs: values.CACHE_TTL,
    cacheStaleMs: values.CACHE_STALE,
    cacheMaxBytes: values.CACHE_SIZE,
    dataDir: toDataDir(values.DATA_DIR, env),
    databaseUrl: values.DATABASE_URL,
    role: values.ROLE,
    callbackKey: values.CALLBACK_SECRET,
    keepDays: values.KEEP_DAYS,
    keepBytes: values.KEEP_SIZE,
    keepArtifactBytes: values.KEEP_ARTIFACTS,
    lighthouseConcurrency: values.LIGHTHOUSE_CONCURRENCY,
    lighthouseQueue: values.LIGHTHOUSE_QUEUE,
    lighthouseTimeoutMs: values.LIGHTHOUSE_TIMEOUT,
    lighthouseSpare: values.LIGHTHOUSE_SPARE,
    chromePath: values.CHROME_PATH,
    chromeSandbox: values.CHROME_SANDBOX,
    // A worker listens on loopback, and audits for instances that do not.
    targets: values.TARGETS ?? (loopbackOnly && values.ROLE === 'all' ? 'any' : 'public'),
    errorPages: values.ERROR_PAGES,
    noindex: values.NOINDEX ?? values.DEBUG,
    debug: values.DEBUG,
    logLevel: values.LOG_LEVEL,
    shutdownGraceMs: values.SHUTDOWN_GRACE,
    traces: readTraces(env),
    system: { path: env.PATH ?? '', cacheHome: env.XDG_CACHE_HOME },
  });
}
