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
  readAccessKeys,
  readAddressBlocks,
  readAllowedHosts,
  readApiKeys,
  readCallbackSecret,
  readDatabaseUrl,
  readDataDir,
} from './readers.ts';

const roles = ['all', 'api', 'worker'] as const;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type Setting = {
  readonly read: Reader<unknown>;
  /** Default as text; undefined if the setting may be unset. */
  readonly default?: string;
  /** Description for docs/settings.md and `--help`. */
  readonly meaning: string;
  readonly shownDefault?: string;
  /** Name in `Settings`, with the unit; by default the name in camel case. */
  readonly field?: string;
};

/** Settings by environment variable. `PSI_TIMEOUT` is also the flag `--psi-timeout`. */
export const settingTable = {
  HOST: { read: asText, default: '127.0.0.1', meaning: 'IP address to listen on.' },
  PORT: { read: asNumber(0, 65_535, true), default: '8000', meaning: 'Port to listen on; 0 selects a free port.' },
  API_KEYS: {
    read: readApiKeys,
    meaning: 'Comma-separated client keys, each at least 16 characters long.',
  },
  ADMIN_KEYS: {
    read: readApiKeys,
    meaning: 'Comma-separated keys of operators, who can also manage jobs and schedules of every client.',
  },
  RATE_LIMIT: {
    read: asNumber(0, 100_000, true),
    shownDefault: '`0` on loopback, else `60`',
    meaning: 'Pages per minute for each client; 0 for no limit.',
  },
  TRUST_PROXY: {
    read: readAddressBlocks,
    meaning: 'IP addresses and CIDRs of proxies whose `X-Forwarded-*` headers are trusted.',
  },
  ALLOWED_HOSTS: {
    read: readAllowedHosts,
    shownDefault: '`localhost` on loopback, else `any`',
    meaning: 'Host names that requests may use: a list, or `any`.',
  },
  PSI_API_KEY: { read: asText, meaning: 'Google API key. If set, `/psi` uses Google.' },
  PSI_ENDPOINT: {
    read: asEndpoint('PSI v5'),
    meaning: 'URL of another PSI v5 server for `/psi` to use.',
  },
  PSI_TIMEOUT: {
    field: 'psiTimeoutMs',
    read: asSeconds(1, 3600),
    default: '150',
    meaning: 'Time limit in seconds for one page at a PSI server, including retries.',
  },
  PSI_CONCURRENCY: {
    read: asNumber(1, 100, true),
    default: '4',
    meaning: 'Maximum number of calls to a PSI server in flight.',
  },
  PSI_RATE: {
    field: 'psiRatePerMinute',
    read: asNumber(1, 100_000, true),
    default: '60',
    meaning: 'Maximum number of calls to a PSI server per minute.',
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
    meaning: 'URL of the CrUX API method `records:queryRecord`.',
  },
  CACHE_TTL: {
    field: 'cacheTtlMs',
    read: asSeconds(0, 31_536_000),
    default: '3600',
    meaning: 'Seconds until a cached `/psi` result expires.',
  },
  CACHE_STALE: {
    field: 'cacheStaleMs',
    read: asSeconds(0, 31_536_000),
    default: '86400',
    meaning: 'Seconds after expiry during which a stale result is returned if a call fails; 0 for never.',
  },
  CACHE_SIZE: {
    field: 'cacheMaxBytes',
    read: asMegabytes,
    default: '256',
    meaning: 'Maximum size of the cache in megabytes.',
  },
  DATA_DIR: {
    read: readDataDir,
    shownDefault: "the user's state folder; for root `/var/lib/rangelight`",
    meaning: 'Folder for stored results, or `none`.',
  },
  DATABASE_URL: {
    read: readDatabaseUrl,
    meaning: 'URL of a PostgreSQL database; instances with the same database share a queue and results.',
  },
  ROLE: {
    read: asChoice(...roles),
    default: 'all',
    meaning: 'With `DATABASE_URL`: `api` runs no audits, `worker` only runs audits, `all` does both.',
  },
  CALLBACK_SECRET: {
    field: 'callbackKey',
    read: readCallbackSecret,
    meaning: 'Secret for signing callbacks: `whsec_` and base64. Without it, callbacks are disabled.',
  },
  ACCESS_KEY: {
    field: 'accessKeys',
    read: readAccessKeys,
    meaning: 'Comma-separated keys that encrypt stored accesses: the first encrypts, all decrypt.',
  },
  KEEP_DAYS: {
    read: asNumber(1, 36_500, true),
    shownDefault: '`90` in a new store',
    meaning: 'Days until a stored result is removed.',
  },
  KEEP_SIZE: {
    field: 'keepBytes',
    read: asMegabytes,
    shownDefault: '`2048` in a new store',
    meaning: 'Size limit of the database in megabytes; oldest results removed first.',
  },
  KEEP_ARTIFACTS: {
    field: 'keepArtifactBytes',
    read: asMegabytes,
    shownDefault: '`512` in a new store',
    meaning: 'Size limit of traces and network logs in megabytes; oldest removed first.',
  },
  LIGHTHOUSE_CONCURRENCY: {
    read: asNumber(1, 2, true),
    default: '2',
    meaning: 'Concurrent local audits: 1 or 2.',
  },
  LIGHTHOUSE_LOADS: {
    read: asChoice('auto', '1', '2'),
    default: 'auto',
    meaning: 'Concurrent page loads: `1`, `2`, or `auto` (1 with fewer than four CPUs).',
  },
  LIGHTHOUSE_QUEUE: {
    read: asNumber(0, 10_000, true),
    default: '50',
    meaning: 'Maximum number of local audits in the queue.',
  },
  LIGHTHOUSE_TIMEOUT: {
    field: 'lighthouseTimeoutMs',
    read: asSeconds(1, 3600),
    default: '120',
    meaning: 'Seconds after which a local audit is killed.',
  },
  LIGHTHOUSE_REPEATS: {
    read: asNumber(0, 2, true),
    default: '2',
    meaning: 'Maximum number of times a load is repeated alone if other work disturbed it: 0 to 2.',
  },
  LIGHTHOUSE_SPARE: {
    read: asSwitch,
    default: 'on',
    meaning: 'Start the browser for the next local audit in advance.',
  },
  CHROME_PATH: {
    read: asText,
    shownDefault: 'an installed Chrome, else the bundled one',
    meaning: 'Path of the browser for local audits.',
  },
  CHROME_SANDBOX: {
    read: asChoice('auto', 'on', 'off'),
    default: 'auto',
    meaning: 'Chromium sandbox: `on`, `off`, or `auto` (on if the kernel allows it).',
  },
  TARGETS: {
    read: parseTargets,
    shownDefault: '`any` on loopback, else `public`',
    meaning: 'Allowed pages: `public`, `any`, or a list that extends `public`.',
  },
  ERROR_PAGES: {
    read: asChoice('html', 'json'),
    default: 'html',
    meaning: 'Format of the 404 response for an unknown path: `html` or `json`.',
  },
  NOINDEX: {
    read: asSwitch,
    shownDefault: 'on with `DEBUG_HEADERS`',
    meaning: 'Add `x-robots-tag: noindex` to every response.',
  },
  DEBUG_HEADERS: {
    field: 'debug',
    read: asSwitch,
    shownDefault: '`false`; on with `DEBUG=true`',
    meaning: 'Add `x-debug-*` headers to 404 pages. Not for public servers.',
  },
  LOG_LEVEL: {
    read: text => asChoice(...logLevels)(text.toLowerCase().replace(/^warning$/, 'warn')),
    default: 'info',
    meaning: 'Minimum log level of the JSON lines. A terminal shows only warnings without it.',
  },
  SHUTDOWN_DELAY: {
    field: 'shutdownDelayMs',
    read: asSeconds(0, 3600),
    default: '0',
    meaning: 'Seconds after SIGTERM during which the service reports not ready but still serves requests.',
  },
  SHUTDOWN_GRACE: {
    field: 'shutdownGraceMs',
    read: asSeconds(0, 3600),
    default: '25',
    meaning: 'Seconds for running work to finish after SIGTERM and `SHUTDOWN_DELAY`.',
  },
} as const satisfies Record<string, Setting>;

/** Converts `PSI_TIMEOUT` to `--psi-timeout`. */
export const toFlag = (name: string): string => name.toLowerCase().replaceAll('_', '-');
