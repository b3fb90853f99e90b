/** Builds every part, connects them, and hands out what the process needs. No globals: a test may start several. */
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createAnalyseLocal } from './analysis/analyse-local.ts';
import { createAnalyseRemote } from './analysis/analyse-remote.ts';
import { createMemoryStore } from './cache/memory-store.ts';
import { createResultCache } from './cache/result-cache.ts';
import { createApp } from './http/app.ts';
import { findBrowser } from './lighthouse/find-browser.ts';
import { createPool } from './lighthouse/pool.ts';
import { createSandbox } from './lighthouse/sandbox.ts';
import { createPsiClient, type Patience } from './psi/client.ts';
import { createCrux } from './psi/crux.ts';
import type { RemoteAnalyser } from './psi/remote-analyser.ts';
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
  /** What a close would wait for, in words. */
  describeWork(): string;
  /** Refuses new work, lets running audits finish within the grace, and leaves nothing behind. */
  close(graceMs?: number): Promise<void>;
};

/** For the answers of audits that were ended by force, when the grace is over. */
const lastWordsMs = 500;

const lighthouseVersion: string = createRequire(import.meta.url)('lighthouse/package.json').version;
const googleEndpoint = 'https://pagespeedonline.googleapis.com/pagespeedonline/v5/runPagespeed';

/** An address another program on this machine can use for what we listen on. */
const toBaseUrl = (host: string, port: number): string => {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

/** @param ownKey by which the embedded analyser knows its own service */
const toRemoteAnalyser = (settings: Settings, ownKey: string, baseUrl: () => string): RemoteAnalyser => {
  const apiKey = settings.psiApiKey;
  if (settings.psiEndpoint) {
    const endpoint = settings.psiEndpoint;
    return { kind: 'custom', endpoint: () => endpoint, apiKey };
  }
  if (apiKey) return { kind: 'google', endpoint: () => googleEndpoint, apiKey };
  return { kind: 'embedded', endpoint: () => `${baseUrl()}/pagespeedonline/v5/runPagespeed`, apiKey: ownKey };
};

const analyserNames: Record<RemoteAnalyser['kind'], (analyser: RemoteAnalyser) => string> = {
  google: () => "Google's PageSpeed Insights",
  custom: analyser => `the PSI v5 endpoint at ${new URL(analyser.endpoint()).host}`,
  embedded: () => 'the embedded analyser (PSI presets on this machine; set PSI_API_KEY for Google)',
};

/** Field data where PSI sends none: of pages that Google measures, or wherever a key for it was given by hand. */
const toCrux = (settings: Settings, analyser: RemoteAnalyser, log: Logger) => {
  const apiKey = settings.cruxApiKey ?? (analyser.kind === 'google' ? analyser.apiKey : undefined);
  if (apiKey === undefined) return undefined;
  return createCrux({ endpoint: settings.cruxEndpoint, apiKey, warn: message => log.warn(message) });
};

/**
 * @param network another way to names and addresses than this machine's own
 * @param patience other waits between calls of the remote analyser than the usual ones
 */
export function createService(
  settings: Settings,
  log: Logger,
  network: Network = createSystemNetwork(),
  patience?: Patience,
): Service {
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
  const ownKey = randomBytes(24).toString('hex');
  const analyser = toRemoteAnalyser(settings, ownKey, baseUrl);
  const client = createPsiClient({
    analyser,
    timeoutMs: settings.psiTimeoutMs,
    concurrency: settings.psiConcurrency,
    // Our own machine is no stranger whose patience could end: its places and its line are the limit.
    ratePerMinute: analyser.kind === 'embedded' ? Number.POSITIVE_INFINITY : settings.psiRatePerMinute,
    patience,
  });
  const cache = createResultCache(createMemoryStore(settings.cacheMaxBytes), {
    ttlMs: settings.cacheTtlMs,
    staleMs: settings.cacheStaleMs,
  });
  const { server: app, whenQuiet } = createApp({
    settings,
    ownKey,
    log,
    policy,
    local,
    cache,
    analyser,
    remoteState: () => client.state(),
    lighthouseVersion,
    analyseRemote: createAnalyseRemote({ policy, cache, client, analyser, crux: toCrux(settings, analyser, log) }),
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
      const fault = browser ? browser.fault : 'no browser found';
      const lab = fault ? `none (${fault})` : `Lighthouse ${lighthouseVersion} in ${browser?.description}`;
      return `Rangelight: open ${baseUrl()} · remote analyser: ${analyserNames[analyser.kind](analyser)} · local: ${lab}`;
    },
    describeWork: () => {
      const { running } = local.status();
      if (running === 0) return 'the requests under way';
      return running === 1 ? 'the running audit' : `${running} running audits`;
    },
    async close(graceMs = settings.shutdownGraceMs) {
      accepting = false;
      const end = performance.now() + graceMs;
      // The pool first: what it still runs may be asked for over our own endpoint.
      await local.close(graceMs);
      const answered = new AbortController();
      const rest = Math.max(lastWordsMs, end - performance.now());
      await Promise.race([whenQuiet(), delay(rest, undefined, { signal: answered.signal }).catch(() => {})]);
      answered.abort();
      await app.close();
    },
  };
}
