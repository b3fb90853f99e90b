import { isIPv4 } from 'node:net';
import { parseArgs } from 'node:util';
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
} from './setting-readers.ts';
import { parseTargets, type Targets } from './targets/policy.ts';

/** Everything a person can set, read once at the start. Durations in milliseconds, sizes in bytes. */
export type Settings = {
  readonly host: string;
  readonly port: number;
  /** Whether only this machine can reach the service: several defaults depend on it. */
  readonly loopbackOnly: boolean;
  /** Empty where no key is asked for. */
  readonly apiKeys: readonly string[];
  /** Pages a minute that one client may have analysed; 0 where there is no limit. */
  readonly rateLimit: number;
  /** Addresses and CIDRs of proxies whose `X-Forwarded-*` headers are believed. */
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
  readonly lighthouseConcurrency: number;
  readonly lighthouseQueue: number;
  readonly lighthouseTimeoutMs: number;
  readonly chromePath: string | undefined;
  readonly chromeSandbox: 'auto' | 'on' | 'off';
  readonly targets: Targets;
  readonly errorPages: 'html' | 'json';
  readonly noindex: boolean;
  readonly debug: boolean;
  readonly logLevel: LogLevel;
  readonly shutdownGraceMs: number;
  /** What the browser and its files are looked for with. */
  readonly system: { readonly path: string; readonly cacheHome: string | undefined };
};

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

type Setting = {
  readonly read: Reader<unknown>;
  /** As text, read like any other value; undefined where the setting may stay unset. */
  readonly default?: string;
  /** For the README's table. */
  readonly meaning: string;
  readonly shownDefault?: string;
};

/** Every setting under its environment name; `PSI_TIMEOUT` is also the flag `--psi-timeout`. */
export const settingTable = {
  HOST: { read: asText, default: '127.0.0.1', meaning: 'Address to listen on.' },
  PORT: { read: asNumber(0, 65_535, true), default: '8000', meaning: 'Port to listen on; 0 takes a free one.' },
  API_KEYS: {
    read: readApiKeys,
    meaning: 'Keys, separated by commas, one of which a caller has to send; 16 characters at least.',
  },
  RATE_LIMIT: {
    read: asNumber(0, 100_000, true),
    shownDefault: '`0` on loopback, else `60`',
    meaning: 'Pages a minute that one client may have analysed; 0 for no limit.',
  },
  TRUST_PROXY: {
    read: readAddressBlocks,
    meaning: 'Addresses and CIDRs of proxies whose `X-Forwarded-For`, `-Host` and `-Proto` are believed.',
  },
  ALLOWED_HOSTS: {
    read: readAllowedHosts,
    shownDefault: '`localhost` on loopback, else `any`',
    meaning: 'Names this service answers to: `any`, or a list. IP addresses always.',
  },
  PSI_API_KEY: { read: asText, meaning: "Key for Google's PageSpeed Insights API; turns the remote side to Google." },
  PSI_ENDPOINT: { read: asEndpoint('PSI v5'), meaning: 'URL of another PSI v5 endpoint to use as the remote side.' },
  PSI_TIMEOUT: {
    read: asSeconds(1, 3600),
    default: '150',
    meaning: 'Seconds that the remote analyser gets for one page, all tries together.',
  },
  PSI_CONCURRENCY: { read: asNumber(1, 100, true), default: '4', meaning: 'Remote calls in flight at once.' },
  PSI_RATE: {
    read: asNumber(1, 100_000, true),
    default: '60',
    meaning: 'Remote calls a minute. The embedded analyser has no such limit.',
  },
  CRUX_API_KEY: {
    read: asText,
    shownDefault: "`PSI_API_KEY`, where the analyser is Google's",
    meaning: 'Key for the CrUX API, which is asked for field data when the remote analyser sends none.',
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
    meaning: 'Seconds that a `/psi` result is answered from the cache.',
  },
  CACHE_STALE: {
    read: asSeconds(0, 31_536_000),
    default: '86400',
    meaning: 'Seconds after that in which an expired result still answers when the remote analyser fails; 0: never.',
  },
  CACHE_SIZE: { read: asMegabytes, default: '256', meaning: 'Megabytes the cache may hold.' },
  LIGHTHOUSE_CONCURRENCY: { read: asNumber(1, 2, true), default: '2', meaning: 'Local audits at once, 2 at most.' },
  LIGHTHOUSE_QUEUE: {
    read: asNumber(0, 10_000, true),
    default: '50',
    meaning: 'Local audits that may wait for a place.',
  },
  LIGHTHOUSE_TIMEOUT: {
    read: asSeconds(1, 3600),
    default: '120',
    meaning: 'Seconds from the start of a local audit to its end by force.',
  },
  CHROME_PATH: {
    read: asText,
    shownDefault: 'an installed Chrome, else the bundled one',
    meaning: 'Browser to audit in.',
  },
  CHROME_SANDBOX: {
    read: asChoice('auto', 'on', 'off'),
    default: 'auto',
    meaning:
      "Chromium's sandbox. `auto`: on; where it cannot be, off with a warning on loopback, no local audits elsewhere.",
  },
  TARGETS: {
    read: parseTargets,
    shownDefault: '`any` on loopback, else `public`',
    meaning: 'Pages that may be measured: `public`, `any`, or public ones and a list of hosts and CIDRs.',
  },
  ERROR_PAGES: {
    read: asChoice('html', 'json'),
    default: 'html',
    meaning: 'Form of the 404 for a path without a route.',
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
    meaning: 'What is logged, as JSON lines on standard output.',
  },
  SHUTDOWN_GRACE: {
    read: asSeconds(0, 3600),
    default: '25',
    meaning: 'Seconds that running audits get to finish after SIGTERM.',
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

/** A start that cannot be: the message names every fault. */
export class SettingsError extends Error {
  constructor(faults: readonly string[]) {
    super(`Rangelight cannot start with these settings:\n${faults.map(fault => `  ${fault}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

const flagOptions = Object.fromEntries(names.map(name => [toFlag(name), { type: 'string' as const }]));

/** Reads on after a fault, to name them all. What belongs to no flag is not repeated: it may be a misplaced key. */
const readFlags = (args: readonly string[], faults: string[]): Record<string, string | undefined> => {
  const { tokens } = parseArgs({ args: [...args], options: flagOptions, strict: false, tokens: true });
  const flags: Record<string, string> = {};
  const unknown = new Set<number>();
  for (const token of tokens) {
    if (token.kind === 'positional') faults.push(`argument ${token.index + 1} belongs to no flag`);
    if (token.kind !== 'option') continue;
    if (!Object.hasOwn(flagOptions, token.name)) unknown.add(token.index);
    else if (token.value === undefined || (!token.inlineValue && token.value.startsWith('-')))
      faults.push(`--${token.name} needs a value`);
    else flags[token.name] = token.value;
  }
  // By index: `-abc` is three flags, and one fault.
  for (const index of unknown) faults.push(`there is no flag ${args[index]?.replace(/=.*/s, '')}`);
  return flags;
};

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
  const flags = readFlags(args, faults);
  const values = Object.fromEntries(
    names.map(name => [name, readValue(name, flags[toFlag(name)]?.trim() || env[name], faults)]),
  ) as Values;
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
    lighthouseConcurrency: values.LIGHTHOUSE_CONCURRENCY,
    lighthouseQueue: values.LIGHTHOUSE_QUEUE,
    lighthouseTimeoutMs: values.LIGHTHOUSE_TIMEOUT,
    chromePath: values.CHROME_PATH,
    chromeSandbox: values.CHROME_SANDBOX,
    targets: values.TARGETS ?? (loopbackOnly ? 'any' : 'public'),
    errorPages: values.ERROR_PAGES,
    noindex: values.NOINDEX ?? values.DEBUG,
    debug: values.DEBUG,
    logLevel: values.LOG_LEVEL,
    shutdownGraceMs: values.SHUTDOWN_GRACE,
    system: { path: env.PATH ?? '', cacheHome: env.XDG_CACHE_HOME },
  });
}

/** What must be in no text that leaves the process. */
export const secretsOf = ({ apiKeys, psiApiKey, cruxApiKey }: Settings): string[] =>
  [...apiKeys, psiApiKey, cruxApiKey].filter(key => key !== undefined);
