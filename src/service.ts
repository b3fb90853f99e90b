/** Builds every part, connects them, and hands out what the process needs. No globals: a test may start several. */
import { createRequire } from 'node:module';
import type { Logger } from 'pino';
import { createAnalyseLocal } from './analysis/analyse-local.ts';
import { createAnalyseRemote } from './analysis/analyse-remote.ts';
import { createMemoryStore } from './cache/memory-store.ts';
import { createResultCache } from './cache/result-cache.ts';
import { createApp } from './http/app.ts';
import { findBrowser } from './lighthouse/find-browser.ts';
import { createPool } from './lighthouse/pool.ts';
import { createSandbox } from './lighthouse/sandbox.ts';
import { createPsiClient, type RemoteAnalyser } from './psi/client.ts';
import type { Settings } from './settings.ts';
import type { Network } from './targets/dial.ts';
import { openEgress } from './targets/egress-proxy.ts';
import { createPolicy } from './targets/policy.ts';
import { createSystemNetwork } from './targets/system-network.ts';

export type Service = {
  /** Starts to listen and returns the URL to open. */
  listen(): Promise<string>;
  /** Unpacks and tries the browser, so that the first audit does not pay for it. Never throws. */
  warmUp(): Promise<void>;
  /** One line for people: where, and with what. */
  describe(): string;
  /** Refuses new work, lets running audits finish within the grace, and leaves nothing behind. */
  close(graceMs?: number): Promise<void>;
};

const lighthouseVersion: string = createRequire(import.meta.url)('lighthouse/package.json').version;
const googleEndpoint = 'https://pagespeedonline.googleapis.com/pagespeedonline/v5/runPagespeed';

/** An address another program on this machine can use for what we listen on. */
const toBaseUrl = (host: string, port: number): string => {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

const toRemoteAnalyser = (settings: Settings, baseUrl: () => string): RemoteAnalyser => {
  const apiKey = settings.psiApiKey;
  if (settings.psiEndpoint) {
    const endpoint = settings.psiEndpoint;
    return { kind: 'custom', endpoint: () => endpoint, apiKey };
  }
  if (apiKey) return { kind: 'google', endpoint: () => googleEndpoint, apiKey };
  return { kind: 'embedded', endpoint: () => `${baseUrl()}/pagespeedonline/v5/runPagespeed`, apiKey: undefined };
};

const analyserNames: Record<RemoteAnalyser['kind'], (analyser: RemoteAnalyser) => string> = {
  google: () => "Google's PageSpeed Insights",
  custom: analyser => `the PSI v5 endpoint at ${new URL(analyser.endpoint()).host}`,
  embedded: () => 'the embedded analyser (PSI presets on this machine; set PSI_API_KEY for Google)',
};

/** @param network another way to names and addresses than this machine's own */
export function createService(settings: Settings, log: Logger, network: Network = createSystemNetwork()): Service {
  let port = settings.port;
  let accepting = true;
  const baseUrl = () => toBaseUrl(settings.host, port);

  const policy = createPolicy({ targets: settings.targets, ownPort: () => port });
  const browser = findBrowser({ chromePath: settings.chromePath, ...settings.system });
  const sandbox = createSandbox({
    mode: settings.chromeSandbox,
    loopbackOnly: settings.loopbackOnly,
    isRoot: process.getuid?.() === 0,
    warn: message => log.warn(message),
  });
  const local = createPool({
    browser,
    sandbox,
    openEgress: (startUrl, signal) =>
      openEgress({
        ...{ startUrl, policy, network, signal },
        hidesInside: !settings.loopbackOnly,
        note: refusal => log.info(refusal, 'a page under audit was not connected'),
      }),
    concurrency: settings.lighthouseConcurrency,
    queueLimit: settings.lighthouseQueue,
    timeoutMs: settings.lighthouseTimeoutMs,
    log: (event, facts) => log.warn(facts, event),
  });
  const analyser = toRemoteAnalyser(settings, baseUrl);
  const client = createPsiClient({
    analyser,
    timeoutMs: settings.psiTimeoutMs,
    concurrency: settings.psiConcurrency,
  });
  const cache = createResultCache(createMemoryStore(settings.cacheMaxBytes), { ttlMs: settings.cacheTtlMs });
  const app = createApp({
    settings,
    log,
    policy,
    local,
    cache,
    analyser,
    lighthouseVersion,
    analyseRemote: createAnalyseRemote({ policy, cache, client, analyser }),
    analyseLocal: createAnalyseLocal({ policy, local }),
    isAccepting: () => accepting,
  });

  return {
    async listen() {
      // The framework's own lines about addresses would come before ours, which says more.
      const { level } = app.log;
      app.log.level = 'silent';
      await app.listen({ host: settings.host, port: settings.port });
      app.log.level = level;
      const address = app.server.address();
      if (typeof address === 'object' && address) port = address.port;
      return baseUrl();
    },
    warmUp: () => local.warmUp(),
    describe: () => {
      const lab = browser ? `Lighthouse ${lighthouseVersion} in ${browser.description}` : 'none (no browser found)';
      return `Rangelight: open ${baseUrl()} · remote analyser: ${analyserNames[analyser.kind](analyser)} · local: ${lab}`;
    },
    async close(graceMs = settings.shutdownGraceMs) {
      accepting = false;
      const force = setTimeout(() => app.server.closeAllConnections(), graceMs);
      // The pool first: what it still runs may be asked for over our own endpoint.
      await local.close(graceMs);
      await app.close();
      clearTimeout(force);
    },
  };
}
