/** Creates every part of the service and connects them. There are no globals, so a test may start several services. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createAnalyseLocal } from '../analysis/analyse-local.ts';
import { createAnalyseRemote } from '../analysis/analyse-remote.ts';
import { openRecords } from '../analysis/records/open-records.ts';
import { toOpenAccess, withStoredAccess } from '../analysis/stored/with-stored-access.ts';
import { createThreads, type Threads } from '../analysis/threads/threads.ts';
import { shuttingDown } from '../contract/errors.ts';
import { serviceVersion } from '../contract/version.ts';
import type { FleetView } from '../fleet/membership.ts';
import type { Fleet } from '../fleet/open-fleet.ts';
import type { FleetAnalyser } from '../fleet/queue/fleet-analyser.ts';
import { toKeyClient } from '../http/access/api-keys.ts';
import { createApp } from '../http/app.ts';
import type { AppParts } from '../http/app-parts.ts';
import type { Takes } from '../jobs/job-policy.ts';
import { type JobsOverrides, openJobs } from '../jobs/open-jobs.ts';
import type { PsiAnalyser } from '../measure/analyser.ts';
import { createCrux } from '../measure/crux.ts';
import type { DialNetwork } from '../measure/egress/dial.ts';
import { type GateOptions, openGate, usualEgressLimits } from '../measure/egress/egress-proxy.ts';
import { createGateThread, type GateThread } from '../measure/egress/gate-thread.ts';
import type { RefusalNote } from '../measure/egress/reach.ts';
import { createSystemNetwork } from '../measure/egress/system-network.ts';
import { createEmbeddedAnalyser } from '../measure/embedded-analyser.ts';
import type { RunnerSettings } from '../measure/lighthouse/audit-runner.ts';
import { type FoundBrowser, findBrowser } from '../measure/lighthouse/browser/find-browser.ts';
import { noBrowserHere } from '../measure/lighthouse/browser/installed-browser.ts';
import { createSandbox } from '../measure/lighthouse/browser/sandbox.ts';
import { lighthouseVersion } from '../measure/lighthouse/lighthouse-version.ts';
import { createPool, type LocalAnalyser } from '../measure/lighthouse/pool.ts';
import { createCompiledCode } from '../measure/lighthouse/worker-processes/compiled-code.ts';
import { type PsiServer, toPsiServer } from '../measure/psi/call.ts';
import { createPsiAnalyser, type PsiPatience } from '../measure/psi/client.ts';
import { createReadSitemap } from '../measure/sitemaps/read-sitemap.ts';
import { createPolicy, type TargetPolicy, toTargetsText } from '../measure/targets/policy.ts';
import type { Settings } from '../settings/settings.ts';
import { adoptKeys, WrongKeyError } from '../storage/access/profiles.ts';
import { createVault, type Vault } from '../storage/access/vault.ts';
import { isLasting, StoreFaultError } from '../storage/database/fault.ts';
import { toAllowedStore } from '../storage/results/allowed-store.ts';
import type { ResultStore } from '../storage/results/store.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { countCacheAnswers, observeAudits, observeRemotePages, observeWaits } from '../telemetry/observed.ts';
import { toReadings } from '../telemetry/readings.ts';
import { openTracing } from '../telemetry/tracing/open-tracing.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';
import { createFleetAnalyser, openDatabase, openFleet, openServiceCache } from './join-fleet.ts';
import { readBootId, readMachineId } from './machine-id.ts';
import { readProcessors } from './processors.ts';

export type Service = {
  /** Starts to listen and returns the URL to open. */
  listen(): Promise<string>;
  /** Unpacks and starts the browser, so that the first audit is as fast as later ones. Never throws. */
  warmUp(): Promise<void>;
  /** Returns one line for display: URL, analyser and browser. */
  describe(): string;
  /** Describes the unfinished work that `close` would wait for. */
  describeWork(): string;
  /**
   * Closes the service: refuses new work, lets running work finish within the grace period, and answers the rest with
   * `shutting_down`. Before that, it serves requests for another `delayMs` while it reports that it is not ready, so
   * that a load balancer can switch to other instances.
   */
  close(graceMs?: number, delayMs?: number): Promise<void>;
};

/** Time to send responses of work that was aborted at the end of the grace period. */
const lastWordsMs = 500;

/** Returns a URL by which other programs on this machine can reach the service. */
const toBaseUrl = (host: string, port: number): string => {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

/**
 * Creates the CrUX client for field data that PSI does not send. It requires that Google measures, or that a key for
 * CrUX is set.
 */
const toCrux = (settings: Settings, server: PsiServer | undefined, log: Logger) => {
  const apiKey = settings.cruxApiKey ?? (server?.kind === 'google' ? server.apiKey : undefined);
  if (apiKey === undefined) return undefined;
  return createCrux({ endpoint: settings.cruxEndpoint, apiKey, warn: message => log.warn(message) });
};

/** Replacements for tests and commands. */
export type ServiceOverrides = {
  /** Waiting times between calls of the PSI analyser. */
  patience?: PsiPatience | undefined;
  /** Replacements for parts of local audits, or another worker. */
  audits?:
    | Pick<RunnerSettings, 'limits' | 'workerProgram' | 'withoutFullPageScreenshot' | 'benchmarkIndex'>
    | undefined;
  /** Replacement for local audits, with the real queue. */
  pool?: LocalAnalyser | undefined;
  /** Replacement for the thread that reads whole results. */
  threads?: Threads | undefined;
  /** Whether the service ignores the shared queue of audits and stored jobs: true for a command, which ends soon. */
  isAlone?: boolean | undefined;
  /** Interval of heartbeats in streamed responses, in milliseconds. */
  heartbeatMs?: number | undefined;
  /** Times that requests may take to arrive. */
  arrival?: AppParts['arrival'];
  /** Limits of audits with the network of a test. */
  egressLimits?: GateOptions['limits'];
  /** Clock and pauses of jobs. */
  jobs?: JobsOverrides | undefined;
};

/** Returns the max number of parallel page loads. A load uses two CPUs at its peak. */
const toLoadsAtOnce = (setting: Settings['lighthouseLoads'], processors: number): number =>
  setting === 'auto' ? (processors >= 4 ? 2 : 1) : Number(setting);

/** Returns the stored results that clients may see; with `TARGETS=any`, all of them. */
const toShownStore = (store: ResultStore | undefined, { targets }: Settings, policy: TargetPolicy) =>
  store && targets !== 'any' ? toAllowedStore(store, url => policy.judgeUrl(url).allowed) : store;

/** Returns which jobs this instance accepts, if it shares a database. */
const toTakes = ({ targets, apiKeys, accessKeys }: Settings, { kind }: PsiAnalyser, audits: boolean): Takes => ({
  audits,
  hasAccessKey: accessKeys !== undefined,
  targets: toTargetsText(targets),
  // Only the kind of the analyser counts, so that a job continues if the endpoint moves to another URL.
  analyser: kind,
  clients: apiKeys.length === 0 ? null : apiKeys.map(toKeyClient),
});

const toCounted = (connected: Fleet | undefined, fleet: FleetAnalyser | undefined) =>
  connected && fleet && { status: fleet.fleet, connections: connected.database.counts };

/** Returns the number of reachable instances that call the PSI server, this one included. */
const countCallers = ({ members }: FleetView): number => members.filter(({ role }) => role !== 'worker').length;

/**
 * Returns the versions of the embedded analyser. In a fleet, each result contains the browser version of its machine,
 * which is unknown here.
 */
const toVersions = (browser: FoundBrowser | undefined): string[] => [
  `Lighthouse ${lighthouseVersion}`,
  ...(browser ? [browser.description] : []),
];

/** Creates the gate in its own thread, unless it must use a network that only this thread has. */
const toOpenGate = (
  { network, ...options }: Omit<GateOptions, 'network'> & { network: DialNetwork | undefined },
  thread: GateThread,
) => (network ? () => openGate({ ...options, network }) : thread.openGate);

/** Creates tracing, except for a command, which ends soon and has no requests. */
const openOwnTracing = ({ traces, role }: Settings, isAlone: boolean, log: Logger): Promise<Tracing | undefined> =>
  openTracing(isAlone ? undefined : traces, {
    version: serviceVersion,
    role,
    log: { info: message => log.info(message), warn: (facts, message) => log.warn(facts, message) },
  });

/** Pause between two comparisons of ACCESS_KEY while the database is unavailable. */
const compareAgainMs = 5000;

/**
 * Compares ACCESS_KEY with the key of the store. An unavailable database does not prevent the start: the keys are then
 * compared when it is back, and the log names a wrong one.
 * @throws WrongKeyError
 */
async function adoptOwnKeys(store: ResultStore | undefined, vault: Vault | undefined, log: Logger): Promise<void> {
  if (!store || !vault) return;
  const compareLater = () =>
    setTimeout(() => {
      adoptKeys(store.database, vault).catch(error => {
        if (error instanceof StoreFaultError && !isLasting(error.code)) compareLater();
        else if (error.code !== 'closed') log.error({ err: error }, 'the stored accesses cannot be opened');
      });
    }, compareAgainMs).unref();
  await adoptKeys(store.database, vault).catch(error => {
    if (error instanceof WrongKeyError || !(error instanceof StoreFaultError)) throw error;
    log.warn({ err: error }, 'the stored accesses cannot be read now');
    compareLater();
  });
}

/**
 * @param network replacement for the DNS and connections of this machine
 * @throws StoreFaultError if the database of results is of a newer version
 */
export async function createService(
  settings: Settings,
  log: Logger,
  network?: DialNetwork,
  {
    patience,
    audits = {},
    pool: otherPool,
    threads = createThreads(),
    isAlone = false,
    heartbeatMs,
    arrival,
    egressLimits: limits = usualEgressLimits,
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
  /**
   * Machine facts for comparisons. Two services on one machine have the same boot id, but not the same id in the data
   * folder.
   */
  const machine = { id: readBootId() ?? machineId, processors: readProcessors() };
  const metrics = createMetrics();
  const tracing = await openOwnTracing(settings, isAlone, log);
  const gates = {
    // With a database, this service also audits for instances that clients on other machines may reach.
    hidesInside: !settings.loopbackOnly || settings.databaseUrl !== undefined,
    note: (refusal: RefusalNote) => log.info(refusal, 'a page under audit was not connected'),
  };
  const gateThread = createGateThread({ targets: settings.targets, ownPort: () => port, ...gates });
  const openOwnGate = toOpenGate({ policy, network, limits, ...gates }, gateThread);
  const observers = { metrics, tracing };
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
    return observeAudits(own, observers);
  };
  const createPoolOf = otherPool ? () => observeAudits(otherPool, observers) : createOwnPool;
  const pool = settings.role === 'api' && !otherPool ? undefined : createPoolOf();
  const vault = settings.accessKeys && createVault(settings.accessKeys);
  const postgres = await openDatabase(settings);
  const connected = await openFleet(postgres, log);
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
  const join = async () => {
    // An instance with a wrong key takes no work.
    await adoptOwnKeys(store, vault, log);
    return createFleetAnalyser(connected, settings, { pool, threads, vault, log, tracePath: tracing });
  };
  // The key of a command ends with it, and must not lock the store.
  const fleet = await (isAlone ? undefined : join());
  const audited = observeWaits(fleet ?? pool ?? createOwnPool(), observers);
  const local = withStoredAccess(audited, toOpenAccess(store, vault));
  const server = toPsiServer(settings);
  const uncounted: PsiAnalyser = server
    ? createPsiAnalyser({
        server,
        threads,
        timeoutMs: settings.psiTimeoutMs,
        concurrency: settings.psiConcurrency,
        ratePerMinute: settings.psiRatePerMinute,
        sharers: fleet && (() => countCallers(fleet.fleet())),
        patience,
      })
    : createEmbeddedAnalyser({
        local,
        threads,
        host: () => new URL(baseUrl()).host,
        versions: toVersions(connected ? undefined : browser),
        keepsArtifacts: recorder.keepsArtifacts,
      });
  const analyser = observeRemotePages(uncounted, observers);
  const openedCache = await openServiceCache(connected, settings, store);
  const cache = countCacheAnswers(openedCache, metrics);
  const crux = toCrux(settings, server, log);
  const analyseRemote = createAnalyseRemote({
    policy,
    cache,
    analyser,
    recorder,
    targets: toTargetsText(settings.targets),
    crux,
  });
  const analyseLocal = createAnalyseLocal({ policy, local, threads, recorder });
  const jobs = openJobs({
    settings,
    log,
    store,
    isAlone,
    policy,
    threads,
    local,
    recorder,
    analyseRemote,
    analyseLocal,
    network: network ?? createSystemNetwork(),
    hidesInside: gates.hidesInside,
    isRemote: analyser.kind !== 'embedded',
    vault,
    takes: toTakes(settings, analyser, pool !== undefined),
    onCallbackGivenUp: metrics.countCallbackGivenUp,
    localRoom: () => fleet?.fleet().slots || local.status().parallel_limit,
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
    arrival,
    log,
    metrics,
    policy,
    crux,
    local,
    threads,
    cache,
    store: toShownStore(store, settings, policy),
    recorder,
    tracing,
    pageLimiter: connected?.createPageLimiter(settings.rateLimit),
    analyser,
    lighthouseVersion,
    fleet: fleet?.fleet,
    machine,
    analyseRemote,
    analyseLocal,
    readSitemap: createReadSitemap({ policy, openGate: openOwnGate }),
    jobs,
    vault,
    isReady: () => ready,
    isAccepting: () => accepting,
    ending: ending.signal,
  });

  /** Resolves when no request is in progress and `also` has resolved, or after `ms`. */
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
      // The service's own lines about its addresses are more detailed than those of the framework.
      const { level } = app.log;
      app.log.level = 'silent';
      await app.listen({ host: settings.host, port: settings.port });
      app.log.level = level;
      const address = app.server.address();
      if (typeof address === 'object' && address) port = address.port;
      // A worker only audits.
      if (settings.role !== 'worker') jobs.start();
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
      // Requests that arrived in the meantime get a 503 response before their connections are closed.
      app.server.close();
      await untilQuiet(lastWordsMs);
      await app.close();
      await Promise.all([threads.close(), gateThread.close()]);
      metrics.close();
      await tracing?.close();
      openedCache.close();
      await closeRecords();
      await connected?.close();
      await postgres?.close();
    },
  };
}
