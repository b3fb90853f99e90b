import pino, { type Logger } from 'pino';
import type { DialNetwork } from '../../src/measure/egress/dial.ts';
import type { PsiPatience } from '../../src/measure/psi/client.ts';
import { createService, type ServiceOverrides } from '../../src/service/service.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { toQuickAudits } from './audits/quick-audits.ts';
import { sharedThreads } from './shared-threads.ts';

/** Anything that accepts an `after` hook: a test, a suite, or a file (`{ after }` of `node:test`). */
export type Scope = { after(hook: () => Promise<void> | void): void };

export type StartedService = {
  readonly url: string;
  /** Stops the service before the scope ends. @param graceMs time for running audits to finish */
  close(graceMs: number): Promise<void>;
};

/** Retries at once, without backing off or waiting for an announced `Retry-After`. */
export const impatient: PsiPatience = { retryMs: 0, backOffMs: 0, minuteMs: 0, maxWaitMs: 0 };

/**
 * Starts the real service on a free port and stops it when the scope ends.
 * @param environment settings by their variable names; of the process's own only those that locate the browser
 * @param network names and addresses of the test, for public and internal pages
 * @param overrides the log (silent by default) and differences from a user's service; audits are quick
 *   (quick-audits.ts) unless they are `usualAudits`
 */
export async function startService(
  scope: Scope,
  environment: Record<string, string> = {},
  network?: DialNetwork,
  { log = pino({ level: 'silent' }), audits, ...overrides }: ServiceOverrides & { log?: Logger } = {},
): Promise<StartedService> {
  const { PATH, XDG_CACHE_HOME } = process.env;
  const settings = readSettings({
    PORT: '0',
    SHUTDOWN_GRACE: '0',
    PSI_RATE: '100000',
    // Most tests of a call that ends are about its client, not about the time limit.
    PSI_TIMEOUT: '3600',
    // A spare browser that no test uses takes half a second of CPU time.
    LIGHTHOUSE_SPARE: 'off',
    // Most tests must not depend on how busy the machine is.
    LIGHTHOUSE_REPEATS: '0',
    // A second worker takes seconds of CPU time before its first audit.
    LIGHTHOUSE_CONCURRENCY: '1',
    // Most tests store nothing; those of stored results set a folder of their own.
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
