import pino, { type Logger } from 'pino';
import type { Patience } from '../src/psi/client.ts';
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

/** Tries again at once, leaves nobody alone, and waits for nothing that was announced. */
export const impatient: Patience = { retryMs: 0, restMs: 0, minuteMs: 0, restsMs: 0 };

/**
 * Starts the real service on a free port and stops it when the scope ends.
 * @param environment settings by their environment names; nothing of the process's own but what finds the browser
 * @param network names and addresses of the test's own, for pages that stand in the public internet or inside
 * @param conduct where the log goes, and how long the remote side is waited for: usually nowhere, and not at all
 */
export async function startService(
  scope: Scope,
  environment: Record<string, string> = {},
  network?: Network,
  { log = pino({ level: 'silent' }), patience = impatient }: { log?: Logger; patience?: Patience } = {},
): Promise<StartedService> {
  const { PATH, XDG_CACHE_HOME } = process.env;
  const settings = readSettings({
    PORT: '0',
    SHUTDOWN_GRACE: '0',
    PSI_RATE: '100000',
    PATH,
    XDG_CACHE_HOME,
    ...environment,
  });
  const service = createService(settings, log, network, patience);
  scope.after(() => service.close());
  return { url: await service.listen(), close: graceMs => service.close(graceMs) };
}
