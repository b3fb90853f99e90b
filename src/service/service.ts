/** Builds every part, connects them, and hands out what the process needs. No globals: a test may start several. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createAnalyseLocal } from '../analysis/analyse-local.ts';
import { createAnalyseRemote } from '../analysis/analyse-remote.ts';
import { openRecords } from '../analysis/records/open-records.ts';
import { createThreads, type Threads } from '../analysis/threads/threads.ts';
import { shuttingDown } from '../contract/errors.ts';
import { serviceVersion } from '../contract/version.ts';
import type { Fleet } from '../fleet/open-fleet.ts';
import type { FleetAnalyser } from '../fleet/queue/fleet-analyser.ts';
import { toKeyClient } from '../http/access/api-keys.ts';
import { createApp } from '../http/app.ts';
import { type JobsOverrides, openJobs } from '../jobs/open-jobs.ts';
import type { Takes } from '../jobs/takes.ts';
import type { Analyser } from '../measure/analyser.ts';
import { createCrux } from '../measure/crux.ts';
import type { Network } from '../measure/egress/dial.ts';
import { type GateOptions, openGate } from '../measure/egress/egress-proxy.ts';
import { createGateThread, type GateThread } from '../measure/egress/gate-thread.ts';
import type { RefusalNote } from '../measure/egress/refusals.ts';
import { createSystemNetwork } from '../measure/egress/system-network.ts';
import { createEmbeddedAnalyser } from '../measure/embedded-analyser.ts';
import type { RunnerSettings } from '../measure/lighthouse/audit-runner.ts';
import { type FoundBrowser, findBrowser } from '../measure/lighthouse/browser/find-browser.ts';
import { noBrowserHere } from '../measure/lighthouse/browser/installed-browser.ts';
import { createSandbox } from '../measure/lighthouse/browser/sandbox.ts';
import { createCompiledCode } from '../measure/lighthouse/cells/compiled-code.ts';
import { lighthouseVersion } from '../measure/lighthouse/lighthouse-version.ts';
import { createPool, type LocalAnalyser } from '../measure/lighthouse/pool.ts';
import { type PsiServer, toPsiServer } from '../measure/psi/call.ts';
import { createPsiAnalyser, type Patience } from '../measure/psi/client.ts';
import { createReadSitemap } from '../measure/sitemaps/read-sitemap.ts';
import { createPolicy, type TargetPolicy, toTargetsText } from '../measure/targets/policy.ts';
import type { Settings } from '../settings/settings.ts';
import { createLastingCache, type WatchedCache } from '../storage/cache/lasting-cache.ts';
import { createResultCache, type ResultCache } from '../storage/cache/result-cache.ts';
import { createMemoryStore } from '../storage/cache/store.ts';
import { toAllowedStore } from '../storage/results/allowed-store.ts';
import type { ResultStore } from '../storage/results/store.ts';
import { countAudits, countCacheAnswers, countRemotePages, countWaits } from '../telemetry/metrics/counted.ts';
import { createMetrics } from '../telemetry/metrics/metrics.ts';
import { toReadings } from '../telemetry/metrics/readings.ts';
import { openTracing } from '../telemetry/tracing/open-tracing.ts';
import { traceAudits, traceRemotePages, traceWaits } from '../telemetry/tracing/traced.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';
import { createFleetAnalyser, createShared, openDatabase, openFleet } from './join-fleet.ts';
import { readBootId, readMachineId } from './machine-id.ts';
import { readProcessors } from './processors.ts';

export type Service = {
  /** Starts to listen and returns the URL to open. */
  listen(): Promise<string>;
  /** Unpacks and tries the browser, so that the first audit does not pay for it. Never throws. */
  warmUp(): Promise<void>;
  /** One line for people: where, and with what. */
  describe(): string;
  /** What a close would wait for, in words. */
  describeWork(): string;
  /**
   * Refuses new work, lets what runs finish within the grace, answers the rest with `shutting_down`, and leaves nothing
   * behind. Before that it is not ready for `delayMs`, and serves: a balancer has the time to send requests elsewhere.
   */
  close(graceMs?: number, delayMs?: number): Promise<void>;
};

/** For the answers of what is cut short when the grace is over. */
const lastWordsMs = 500;

/** An address another program on this machine can use for what we listen on. */
const toBaseUrl = (host: string, port: number): string => {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

/** Field data where PSI sends none: of pages that Google measures, or wherever a key for it was given by hand. */
const toCrux = (settings: Settings, server: PsiServer | undefined, log: Logger) => {
  const apiKey = settings.cruxApiKey ?? (server?.kind === 'google' ? server.apiKey : undefined);
  if (apiKey === undefined) return undefined;
  return createCrux({ endpoint: settings.cruxEndpoint, apiKey, warn: message => log.warn(message) });
};

/** What a test, or a command, may have otherwise than a service has it. */
export type ServiceOverrides = {
  /** Waits between calls of the remote analyser. */
  patience?: Patience | undefined;
  /** What local audits wait for and measure next to the page, or another worker. */
  audits?:
    | Pick<RunnerSettings, 'limits' | 'workerProgram' | 'withoutFullPageScreenshot' | 'benchmarkIndex'>
    | undefined;
  /** In place of local audits: only what waits for them and shares them is real. */
  pool?: LocalAnalyser | undefined;
  /** In place of a thread of its own for whole results. */
  threads?: Threads | undefined;
  /** Shares no queue of audits, whatever the settings say: for a command, which ends soon. */
  isAlone?: boolean | undefined;
  /** How long a stream of events is silent at most. */
  heartbeatMs?: number | undefined;
  /** The clock and the pauses of jobs. */
  jobs?: JobsOverrides | undefined;
};

/** A load keeps two processors busy at its height. */
const toLoadsAtOnce = (setting: Settings['lighthouseLoads'], processors: number): number =>
  setting === 'auto' ? (processors >= 4 ? 2 : 1) : Number(setting);

/** Stored results that clients may see; with `TARGETS=any`, all. */
const toShownStore = (store: ResultStore | undefined, { targets }: Settings, policy: TargetPolicy) =>
  store && targets !== 'any' ? toAllowedStore(store, url => policy.judgeUrl(url).allowed) : store;

/** Which jobs this instance works on, where it shares a database with others. */
const toTakes = ({ targets, apiKeys }: Settings, { kind }: Analyser, audits: boolean): Takes => ({
  audits,
  targets: toTargetsText(targets),
  // The kind alone: a job continues when its endpoint moves to another address.
  analyser: kind,
  clients: apiKeys.length === 0 ? null : apiKeys.map(toKeyClient),
});

const toCounted = (connected: Fleet | undefined, fleet: FleetAnalyser | undefined) =>
  connected && fleet && { status: fleet.fleet, connections: connected.database.counts };

/**
 * What audits for the embedded analyser. Which browser a machine of a fleet has its results say; here it is not known.
 */
const toVersions = (browser: FoundBrowser | undefined): string[] => [
  `Lighthouse ${lighthouseVersion}`,
  ...(browser ? [browser.description] : []),
];

/** In a thread of its own, but for a network that only this one has. */
const toOpenGate = (
  { network, ...options }: Omit<GateOptions, 'network'> & { network: Network | undefined },
  thread: GateThread,
) => (network ? () => openGate({ ...options, network }) : thread.openGate);

/** In memory, and behind it in the store, where other services may clear it. */
async function openOwnCache(settings: Settings, lasting: WatchedCache | undefined): Promise<ResultCache> {
  const { cacheTtlMs: ttlMs, cacheStaleMs: staleMs } = settings;
  const cache = createResultCache(createMemoryStore(settings.cacheMaxBytes), { ttlMs, staleMs, lasting });
  await lasting?.watch(cache.empty);
  return cache;
}

/** A command ends soon, and has no requests. */
const openOwnTracing = ({ traces, role }: Settings, isAlone: boolean, log: Logger): Promise<Tracing | undefined> =>
  openTracing(isAlone ? undefined : traces, {
    version: serviceVersion,
    role,
    log: { info: message => log.info(message), warn: (facts, message) => log.warn(facts, message) },
  });

/**
 * @param network another way to names and addresses than this machine's own
 * @throws StoreFaultError where the database of results is of a newer version
 */
export async function createService(
  settings: Settings,
  log: Logger,
  network?: Network,
  {
    patience,
    audits = {},
    pool: otherPool,
    threads = createThreads(),
    isAlone = false,
    heartbeatMs,
    jobs: jobsOverrides = {},
  }: ServiceOverrides = {},
): Promise<Service> {
  let port = settings.port;
  let ready = true;
  let accepting = true;
  const ending = new AbortController();
  const baseUrl = () => toBaseUrl(settings.host, port);

  const policy = createPolicy({ targets: settings.targets, ownPort: () => port });
  const browser = findBrowser({ chromePath: settings.chromePath, ...settings.system });
  const sandbox = createSandbox({
    mode: settings.chromeSandbox,
    loopbackOnly: settings.loopbackOnly,
    isRoot: process.getuid?.() === 0,
    warn: message => log.warn(message),
  });
  const machineId = readMachineId(settings.dataDir);
  /** For comparisons: two services of one machine have folders of their own. */
  const machine = { id: readBootId() ?? machineId, processors: readProcessors() };
  const metrics = createMetrics();
  const tracing = await openOwnTracing(settings, isAlone, log);
  const gates = {
    // With a database, it also audits for instances that others reach.
    hidesInside: !settings.loopbackOnly || settings.databaseUrl !== undefined,
    note: (refusal: RefusalNote) => log.info(refusal, 'a page under audit was not connected'),
  };
  const gateThread = createGateThread({ targets: settings.targets, ownPort: () => port, ...gates });
  const openOwnGate = toOpenGate({ policy, network, ...gates }, gateThread);
  const createOwnPool = () => {
    const own = createPool({
      browser,
      sandbox,
      openGate: openOwnGate,
      concurrency: settings.lighthouseConcurrency,
      loadsAtOnce: toLoadsAtOnce(settings.lighthouseLoads, machine.processors),
      queueLimit: settings.lighthouseQueue,
      repeats: settings.lighthouseRepeats,
      timeoutMs: settings.lighthouseTimeoutMs,
      compiledCode: createCompiledCode(settings.system.cacheHome),
      hasSpare: settings.lighthouseSpare,
      machineId: machine.id,
      processors: machine.processors,
      ...audits,
      onBrowserStart: metrics.countBrowserStart,
      onLeftover: metrics.countLeftover,
      log: (event, facts) => log.warn(facts, event),
    });
    return countAudits(own, metrics);
  };
  const plainPool = otherPool ?? (settings.role === 'api' ? undefined : createOwnPool());
  const pool = traceAudits(plainPool, tracing);
  const postgres = await openDatabase(settings);
  const connected = await openFleet(postgres, log);
  const fleet = await (isAlone
    ? undefined
    : createFleetAnalyser(connected, settings, { pool, threads, log, tracePath: tracing }));
  const local = traceWaits(countWaits(fleet ?? pool ?? createOwnPool(), metrics), tracing);
  const {
    store,
    recorder,
    close: closeRecords,
  } = await openRecords(settings, machineId, {
    log,
    postgres,
    isAlone,
    onRemoved: metrics.countRemoved,
  });
  const shared = await createShared(connected, settings, `${machineId} ${process.pid}`);
  const server = toPsiServer(settings);
  const uncounted: Analyser = server
    ? createPsiAnalyser({
        server,
        threads,
        timeoutMs: settings.psiTimeoutMs,
        concurrency: settings.psiConcurrency,
        ratePerMinute: settings.psiRatePerMinute,
        limits: shared?.limits,
        patience,
      })
    : createEmbeddedAnalyser({
        local,
        threads,
        host: () => new URL(baseUrl()).host,
        versions: toVersions(shared ? undefined : browser),
        keepsArtifacts: recorder.keepsArtifacts,
      });
  const analyser = traceRemotePages(countRemotePages(uncounted, metrics), tracing);
  const lasting = store && !shared ? createLastingCache(store.cache) : undefined;
  const cache = countCacheAnswers(shared?.cache ?? (await openOwnCache(settings, lasting)), metrics);
  const analyseRemote = createAnalyseRemote({
    policy,
    cache,
    analyser,
    recorder,
    targets: toTargetsText(settings.targets),
    crux: toCrux(settings, server, log),
  });
  const analyseLocal = createAnalyseLocal({ policy, local, threads, recorder });
  const jobs = openJobs({
    settings,
    log,
    store,
    policy,
    threads,
    local,
    recorder,
    analyseRemote,
    analyseLocal,
    network: network ?? createSystemNetwork(),
    isRemote: analyser.kind !== 'embedded',
    takes: toTakes(settings, analyser, pool !== undefined),
    onCallbackGivenUp: metrics.countCallbackGivenUp,
    localRoom: () => local.status().parallel_limit,
    onRemoved: count => metrics.countRemoved('jobs', count),
    tracing,
    overrides: jobsOverrides,
  });
  const known = {
    local,
    cache,
    store,
    dataDir: settings.dataDir,
    fleet: toCounted(connected, fleet),
    hasSlots: settings.role !== 'api',
  };
  const backlog = settings.role === 'worker' ? undefined : jobs.backlog;
  for (const reading of toReadings({ ...known, jobs: backlog })) metrics.addReading(reading);
  const { server: app, whenQuiet } = createApp({
    settings,
    heartbeatMs,
    log,
    metrics,
    policy,
    local,
    threads,
    cache,
    store: toShownStore(store, settings, policy),
    recorder,
    tracing,
    pageLimiter: shared?.createPageLimiter(settings.rateLimit),
    analyser,
    lighthouseVersion,
    fleet: fleet?.fleet,
    machine,
    analyseRemote,
    analyseLocal,
    readSitemap: createReadSitemap({ policy, openGate: openOwnGate }),
    jobs,
    isReady: () => ready,
    isAccepting: () => accepting,
    ending: ending.signal,
  });

  /** Until no request is in progress, or the time is over. */
  const untilQuiet = async (ms: number, also: Promise<unknown> = Promise.resolve()): Promise<void> => {
    const answered = new AbortController();
    await Promise.race([
      Promise.all([whenQuiet(), also]),
      delay(ms, undefined, { signal: answered.signal }).catch(() => {}),
    ]);
    answered.abort();
  };

  return {
    async listen() {
      // The framework's own lines about addresses would come before ours, which says more.
      const { level } = app.log;
      app.log.level = 'silent';
      await app.listen({ host: settings.host, port: settings.port });
      app.log.level = level;
      const address = app.server.address();
      if (typeof address === 'object' && address) port = address.port;
      // A command ends soon, and a worker only audits: neither takes up jobs.
      if (!isAlone && settings.role !== 'worker') jobs.start();
      return baseUrl();
    },
    warmUp: () => local.warmUp(),
    describe: () => {
      const fault = browser ? browser.fault : noBrowserHere();
      const lab = !pool
        ? 'on other machines'
        : fault
          ? `none (${fault})`
          : `Lighthouse ${lighthouseVersion} in ${browser?.description}`;
      return `Rangelight: open ${baseUrl()} · PSI: ${analyser.description} · local: ${lab}`;
    },
    describeWork: () => {
      const { running } = local.status();
      if (running === 0) return 'the requests under way';
      return running === 1 ? 'the running audit' : `${running} running audits`;
    },
    async close(graceMs = settings.shutdownGraceMs, delayMs = 0) {
      ready = false;
      if (delayMs > 0) await delay(delayMs);
      accepting = false;
      const end = performance.now() + graceMs;
      const graceOver = setTimeout(() => ending.abort(shuttingDown()), graceMs);
      analyser.close();
      const drained = jobs.drain();
      await local.close(graceMs);
      await untilQuiet(Math.max(lastWordsMs, end - performance.now() + lastWordsMs), drained);
      clearTimeout(graceOver);
      await jobs.close();
      // Requests that came meanwhile get their 503 before their connections are closed.
      app.server.close();
      await untilQuiet(lastWordsMs);
      await app.close();
      await shared?.close();
      await Promise.all([threads.close(), gateThread.close()]);
      metrics.close();
      await tracing?.close();
      lasting?.close();
      await closeRecords();
      await connected?.close();
      await postgres?.close();
    },
  };
}
