/** Where the requests of a command go: to a service that runs, or to one of our own for as long as it is needed. */
import { createLog } from '../log.ts';
import { createService } from '../service.ts';
import { readSettings, secretsOf } from '../settings.ts';

export type OpenService = {
  /** With a slash at its end. */
  readonly baseUrl: string;
  /** What a person has to know of it, such as that the browser has no sandbox. Each once; more may come. */
  readonly warnings: ReadonlySet<string>;
  /** Ends what was started for it, whatever is under way. */
  close(): Promise<void>;
};

/** What every line of the log has. One with more is about a request or an audit, whose answer says what came of it. */
const usualFields = new Set(['level', 'time', 'pid', 'hostname', 'msg']);

function readWarning(line: string): string | undefined {
  const entry = JSON.parse(line) as Record<string, unknown>;
  const isForPeople = Object.keys(entry).every(name => usualFields.has(name));
  return isForPeople && typeof entry.msg === 'string' ? entry.msg : undefined;
}

/**
 * The environment's settings but for the door: only this command comes in, on a port nobody knows. Who sets LOG_LEVEL
 * gets the log on the error output; else warnings are kept as sentences.
 * @throws SettingsError
 */
export async function openOwnService(env: NodeJS.ProcessEnv, stderr: NodeJS.WritableStream): Promise<OpenService> {
  const warnings = new Set<string>();
  const door = {
    ...{ HOST: '127.0.0.1', PORT: '0', API_KEYS: '', RATE_LIMIT: '0', ALLOWED_HOSTS: '', TRUST_PROXY: '' },
    LOG_LEVEL: env.LOG_LEVEL || 'warn',
  };
  const settings = readSettings({ ...env, ...door });
  const keepWarning = (line: string) => {
    const warning = readWarning(line);
    if (warning !== undefined) warnings.add(warning);
  };
  const log = createLog(settings.logLevel, secretsOf(settings), {
    write: env.LOG_LEVEL ? line => void stderr.write(line) : keepWarning,
  });
  const service = createService(settings, log);
  return { baseUrl: `${await service.listen()}/`, warnings, close: () => service.close(0) };
}

export const openRunningService = (baseUrl: string): OpenService => ({
  ...{ baseUrl, warnings: new Set<string>(), close: async () => {} },
});
