import type { TestContext } from 'node:test';
import pino from 'pino';
import { createService } from '../src/service.ts';
import { readSettings } from '../src/settings.ts';

/** What an `after` hook can be registered on: one test, or a suite. */
export type Scope = Pick<TestContext, 'after'>;

/**
 * Starts the real service on a free port and stops it when the scope ends.
 * @param environment settings by their environment names; nothing of the process's own but what finds the browser
 */
export async function startService(scope: Scope, environment: Record<string, string> = {}): Promise<{ url: string }> {
  const { PATH, XDG_CACHE_HOME } = process.env;
  const settings = readSettings({ PORT: '0', SHUTDOWN_GRACE: '0', PATH, XDG_CACHE_HOME, ...environment });
  const service = createService(settings, pino({ level: 'silent' }));
  scope.after(() => service.close());
  return { url: await service.listen() };
}
