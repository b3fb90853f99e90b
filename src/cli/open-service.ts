/** Opens the service for the requests of a command: a running one, or one of its own that ends with it. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingTable } from '../settings/setting-table.ts';
import { readSettings, secretsOf } from '../settings/settings.ts';
import { createLog } from '../telemetry/log.ts';
import type { Asking } from './ask-json.ts';
import { type Surroundings, write } from './command-context.ts';
import type { ServiceOptions } from './input/arguments.ts';
import { toPlainLine } from './text/terminal/plain-text.ts';

type OpenService = {
  /** URL of the service, ending with a slash. */
  readonly baseUrl: string;
  /** Warnings for the user, such as a browser without its sandbox, each once; more may be added later. */
  readonly warnings: ReadonlySet<string>;
  /** Closes the command's own service, and cancels running work. */
  close(): Promise<void>;
};

/**
 * Fields of every log line. A line with further fields is about a request or an audit, whose response contains the same
 * facts.
 */
const usualFields = new Set(['level', 'time', 'pid', 'hostname', 'msg']);

function readWarning(line: string): string | undefined {
  const entry = JSON.parse(line) as Record<string, unknown>;
  const isForPeople = Object.keys(entry).every(name => usualFields.has(name));
  return isForPeople && typeof entry.msg === 'string' ? entry.msg : undefined;
}

/** Returns the level in LOG_LEVEL; undefined for a value meant for other programs, such as `verbose`. */
function readLevel(text: string | undefined): string | undefined {
  try {
    return text?.trim() ? settingTable.LOG_LEVEL.read(text.trim()) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Opens a service with the settings of the environment, except those for clients, callbacks and other instances: this
 * command is its only client, on a free port. Many shells set DATABASE_URL for another program, so a command reads
 * RANGELIGHT_DATABASE_URL. With LOG_LEVEL, the log is written to standard error; otherwise warnings are collected.
 * @throws SettingsError
 */
async function openOwnService(env: NodeJS.ProcessEnv, stderr: NodeJS.WritableStream): Promise<OpenService> {
  const warnings = new Set<string>();
  const level = readLevel(env.LOG_LEVEL);
  const access = {
    HOST: '127.0.0.1',
    PORT: '0',
    API_KEYS: '',
    ADMIN_KEYS: '',
    RATE_LIMIT: '0',
    ALLOWED_HOSTS: '',
    TRUST_PROXY: '',
    ROLE: '',
    DATABASE_URL: env.RANGELIGHT_DATABASE_URL,
    CALLBACK_SECRET: '',
    // Its jobs are in memory, and so is the key to their secrets.
    ACCESS_KEY: randomBytes(32).toString('base64'),
    // The service ends with the command, so a spare browser would be useless.
    LIGHTHOUSE_SPARE: 'off',
    LOG_LEVEL: level ?? 'warn',
  };
  const settings = readSettings({ ...env, ...access });
  const keepWarning = (line: string) => {
    const warning = readWarning(line);
    if (warning !== undefined) warnings.add(warning);
  };
  const log = createLog(settings.logLevel, secretsOf(settings), {
    write: level ? line => void stderr.write(line) : keepWarning,
  });
  // The service is imported on demand: commands that use a running one save half a second.
  const { createService } = await import('../service/service.ts');
  const service = await createService(settings, log, undefined, { isAlone: true });
  return { baseUrl: `${await service.listen()}/`, warnings, close: () => service.close(0) };
}

const openRunningService = (baseUrl: string): OpenService => ({
  baseUrl,
  warnings: new Set<string>(),
  close: async () => {},
});

/**
 * @param server URL of a running service; undefined for one of the command's own
 * @throws SettingsError
 */
const openService = async (
  { server }: { readonly server: string | undefined },
  { env, stderr }: Pick<Surroundings, 'env' | 'stderr'>,
): Promise<OpenService> => (server ? openRunningService(server) : openOwnService(env, stderr));

/**
 * Opens a service that stores results. One of the command's own stores them in a temporary folder until it is closed,
 * unless the settings name a store.
 * @throws SettingsError
 */
async function openStoringService(
  wanted: { readonly server: string | undefined },
  { env, stderr }: Pick<Surroundings, 'env' | 'stderr'>,
): Promise<OpenService> {
  if (wanted.server || env.DATA_DIR || env.RANGELIGHT_DATABASE_URL) return openService(wanted, { env, stderr });
  const folder = await mkdtemp(join(tmpdir(), 'rangelight-results-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const service = await openService(wanted, { env: { ...env, DATA_DIR: folder }, stderr });
    return { ...service, close: () => service.close().finally(removeFolder) };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/**
 * Runs the work of a command with a service, then closes it, and writes its warnings at the end, so that nothing
 * overwrites them.
 * @throws SettingsError, and what the work throws
 */
export async function withService<T>(
  { server, apiKey }: ServiceOptions,
  around: Pick<Surroundings, 'env' | 'stderr'> & Pick<Surroundings, 'signal'>,
  work: (asking: Asking) => Promise<T>,
  { isStoring = false }: { readonly isStoring?: boolean } = {},
): Promise<T> {
  const service = await (isStoring ? openStoringService : openService)({ server }, around);
  try {
    return await work({ baseUrl: service.baseUrl, apiKey: server ? apiKey : undefined, signal: around.signal });
  } finally {
    await service.close();
    for (const warning of service.warnings) await write(around.stderr, `Warning: ${toPlainLine(warning)}\n`);
  }
}
