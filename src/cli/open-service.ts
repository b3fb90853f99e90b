/** Where the requests of a command go: to a service that runs, or to one of our own for as long as it is needed. */
import { createLog } from '../log.ts';
import { createService } from '../service.ts';
import { readSettings } from '../settings.ts';

export type OpenService = {
  /** With a slash at its end. */
  readonly baseUrl: string;
  /** Ends what was started for it, whatever is under way. */
  close(): Promise<void>;
};

/**
 * The environment's settings but for the door: only this command comes in, on a port nobody knows.
 * @throws SettingsError
 */
export async function openOwnService(env: NodeJS.ProcessEnv, stderr: NodeJS.WritableStream): Promise<OpenService> {
  const door = {
    ...{ HOST: '127.0.0.1', PORT: '0', API_KEYS: '', RATE_LIMIT: '0', ALLOWED_HOSTS: '', TRUST_PROXY: '' },
    // Quiet: what goes wrong with a page comes as its answer. Who asks for a log gets it beside the result.
    LOG_LEVEL: env.LOG_LEVEL || 'silent',
  };
  const settings = readSettings({ ...env, ...door });
  const log = createLog(settings.logLevel, [settings.psiApiKey ?? '', settings.cruxApiKey ?? ''], stderr);
  const service = createService(settings, log);
  return { baseUrl: `${await service.listen()}/`, close: () => service.close(0) };
}

export const openRunningService = (baseUrl: string): OpenService => ({ baseUrl, close: async () => {} });
