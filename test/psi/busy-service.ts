import type { TestContext } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import type { Pages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';

export const healthOf = async (busy: { url: string }) => (await ask<Health>(busy, '/health')).body;

/** Starts a service whose slot is occupied by an audit of a page that never answers, until `releaseSlot`. */
export async function startBusy(t: TestContext, pages: Pages, environment: Record<string, string>) {
  const busy = await startService(t, environment);
  const disconnect = new AbortController();
  t.after(() => disconnect.abort());
  const silent = `/never?${busy.url}`;
  const target = withQuery('/lighthouse', { url: `${pages.url}${silent}`, categories: 'seo' });
  ask(busy, target, { signal: disconnect.signal }).catch(() => {});
  await pages.requests.waitFor(1, request => request === silent);
  const measure = (name: string, init: RequestInit = {}) =>
    ask<Result & Problem>(
      busy,
      withQuery('/psi', { url: `${pages.url}/good?${name}`, categories: 'seo', strategy: 'mobile' }),
      init,
    );
  return { busy, measure, releaseSlot: () => disconnect.abort() };
}
