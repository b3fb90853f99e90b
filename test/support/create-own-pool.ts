/** The real pool with one place, without a service around it: it may open any page of this machine. */
import { findBrowser } from '../src/lighthouse/find-browser.ts';
import { createPool, type LocalAnalyser } from '../src/lighthouse/pool.ts';
import { createSandbox } from '../src/lighthouse/sandbox.ts';
import { openEgress } from '../src/targets/egress-proxy.ts';
import { createPolicy } from '../src/targets/policy.ts';
import { createSystemNetwork } from '../src/targets/system-network.ts';

export function createOwnPool(): LocalAnalyser {
  const { PATH = '', XDG_CACHE_HOME: cacheHome } = process.env;
  const policy = createPolicy({ targets: 'any', ownPort: () => 0 });
  const network = createSystemNetwork();
  return createPool({
    browser: findBrowser({ chromePath: undefined, path: PATH, cacheHome }),
    sandbox: createSandbox({ mode: 'auto', loopbackOnly: true, isRoot: process.getuid?.() === 0, warn: () => {} }),
    openEgress: (startUrl, signal) => openEgress({ startUrl, policy, network, signal }),
    concurrency: 1,
    queueLimit: 1,
    timeoutMs: 120_000,
    log: () => {},
  });
}
