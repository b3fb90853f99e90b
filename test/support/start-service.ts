import pino, { type Logger } from 'pino';
import type { Network } from '../../src/measure/egress/dial.ts';
import type { Patience } from '../../src/measure/psi/client.ts';
import { createService, type ServiceOverrides } from '../../src/service/service.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { toQuickAudits } from './audits/quick-audits.ts';
import { sharedThreads } from './shared-threads.ts';

/** What an `after` hook can be registered on: one test, a suite, or a file (`{ after }` of `node:test`). */
export type Scope = { after(hook: () => Promise<void> | void): void };

export type StartedService = {
  readonly url: string;
  /** Stops the service before the scope ends. @param graceMs what running audits get to finish */
  close(graceMs: number): Promise<void>;
};

/** Retries at once, never backs off, and waits for nothing that was announced. */
export const impatient: Patience = { retryMs: 0, backOffMs: 0, minuteMs: 0, maxWaitMs: 0 };

/**
 * Starts the real service on a free port and stops it when the scope ends.
 * @param environment settings by their environment names; nothing of the process's own but what finds the browser
 * @param network names and addresses of the test's own, for pages that stand in the public internet or inside
 * @param overrides where the log goes (usually nowhere), and what differs from the service of a user; audits are quick
 *   (quick-audits.ts) unless they are `usualAudits`
 */
export async function startService(
  scope: Scope,
  environment: Record<string, string> = {},
  network?: Network,
  { log = pino({ level: 'silent' }), audits, ...overrides }: ServiceOverrides & { log?: Logger } = {},
): Promise<StartedService> {
  const { PATH, XDG_CACHE_HOME } = process.env;
  const settings = readSettings({
    PORT: '0',
    SHUTDOWN_GRACE: '0',
    PSI_RATE: '100000',
    // A browser that nobody asks for is half a second of a processor.
    LIGHTHOUSE_SPARE: 'off',
    // A busy machine is no fault of what most tests check.
    LIGHTHOUSE_REPEATS: '0',
    // A second worker takes seconds of a processor before its first audit.
    LIGHTHOUSE_CONCURRENCY: '1',
    // Most tests keep nothing; those of kept results name a folder of their own.
    DATA_DIR: 'none',
    PATH,
    XDG_CACHE_HOME,
    ...environment,
  });
  const service = await createService(settings, log, network, {
    patience: impatient,
    audits: toQuickAudits(audits),
    threads: sharedThreads(),
    ...overrides,
  });
  scope.after(() => service.close());
  return { url: await service.listen(), close: graceMs => service.close(graceMs) };
}
