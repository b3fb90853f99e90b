import pino, { type Logger } from 'pino';
import { createService } from '../src/service.ts';
import { readSettings } from '../src/settings.ts';
import type { Network } from '../src/targets/dial.ts';

/** What an `after` hook can be registered on: one test, a suite, or a file (`{ after }` of `node:test`). */
export type Scope = { after(hook: () => Promise<void> | void): void };

export type StartedService = {
  readonly url: string;
  /** Stops the service before the scope ends. @param graceMs what running audits get to finish */
  close(graceMs: number): Promise<void>;
};

/**
 * Starts the real service on a free port and stops it when the scope ends.
 * @param environment settings by their environment names; nothing of the process's own but what finds the browser
 * @param log where its lines go; nowhere by default
 * @param network names and addresses of the test's own, for pages that stand in the public internet or inside
 */
export async function startService(
  scope: Scope,
  environment: Record<string, string> = {},
  network?: Network,
  log: Logger = pino({ level: 'silent' }),
): Promise<StartedService> {
  const { PATH, XDG_CACHE_HOME } = process.env;
  const settings = readSettings({ PORT: '0', SHUTDOWN_GRACE: '0', PATH, XDG_CACHE_HOME, ...environment });
  const service = createService(settings, log, network);
  scope.after(() => service.close());
  return { url: await service.listen(), close: graceMs => service.close(graceMs) };
}
