/** The real pool with one slot and without a service around it. It may open any page of this machine. */

import { openGate } from '../../../src/measure/egress/egress-proxy.ts';
import { createSystemNetwork } from '../../../src/measure/egress/system-network.ts';
import { findBrowser } from '../../../src/measure/lighthouse/browser/find-browser.ts';
import { createSandbox } from '../../../src/measure/lighthouse/browser/sandbox.ts';
import { createPool, type LocalAnalyser, type PoolSettings } from '../../../src/measure/lighthouse/pool.ts';
import { readMeasured } from '../../../src/measure/lighthouse/read-page.ts';
import { createCompiledCode } from '../../../src/measure/lighthouse/worker-processes/compiled-code.ts';
import { createPolicy } from '../../../src/measure/targets/policy.ts';
import { toQuickAudits } from './quick-audits.ts';
import { sameThread } from './same-thread.ts';

/** Reads a page under a fixed description; its URL is not that of the page. */
export const readOwnPage = readMeasured(sameThread, {
  source: 'lighthouse',
  analyser: { kind: 'local' },
  url: 'http://127.0.0.1/',
  strategy: 'mobile',
  categories: ['performance'],
  requestedAt: '2026-11-20T09:59:30.000Z',
});

/** @param changes settings that replace the usual ones */
export function createOwnPool(changes: Partial<PoolSettings> = {}): LocalAnalyser {
  const { PATH = '', XDG_CACHE_HOME: cacheHome } = process.env;
  const policy = createPolicy({ targets: 'any', ownPort: () => 0 });
  const network = createSystemNetwork();
  return createPool({
    browser: findBrowser({ chromePath: undefined, path: PATH, cacheHome }),
    sandbox: createSandbox({ mode: 'auto', loopbackOnly: true, isRoot: process.getuid?.() === 0, warn: () => {} }),
    openGate: () => openGate({ policy, network }),
    concurrency: 1,
    loadsAtOnce: 1,
    queueLimit: 1,
    repeats: 0,
    machineId: '0123456789abcdef',
    processors: 2,
    timeoutMs: 120_000,
    compiledCode: createCompiledCode(cacheHome),
    log: () => {},
    ...toQuickAudits(),
    ...changes,
  });
}
