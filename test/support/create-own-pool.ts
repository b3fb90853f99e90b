/** The real pool with one place, without a service around it: it may open any page of this machine. */

import { openEgress } from '../../src/egress/egress-proxy.ts';
import { createSystemNetwork } from '../../src/egress/system-network.ts';
import { findBrowser } from '../../src/lighthouse/browser/find-browser.ts';
import { createSandbox } from '../../src/lighthouse/browser/sandbox.ts';
import { createPool, type LocalAnalyser } from '../../src/lighthouse/pool.ts';
import { createPolicy } from '../../src/targets/policy.ts';
import { sameThread } from './same-thread.ts';

export function createOwnPool(): LocalAnalyser {
  const { PATH = '', XDG_CACHE_HOME: cacheHome } = process.env;
  const policy = createPolicy({ targets: 'any', ownPort: () => 0 });
  const network = createSystemNetwork();
  return createPool({
    threads: sameThread,
    browser: findBrowser({ chromePath: undefined, path: PATH, cacheHome }),
    sandbox: createSandbox({ mode: 'auto', loopbackOnly: true, isRoot: process.getuid?.() === 0, warn: () => {} }),
    openEgress: (startUrl, signal) => openEgress({ startUrl, policy, network, signal }),
    concurrency: 1,
    queueLimit: 1,
    timeoutMs: 120_000,
    log: () => {},
  });
}
