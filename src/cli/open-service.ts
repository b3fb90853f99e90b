/** Opens the service for the requests of a command: a running one, or one of its own that ends with it. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Conditions } from '../contract/conditions/conditions.ts';
import { settingTable } from '../settings/setting-table.ts';
import { readSettings, secretsOf } from '../settings/settings.ts';
import { createLog } from '../telemetry/log.ts';
import type { Asking } from './ask-json.ts';
import { type Surroundings, write } from './command-context.ts';
import type { ServiceOptions } from './input/arguments.ts';
import { type GivenConditions, loadConditions } from './input/load-conditions.ts';
import { toPlainLine } from './text/terminal/plain-text.ts';

type OpenService = {
  /** URL of the service, ending with a slash. */
  readonly baseUrl: string;
  /** Warnings for the user, such as a browser without its sandbox, each once; more may be added later. */
  readonly warnings: ReadonlySet<string>;
  /** Closes the command's own service, and cancels running work. */
  close(): Promise<void>;
};

/** Fields of every log line. One with others is about a request or an audit, whose response has these facts. */
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

/**
 * Opens a running service, or one of the command's own. The latter stores results in a temporary folder until it is
 * closed if it has to, unless the settings name a store.
 * @throws SettingsError
 */
async function openService(
  server: string | undefined,
  { env, stderr }: Pick<Surroundings, 'env' | 'stderr'>,
  isStoring: boolean,
): Promise<OpenService> {
  if (server) return { baseUrl: server, warnings: new Set(), close: async () => {} };
  if (!isStoring || env.DATA_DIR || env.RANGELIGHT_DATABASE_URL) return openOwnService(env, stderr);
  const folder = await mkdtemp(join(tmpdir(), 'rangelight-results-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const service = await openOwnService({ ...env, DATA_DIR: folder }, stderr);
    return { ...service, close: () => service.close().finally(removeFolder) };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/**
 * Runs the work of a command with a service and the conditions of its options, then closes the service, and writes its
 * warnings at the end, so that nothing overwrites them.
 * @param isStoring whether the work needs stored results
 * @throws UsageError, SettingsError, and what the work throws
 */
export async function withService<T>(
  { server, apiKey, ...options }: ServiceOptions & Partial<GivenConditions>,
  around: Pick<Surroundings, 'env' | 'stderr' | 'signal'>,
  work: (asking: Asking, conditions: Partial<Conditions>) => Promise<T>,
  isStoring = false,
): Promise<T> {
  const conditions = await loadConditions({ conditionLines: [], ...options }, around.env);
  const service = await openService(server, around, isStoring);
  try {
    const asking = { baseUrl: service.baseUrl, apiKey: server ? apiKey : undefined, signal: around.signal };
    return await work(asking, conditions);
  } finally {
    await service.close();
    for (const warning of service.warnings) await write(around.stderr, `Warning: ${toPlainLine(warning)}\n`);
  }
}
