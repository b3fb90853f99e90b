/** Table of settings: the name, reader, default and meaning of each. */
import { parseTargets } from '../measure/targets/policy.ts';
import {
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

const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export type Setting = {
  readonly read: Reader<unknown>;
  /** Default as text; undefined if the setting may stay unset. */
  readonly default?: string;
  /** Description for docs/settings.md and `--help`. */
  readonly meaning: string;
  readonly shownDefault?: string;
};

/** Settings by environment variable; `PSI_TIMEOUT` is also the flag `--psi-timeout`. */
export const settingTable = {
  HOST: { read: asText, default: '127.0.0.1', meaning: 'IP address to listen on.' },
  PORT: { read: asNumber(0, 65_535, true), default: '8000', meaning: 'Port to listen on; 0 takes a free one.' },
  API_KEYS: {
    read: readApiKeys,
    meaning: 'Comma-separated keys of clients; each has 16 characters or more.',
  },
  ADMIN_KEYS: {
    read: readApiKeys,
    meaning: 'Keys of operators, who also read and cancel the jobs and schedules of every client.',
  },
  RATE_LIMIT: {
    read: asNumber(0, 100_000, true),
    shownDefault: '`0` on loopback, else `60`',
    meaning: 'Pages per minute and client; 0 means no limit.',
  },
  TRUST_PROXY: {
    read: readAddressBlocks,
    meaning: 'IP addresses and CIDRs of proxies whose `X-Forwarded-*` headers are trusted.',
  },
  ALLOWED_HOSTS: {
    read: readAllowedHosts,
    shownDefault: '`localhost` on loopback, else `any`',
    meaning: 'Host names that the service answers to: a list, or `any`.',
  },
  PSI_API_KEY: { read: asText, meaning: 'Google API key. With it, Google measures for `/psi`.' },
  PSI_ENDPOINT: {
    read: asEndpoint('PSI v5'),
    meaning: 'URL of another PSI v5 server, which then measures for `/psi`.',
  },
  PSI_TIMEOUT: {
    read: asSeconds(1, 3600),
    default: '150',
    meaning: 'Seconds for one page at a PSI server, over all attempts.',
  },
  PSI_CONCURRENCY: { read: asNumber(1, 100, true), default: '4', meaning: 'Calls to a PSI server in flight at once.' },
  PSI_RATE: {
    read: asNumber(1, 100_000, true),
    default: '60',
    meaning: 'Calls to a PSI server per minute.',
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
    meaning: 'Seconds after that in which a stale result is returned if a call fails; 0 means never.',
  },
  CACHE_SIZE: { read: asMegabytes, default: '256', meaning: 'Largest size of the cache in megabytes.' },
  DATA_DIR: {
    read: readDataDir,
    shownDefault: "the user's state folder; for root `/var/lib/rangelight`",
    meaning: 'Folder of stored results, or `none`.',
  },
  DATABASE_URL: {
    read: readDatabaseUrl,
    meaning: 'URL of a PostgreSQL database: instances with the same one share queue and results.',
  },
  ROLE: {
    read: asChoice(...roles),
    default: 'all',
    meaning: 'With `DATABASE_URL`: `api` runs no audits, `worker` only runs audits, `all` does both.',
  },
  CALLBACK_SECRET: {
    read: readCallbackSecret,
    meaning: 'Secret that signs callbacks: `whsec_` and base64. Without it there are no callbacks.',
  },
  KEEP_DAYS: {
    read: asNumber(1, 36_500, true),
    shownDefault: '`90` in a new store',
    meaning: 'Days until a stored result is removed.',
  },
  KEEP_SIZE: {
    read: asMegabytes,
    shownDefault: '`2048` in a new store',
    meaning: 'Size limit of the database in megabytes; the oldest results are removed.',
  },
  KEEP_ARTIFACTS: {
    read: asMegabytes,
    shownDefault: '`512` in a new store',
    meaning: 'Size limit of traces and network logs in megabytes; oldest are removed.',
  },
  LIGHTHOUSE_CONCURRENCY: {
    read: asNumber(1, 2, true),
    default: '2',
    meaning: 'Local audits that run at once: 1 or 2.',
  },
  LIGHTHOUSE_LOADS: {
    read: asChoice('auto', '1', '2'),
    default: 'auto',
    meaning: 'Page loads that run at once: `1`, `2`, or `auto`, which is 1 below four processors.',
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
  LIGHTHOUSE_REPEATS: {
    read: asNumber(0, 2, true),
    default: '2',
    meaning: 'Times that a load is repeated alone if other work disturbed it: 0 to 2.',
  },
  LIGHTHOUSE_SPARE: {
    read: asSwitch,
    default: 'on',
    meaning: 'Starts the browser of the next local audit in advance.',
  },
  CHROME_PATH: {
    read: asText,
    shownDefault: 'an installed Chrome, else the bundled one',
    meaning: 'Path of the browser for local audits.',
  },
  CHROME_SANDBOX: {
    read: asChoice('auto', 'on', 'off'),
    default: 'auto',
    meaning: 'Sandbox of Chromium: `on`, `off`, or `auto`, which is on if the kernel allows it.',
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
    shownDefault: 'on with `DEBUG_HEADERS`',
    meaning: 'Adds `x-robots-tag: noindex` to every response.',
  },
  DEBUG_HEADERS: {
    read: asSwitch,
    shownDefault: '`false`; on with `DEBUG=true`',
    meaning: 'Adds `x-debug-*` headers to 404 pages. Not for public servers.',
  },
  LOG_LEVEL: {
    read: text => asChoice(...logLevels)(text.toLowerCase().replace(/^warning$/, 'warn')),
    default: 'info',
    meaning: 'Lowest level that is logged, as JSON lines on the standard output.',
  },
  SHUTDOWN_DELAY: {
    read: asSeconds(0, 3600),
    default: '0',
    meaning: 'Seconds after SIGTERM in which the service is not ready, but still serves.',
  },
  SHUTDOWN_GRACE: {
    read: asSeconds(0, 3600),
    default: '25',
    meaning: 'Seconds that running work has to finish after SIGTERM and the delay.',
  },
} as const satisfies Record<string, Setting>;

/** Converts `PSI_TIMEOUT` to `--psi-timeout`. */
export const toFlag = (name: string): string => name.toLowerCase().replaceAll('_', '-');
