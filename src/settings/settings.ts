import { isIPv4 } from 'node:net';
import { posix, win32 } from 'node:path';
import { misspelledName } from '../contract/nearest-name.ts';
import { readFlags } from './flags.ts';
import { readTraces, type Traces } from './readers.ts';
import { type Setting, settingTable, toFlag } from './setting-table.ts';

/** Returns the password of a database URL, both encoded and decoded. */
const passwordsOf = (databaseUrl: string | undefined): string[] => {
  const { password = '' } = (databaseUrl && URL.parse(databaseUrl)) || {};
  return password === '' ? [] : [...new Set([password, decodeURIComponent(password)])];
};

/** Returns secrets that must not appear in any text that leaves the process. */
export const secretsOf = (settings: Settings): string[] => {
  const { apiKeys, psiApiKey, cruxApiKey, databaseUrl, callbackKey, accessKeys = [] } = settings;
  const encoded = [...accessKeys, ...(callbackKey ? [callbackKey] : [])].map(key =>
    Buffer.from(key).toString('base64'),
  );
  return [...apiKeys, psiApiKey, cruxApiKey, ...passwordsOf(databaseUrl), ...encoded].filter(key => key !== undefined);
};

type System = {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
};

/**
 * Returns the folder for a program's state on this system: that of the user, or of the machine for root. Undefined if
 * the user has no home folder, as with some services.
 */
export function findDataFolder({ env, platform, isRoot }: System): string | undefined {
  const { HOME, XDG_STATE_HOME, LOCALAPPDATA } = env;
  if (platform === 'win32') return LOCALAPPDATA && win32.join(LOCALAPPDATA, 'Rangelight');
  // The XDG base directory specification says that relative paths are ignored.
  if (XDG_STATE_HOME && posix.isAbsolute(XDG_STATE_HOME)) return posix.join(XDG_STATE_HOME, 'rangelight');
  if (isRoot && platform !== 'darwin') return '/var/lib/rangelight';
  if (!HOME || !posix.isAbsolute(HOME)) return undefined;
  return platform === 'darwin'
    ? posix.join(HOME, 'Library', 'Application Support', 'Rangelight')
    : posix.join(HOME, '.local', 'state', 'rangelight');
}

/** @param given a folder, or `none`; undefined for the default of this system */
const toDataDir = (given: string | undefined, env: NodeJS.ProcessEnv): string | undefined =>
  given === 'none'
    ? undefined
    : (given ?? findDataFolder({ env, platform: process.platform, isRoot: process.getuid?.() === 0 }));

type Name = keyof typeof settingTable;
type Table = typeof settingTable;
type SettingValues = {
  [N in Name]: ReturnType<Table[N]['read']> | (Table[N] extends { default: string } ? never : undefined);
};

type CamelCase<N extends string> = N extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<N>;
type FieldOf<N extends Name> = Table[N] extends { field: infer Field extends string } ? Field : CamelCase<N>;
type SettingFields = { readonly [N in Name as FieldOf<N>]: SettingValues[N] };

/** Fields whose default depends on other settings. */
type Derived = 'apiKeys' | 'adminKeys' | 'rateLimit' | 'trustProxy' | 'allowedHosts' | 'targets' | 'noindex' | 'debug';

/** All settings, which are read once at the start: see `setting-table.ts`. Durations in milliseconds, sizes in bytes. */
export type Settings = Omit<SettingFields, Derived> & {
  readonly [Field in Derived]: NonNullable<SettingFields[Field]>;
} & {
  /** Whether only this machine can reach the service. Several defaults depend on it. */
  readonly loopbackOnly: boolean;
  /** Traces, from the environment variables of OpenTelemetry, which have no flags; undefined if tracing is off. */
  readonly traces: Traces | undefined;
  /** Paths to search for the browser and its files. */
  readonly system: { readonly path: string; readonly cacheHome: string | undefined };
};

const names = Object.keys(settingTable) as Name[];

const toField = (name: Name): string => {
  const { field }: Setting = settingTable[name];
  return field ?? name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
};

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

/** Invalid settings. The message lists all faults. */
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

/** Combines keys, because an operator is a client too. */
const toKeys = ({ API_KEYS: clients = [], ADMIN_KEYS: operators = [] }: SettingValues) => ({
  apiKeys: [...new Set([...clients, ...operators])],
  adminKeys: operators,
});

/**
 * Returns sentences about variables that look like misspelled settings. Only compound names count, because a name such
 * as `TARGET` is used by many programs.
 */
export const findMisspelledSettings = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env)
    .filter(name => name.includes('_'))
    .flatMap(name => {
      const meant = misspelledName(name, names);
      return meant === undefined ? [] : [`${name} in the environment is not a setting. Did you mean ${meant}?`];
    });

/** Returns the faults of settings that need others. */
function findClashes(values: SettingValues, loopbackOnly: boolean): string[] {
  const { ROLE: role, DATABASE_URL: databaseUrl, ACCESS_KEY: accessKey } = values;
  // Without keys, clients are told apart by their addresses, which other clients behind one proxy share.
  const isShared = !loopbackOnly && role !== 'worker' && toKeys(values).apiKeys.length === 0;
  return [
    ...(role === 'all' || databaseUrl
      ? []
      : [`ROLE: ${role} needs DATABASE_URL, the database that the instances share`]),
    ...(accessKey && isShared ? ['ACCESS_KEY: needs API_KEYS if other machines reach the service'] : []),
  ];
}

/**
 * Reads the settings. Flags take precedence over the environment, and an empty value counts as absent.
 * @throws SettingsError
 */
export function readSettings(env: NodeJS.ProcessEnv, args: readonly string[] = []): Settings {
  const faults: string[] = [];
  const flags = readFlags(args, names.map(toFlag), faults);
  const values = Object.fromEntries(
    names.map(name => [name, readValue(name, flags[toFlag(name)]?.trim() || env[name], faults)]),
  ) as SettingValues;
  const loopbackOnly = isLoopback(values.HOST);
  if (faults.length === 0) faults.push(...findClashes(values, loopbackOnly));
  if (faults.length > 0) throw new SettingsError(faults);
  // Many Node programs read DEBUG as a list of names, so only the value `true` enables the headers.
  const hasDebugHeaders = values.DEBUG_HEADERS ?? env.DEBUG?.trim().toLowerCase() === 'true';
  const fields = Object.fromEntries(names.map(name => [toField(name), values[name]])) as unknown as SettingFields;
  return Object.freeze({
    ...fields,
    loopbackOnly,
    ...toKeys(values),
    rateLimit: values.RATE_LIMIT ?? (loopbackOnly ? 0 : 60),
    trustProxy: values.TRUST_PROXY ?? [],
    allowedHosts: values.ALLOWED_HOSTS ?? (loopbackOnly ? ['localhost'] : 'any'),
    dataDir: toDataDir(values.DATA_DIR, env),
    // A worker listens only on loopback, but audits for instances that others can reach.
    targets: values.TARGETS ?? (loopbackOnly && values.ROLE === 'all' ? 'any' : 'public'),
    noindex: values.NOINDEX ?? hasDebugHeaders,
    debug: hasDebugHeaders,
    traces: readTraces(env),
    system: { path: env.PATH ?? '', cacheHome: env.XDG_CACHE_HOME },
  });
}
