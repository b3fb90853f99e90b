import { tmpdir } from 'node:os';
import { AnalysisError, fromPlainError } from '../../contract/errors.ts';
import type { LeftOut } from '../../contract/result/environment.ts';
import type { Egress } from '../egress/egress-proxy.ts';
import type { Failed } from '../lhr/measured.ts';
import { toChromeUrl } from '../targets/page-url.ts';
import { isLessTelling, isWorthAnotherTry, stopsEveryAudit, toAuditFailure, withoutPaths } from './audit-failure.ts';
import { type LimitChanges, toLeftOut, toLimits } from './audit-limits.ts';
import type { FoundBrowser } from './browser/find-browser.ts';
import { noBrowserHere } from './browser/installed-browser.ts';
import type { Sandbox, SandboxState } from './browser/sandbox.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { explainFailure, explainOpening, type OpenGate } from './egress.ts';
import { createAuditFolders } from './folders/audit-folders.ts';
import { createLaunch, createReadiness } from './launch-browser.ts';
import { createMachineLoad, type OwnLoad } from './machine-load.ts';
import { type AuditSettings, isCalibrated, type OnStage, type ReAuditOrder, type TimedAudit } from './messages.ts';
import { createPhases, type Phase } from './phases.ts';
import type { ReadPage } from './read-page.ts';
import { findTrustedHosts, ownNamesOf, takeClientCertificate } from './trusted-hosts.ts';
import { createWakefulPages } from './wakeful-pages.ts';
import type { WantedBrowser } from './worker-processes/browser-base.ts';
import {
  type BrowserCell,
  type CellTask,
  createCells,
  type Done,
  type ReadWorkerResult,
} from './worker-processes/browser-cells.ts';
import type { CompiledCode } from './worker-processes/compiled-code.ts';
import { WorkerFailure } from './worker-processes/worker-process.ts';
import { createWorkers } from './worker-processes/workers.ts';

/** Options of a run, and the signals that can end it early. */
type Limits = RunOptions & { client: AbortSignal; deadline: Deadline };

/** A page to measure, and the function that reads its result. */
export type AuditOrder<T> = { audit: AuditSettings; readPage: ReadPage<T> };

export type RunnerSettings = {
  browser: FoundBrowser | undefined;
  sandbox: Sandbox;
  openGate: OpenGate;
  /** Max number of parallel page loads. An undisturbed load needs two CPUs. */
  loadsAtOnce: number;
  /** Whether the browser of the next audit is started in advance. */
  hasSpare?: boolean | undefined;
  /** Id of the machine in every result. */
  machineId: string;
  processors: number;
  /** Time from the start of a run until it is killed. */
  timeoutMs: number;
  /** Shorter limits for tests. */
  limits?: LimitChanges | undefined;
  /** Skips the full-page screenshot in tests that do not need it. */
  withoutFullPageScreenshot?: boolean | undefined;
  /** Fixed benchmark index for tests that do not need a measurement. */
  benchmarkIndex?: number | undefined;
  compiledCode?: CompiledCode | undefined;
  /** Called for each started browser, including spare ones. */
  onBrowserStart?: (() => void) | undefined;
  /** Called for each folder that an audit could not remove, and for each that an earlier service left behind. */
  onLeftover?: (() => void) | undefined;
  /** Program of worker processes, if it is not the default worker. */
  workerProgram?: string | undefined;
  /** Writes to the log about an audit: its worker, and whether it ran without a sandbox. */
  log: (event: string, facts: Record<string, unknown>) => void;
};

export type RunOptions = {
  /**
   * Whether no other audit of this service runs during the load. The wait for that does not count towards the time
   * limit.
   */
  isAlone?: boolean | undefined;
  onStage?: OnStage | undefined;
};

type AuditRun<T> = {
  result: Promise<T>;
  /** Settles when the run's processes and folder are removed. Never rejects. */
  cleared: Promise<void>;
};

/** Returns the order for the worker, with facts about the machine and without unneeded artifacts. */
const toWorkerAudit = (
  audit: AuditSettings,
  { benchmarkIndex, quietIndices }: OwnLoad,
  totalMs: number,
  leftOut: readonly LeftOut[],
  tests: Pick<RunnerSettings, 'benchmarkIndex' | 'withoutFullPageScreenshot'>,
): TimedAudit => {
  const { benchmarkIndex: given } = tests;
  const index = benchmarkIndex ?? given;
  const knownIndices = given === undefined ? quietIndices : [given, given, given];
  const withoutScreenshot = tests.withoutFullPageScreenshot || leftOut.includes('full_page_screenshot');
  return {
    ...audit,
    url: toChromeUrl(audit.url),
    totalMs,
    ...(index === undefined ? {} : { benchmarkIndex: index }),
    ...(isCalibrated(audit) ? { knownIndices } : {}),
    ...(withoutScreenshot ? { withoutFullPageScreenshot: true } : {}),
    ...(leftOut.includes('other_axe_rules') ? { withoutOtherAxeRules: true } : {}),
  };
};

const toRun = <T>(run: Promise<Done<T>>): AuditRun<T> => ({
  result: run.then(({ value }) => value),
  cleared: run.then(({ cleared }) => cleared).catch(() => {}),
});

const isFailed = (page: object): page is Failed => 'failure' in page;

const timedOut = (timeoutMs: number) =>
  new AnalysisError('lighthouse_timeout', `The audit did not finish within ${timeoutMs / 1000} s and was stopped.`);

/**
 * Runs audits, each in its own browser with its own network access. The caller limits how many run at the same time.
 */
export function createAuditRunner({ browser, sandbox, openGate, timeoutMs, log, ...settings }: RunnerSettings) {
  const limits = toLimits(settings.limits);
  const machine = createMachineLoad();
  const phases = createPhases(settings.loadsAtOnce);
  const { compiledCode, onBrowserStart, onLeftover } = settings;
  const folders = createAuditFolders(tmpdir(), log, { onLeftover });
  const workers = createWorkers({
    sandbox,
    folders,
    limits,
    compiledCode,
    onBrowserStart,
    program: settings.workerProgram,
    log,
  });
  const { hasSpare = false } = settings;
  const cells = createCells({ workers, folders, openGate, sandbox, limits, hasSpare, log });
  const launch = createLaunch(browser, sandbox);
  const readiness = createReadiness({ retryMs: limits.retryMs, tryAgain: () => tryBrowser() });
  const closing = new AbortController();
  const wakeful = createWakefulPages();

  /** Opens network access to the page, and measures it. */
  async function runIn<T>(
    cell: BrowserCell,
    task: CellTask<T>,
    signal: AbortSignal,
    { onOpen, enter }: { onOpen: (egress: Egress) => void; enter: (phase: Phase) => Promise<void> },
  ) {
    let egress: Egress;
    const { audit: asked, clientCertificate } = takeClientCertificate(task.audit);
    try {
      // Starting a browser takes half a second of processor time.
      if (!cell.isStarted) await enter('compute');
      const { url: startUrl, hosts } = task.audit;
      egress = await cell.gate.open({ startUrl, hosts, clientCertificate, signal });
    } catch (error) {
      await cells.discard(cell);
      throw error;
    }
    onOpen(egress);
    const ends = AbortSignal.any([signal, egress.exhausted]);
    if (!asked.certificates) return cells.run(cell, { ...task, audit: asked }, ends);
    const trustedHosts = await findTrustedHosts(cell.gate.proxyUrl, asked, ends);
    const audit = { ...asked, ownNames: ownNamesOf(asked), trustedHosts };
    return cells.run(cell, { ...task, audit }, ends);
  }

  /** Converts the error that ended an attempt to the error that the client receives. */
  async function explain(
    error: unknown,
    { url, egress, isLate }: { url: string; egress: Egress | undefined; isLate: boolean },
  ): Promise<unknown> {
    if (error instanceof WorkerFailure)
      return egress ? explainFailure(egress, error.url ?? url, toAuditFailure(error)) : toAuditFailure(error);
    if (isLate) return timedOut(timeoutMs);
    return egress ? explainFailure(egress, url, error) : explainOpening(error);
  }

  /** Runs one audit; a failure is thrown after everything is cleaned up. */
  async function attempt<T extends object>(
    order: AuditOrder<T>,
    { client, deadline, isAlone = false, onStage }: Limits,
  ): Promise<Done<T>> {
    const { url, profile, categories } = order.audit;
    // An audit with PSI's settings gathers everything, as Google's server does.
    const leftOut = profile === 'psi' ? [] : toLeftOut(categories);
    const ends = AbortSignal.any([client, deadline.signal, closing.signal]);
    let pauseBrowser: ((isPaused: boolean) => void) | undefined;
    let goOn: (() => void) | undefined;
    const passage = phases.begin(isPaused => {
      pauseBrowser?.(isPaused);
      goOn?.();
      if (isPaused) void deadline.exclude(new Promise<void>(resolve => (goOn = resolve)));
    });
    const enter = (phase: Phase) => deadline.exclude(passage.enter(phase, ends));
    if (isAlone) await enter('alone');
    const load = machine.begin(isAlone);
    let egress: Egress | undefined;
    const onOpen = (opened: Egress) => {
      egress = opened;
    };
    let isMeasured = false;
    try {
      const read: ReadWorkerResult<T | Failed> = async ({ bytes, benchmarkIndex, ...facts }) => {
        const { machineId, processors } = settings;
        const { blocked: blockedRequests = 0, givenUp = [] } = (await egress?.about(url)) ?? {};
        const conditions = {
          ...facts,
          ...load.end(benchmarkIndex, facts.calibration?.measured),
          processorWait: facts.processorWait ?? null,
          ...{ blockedRequests, givenUp, machineId, processors, leftOut },
        };
        const page = await order.readPage(bytes, conditions);
        if (isFailed(page) && page.isNonsense) throw new Error('Lighthouse returned a result of an unknown shape');
        return page;
      };
      const task: CellTask<T | Failed> = {
        audit: toWorkerAudit(order.audit, load, deadline.leftMs, leftOut, settings),
        read,
        onAsk: enter,
        onRest(change) {
          if (wakeful.allows(url, change)) passage.rest(change.isAtRest, change.rest);
        },
        onPausable(pause) {
          pauseBrowser = pause;
        },
        onStage(stage) {
          // This phase starts immediately.
          if (stage === 'gathering') void passage.enter('gather', ends).catch(() => {});
          onStage?.(stage);
        },
      };
      const work = async (wanted: WantedBrowser) =>
        runIn(await cells.open(wanted, ends), task, ends, { onOpen, enter });
      const { value, cleared } = await readiness.learnFrom(launch(work, ends), stopsEveryAudit);
      if (!isFailed(value)) {
        isMeasured = true;
        // The worker may still start the browser of its next audit.
        void cleared.then(passage.leave, passage.leave);
        return { value, cleared };
      }
      await cleared;
      throw fromPlainError(value.failure);
    } catch (error) {
      client.throwIfAborted();
      throw await explain(error, { url, egress, isLate: deadline.signal.aborted });
    } finally {
      if (!isMeasured) passage.leave();
      load.end();
      egress?.close();
    }
  }

  /** Retries once, in a fresh browser and within the same deadline, if the failure may not recur. */
  async function measure<T extends object>(
    order: AuditOrder<T>,
    client: AbortSignal,
    options: RunOptions,
  ): Promise<Done<T>> {
    const deadline = createDeadline(timeoutMs);
    const limits = { ...options, client, deadline };
    try {
      return await attempt(order, limits);
    } catch (error) {
      if (!isWorthAnotherTry(error) || deadline.signal.aborted) throw error;
      log('an audit is retried', { err: error });
      return await attempt(order, limits).catch(second => {
        throw isLessTelling(second) ? error : second;
      });
    } finally {
      deadline.close();
    }
  }

  /** Starts and ends a browser, to check that this machine can run audits. Never throws. */
  async function tryBrowser(): Promise<void> {
    sandbox.reconsider();
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), closing.signal]);
      // No page is involved, so only this machine can be the cause of a failure.
      await readiness.learnFrom(
        launch(wanted => cells.prove(wanted, signal), signal),
        () => true,
      );
    } catch (error) {
      if (!closing.signal.aborted) log('local audits are not possible', { err: error });
    }
  }

  return {
    start<T extends object>(order: AuditOrder<T>, signal: AbortSignal, options: RunOptions = {}): AuditRun<T> {
      return toRun(measure(order, signal, options));
    },

    /** Carries out an order on a stored load. Its time limit starts when it no longer has to wait for page loads. */
    startAgain<T>(order: ReAuditOrder, read: ReadWorkerResult<T>, signal: AbortSignal): AuditRun<T> {
      const passage = phases.begin();
      const deadline = createDeadline(limits.reAuditMs);
      const ends = AbortSignal.any([signal, deadline.signal]);
      const run = deadline.exclude(passage.enter('compute', ends)).then(() => cells.reAudit(order, read, ends));
      const end = () => {
        deadline.close();
        passage.leave();
      };
      void run.then(end, end);
      return toRun(run);
    },

    /** Creates a folder that a worker can write to, and that outlives its audit. @throws if the disk is full */
    makeFolder: async (): Promise<string> => folders.create(sandbox.plan().user),
    removeFolder: folders.remove,

    /**
     * Removes files of killed services, compiles and unpacks files for the first audit, and checks whether audits are
     * possible. Never throws.
     */
    async warmUp(): Promise<void> {
      await Promise.all([
        folders.sweep(),
        compiledCode?.prepare(sandbox.plan().user, closing.signal),
        browser?.prepare().catch(() => {}),
      ]);
      await tryBrowser();
    },

    status: (): { available: boolean; browser: string | null; fault: string | undefined; sandbox: SandboxState } => ({
      available: browser !== undefined && sandbox.state !== 'unavailable' && !readiness.isBroken,
      browser: browser?.name ?? null,
      fault: browser ? browser.fault && withoutPaths(browser.fault) : noBrowserHere(),
      sandbox: sandbox.state,
    }),

    async close(): Promise<void> {
      readiness.close();
      closing.abort(new AnalysisError('shutting_down', 'The service is shutting down.'));
      await cells.close(closing.signal.reason);
      await folders.close();
    },
  };
}
