/** Where the requests of a command go: to a running service, or to one of its own that ends with it. */

import { settingTable } from '../settings/setting-table.ts';
import { readSettings, secretsOf } from '../settings/settings.ts';
import { createLog } from '../telemetry/log.ts';
import { type Output, write } from './surroundings.ts';
import { toPlainLine } from './text/terminal/plain-text.ts';

export type OpenService = {
  /** With a slash at its end. */
  readonly baseUrl: string;
  /** What a person has to know, such as that the browser has no sandbox. Each once; more may follow. */
  readonly warnings: ReadonlySet<string>;
  /** Ends what was started for it, and cancels what runs. */
  close(): Promise<void>;
};

/** What every line of the log has. A line with more is about a request or an audit, whose answer says the same. */
const usualFields = new Set(['level', 'time', 'pid', 'hostname', 'msg']);

function readWarning(line: string): string | undefined {
  const entry = JSON.parse(line) as Record<string, unknown>;
  const isForPeople = Object.keys(entry).every(name => usualFields.has(name));
  return isForPeople && typeof entry.msg === 'string' ? entry.msg : undefined;
}

/** The level of LOG_LEVEL, or undefined for a value that only other programs know, such as `verbose`. */
function readLevel(text: string | undefined): string | undefined {
  try {
    return text?.trim() ? settingTable.LOG_LEVEL.read(text.trim()) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The settings of the environment, except those for clients, callbacks and other instances: only this command is a
 * client, on a free port. DATABASE_URL belongs to another program in many shells, so a command reads
 * RANGELIGHT_DATABASE_URL. With LOG_LEVEL the log goes to the error output; else warnings are kept as sentences.
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
    // It ends with the command.
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
  // Whatever needs no service of its own is spared half a second of loading it.
  const { createService } = await import('../service/service.ts');
  const service = await createService(settings, log, undefined, { isAlone: true });
  return { baseUrl: `${await service.listen()}/`, warnings, close: () => service.close(0) };
}

const openRunningService = (baseUrl: string): OpenService => ({
  baseUrl,
  warnings: new Set<string>(),
  close: async () => {},
});

type Around = { readonly env: NodeJS.ProcessEnv; readonly stderr: Output };

/** @param server base of a running one; undefined for one of our own. @throws SettingsError */
export const openService = async (
  { server }: { readonly server: string | undefined },
  { env, stderr }: Around,
): Promise<OpenService> => (server ? openRunningService(server) : openOwnService(env, stderr));

/** Returns its warnings at the end, where nothing writes over them. */
export async function closeService(service: OpenService, { stderr }: Around): Promise<void> {
  await service.close();
  for (const warning of service.warnings) await write(stderr, `Warning: ${toPlainLine(warning)}\n`);
}
