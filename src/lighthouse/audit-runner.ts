import { tmpdir } from 'node:os';
import { AnalysisError, fromPlainError } from '../errors.ts';
import type { Failed } from '../threads/tasks.ts';
import { firstLine, isWorthAnotherTry, stopsEveryAudit, toAuditFailure, unavailable } from './audit-failure.ts';
import { createAuditFolders } from './audit-folders.ts';
import { type LimitChanges, toLimits } from './audit-limits.ts';
import type { FoundBrowser } from './browser/find-browser.ts';
import { isSandboxRefusal, type Sandbox, type SandboxState } from './browser/sandbox.ts';
import { type Egress, explainFailure, explainOpening, type OpenEgress } from './egress.ts';
import { createMachineLoad } from './machine-load.ts';
import type {
  AuditSettings,
  BrowserSettings,
  OnStage,
  PreparedBrowser,
  ReAuditOrder,
  ReAuditResult,
} from './messages.ts';
import { orAbort } from './or-abort.ts';
import type { ReadPage } from './read-page.ts';
import { readReAuditResults } from './reply-schema.ts';
import { WorkerFailure } from './worker-handle.ts';
import { createWorkers, type Done, type Read } from './workers.ts';

/** What to measure, undefined only to try the browser, how its answer is read, and the way out for it. */
type Task<T> = {
  audit: AuditSettings | undefined;
  read: Read<T>;
  proxyUrl: string | undefined;
  onStage?: OnStage | undefined;
};

/** What may end a run early. */
type Limits = { client: AbortSignal; deadline: AbortSignal; onStage: OnStage | undefined };

/** What to measure, and what to make of it. */
export type AuditOrder<T> = { audit: AuditSettings; readPage: ReadPage<T> };

export type RunnerSettings = {
  browser: FoundBrowser | undefined;
  sandbox: Sandbox;
  openEgress: OpenEgress;
  /** Stand in every result. */
  machineId: string;
  processors: number;
  /** From the start of a run to its kill. */
  timeoutMs: number;
  /** Where tests wait less than usual. */
  limits?: LimitChanges | undefined;
  /** What a worker process runs, where it is not our own worker. */
  workerProgram?: string | undefined;
  /** An audit is worth a line: it says which worker, and that it ran without a sandbox. */
  log: (event: string, facts: Record<string, unknown>) => void;
};

type Run<T> = {
  result: Promise<T>;
  /** Settles when the run's processes and folder are gone. Never rejects. */
  cleared: Promise<void>;
};

/** For an order that starts none. */
const noBrowser: BrowserSettings = { executablePath: '', env: {}, sandbox: true, proxyUrl: undefined };

const readNothing: Read<undefined> = ({ text }) => {
  if (text !== '') throw new Error('there was nothing to measure');
};

const isFailed = (page: object): page is Failed => 'failure' in page;

const timedOut = (timeoutMs: number) =>
  new AnalysisError('lighthouse_timeout', `The audit did not end within ${timeoutMs / 1000} s and was killed.`);

/** Runs audits, each in a browser and with a way out of its own; the client sees to how many at once. */
export function createAuditRunner({ browser, sandbox, openEgress, timeoutMs, log, ...settings }: RunnerSettings) {
  const limits = toLimits(settings.limits);
  const machine = createMachineLoad();
  const folders = createAuditFolders(tmpdir(), log);
  const workers = createWorkers({ sandbox, folders, limits, program: settings.workerProgram, log });
  /** Whether the last attempt to get a browser going failed; what a page does is no reason. */
  let isBroken = false;
  const closing = new AbortController();
  let nextTry: NodeJS.Timeout | undefined;

  async function prepareBrowser(signal: AbortSignal): Promise<PreparedBrowser> {
    if (!browser) throw unavailable('no Chrome or Chromium was found; set CHROME_PATH');
    try {
      return await orAbort(browser.prepare(), signal);
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      throw unavailable(`the browser is not ready (${firstLine(reason)})`, error);
    }
  }

  /** In a browser with the sandbox as planned; once more without it where that is allowed. */
  async function runSandboxed<T>(task: Task<T>, signal: AbortSignal): Promise<Done<T>> {
    const prepared = await prepareBrowser(signal);
    const { sandbox: isSandboxed } = sandbox.plan();
    const { audit, read, proxyUrl, onStage } = task;
    try {
      const order = { audit, browser: { ...prepared, sandbox: isSandboxed, proxyUrl } };
      const done = await workers.carryOut(order, read, signal, onStage);
      sandbox.confirm();
      return done;
    } catch (error) {
      const isRefused =
        isSandboxed && error instanceof WorkerFailure && error.during === 'launch' && isSandboxRefusal(error.message);
      if (isRefused && sandbox.loseSandbox('the kernel refused it')) return runSandboxed(task, signal);
      throw error;
    }
  }

  /** Remembers whether audits are possible at all: readiness depends on it, and it mends itself. */
  async function carryOut<T>(task: Task<T>, signal: AbortSignal): Promise<Done<T>> {
    try {
      const done = await runSandboxed(task, signal);
      isBroken = false;
      return done;
    } catch (error) {
      // Without a page there is nothing but this machine to be the reason.
      const isOfMachine = stopsEveryAudit(error) || task.audit === undefined;
      if (isOfMachine && !closing.signal.aborted) {
        isBroken = true;
        clearTimeout(nextTry);
        nextTry = setTimeout(() => void tryBrowser(), limits.retryMs).unref();
      }
      throw error;
    }
  }

  /** What ended an attempt, in our codes. */
  function explain(
    error: unknown,
    { url, egress, isLate }: { url: string; egress: Egress | undefined; isLate: boolean },
  ): unknown {
    if (error instanceof WorkerFailure)
      return egress ? explainFailure(egress, error.url ?? url, toAuditFailure(error)) : toAuditFailure(error);
    if (isLate) return timedOut(timeoutMs);
    return egress ? explainFailure(egress, url, error) : explainOpening(error);
  }

  /** One audit; a failure is thrown once all of it is cleared away. */
  async function attempt<T extends object>(
    order: AuditOrder<T>,
    { client, deadline, onStage }: Limits,
  ): Promise<Done<T>> {
    const { url } = order.audit;
    const ends = AbortSignal.any([client, deadline, closing.signal]);
    const load = machine.begin();
    let egress: Egress | undefined;
    try {
      const way = await openEgress(url, ends);
      egress = way;
      const read: Read<T | Failed> = async ({ text, benchmarkIndex }) => {
        const { machineId, processors } = settings;
        const conditions = { ...load.end(benchmarkIndex), blockedRequests: way.blocked, machineId, processors };
        const page = await order.readPage(Buffer.from(text), conditions);
        if (isFailed(page) && page.isNonsense) throw new Error('Lighthouse gave a result of an unknown shape');
        return page;
      };
      const audit = load.benchmarkIndex ? { ...order.audit, benchmarkIndex: load.benchmarkIndex } : order.audit;
      const task = { audit, read, proxyUrl: way.proxyUrl, onStage };
      const { value, cleared } = await carryOut(task, AbortSignal.any([ends, way.exhausted]));
      if (!isFailed(value)) return { value, cleared };
      await cleared;
      throw fromPlainError(value.failure);
    } catch (error) {
      client.throwIfAborted();
      throw explain(error, { url, egress, isLate: deadline.aborted });
    } finally {
      load.end();
      egress?.close();
    }
  }

  /** Retries once, in a fresh browser and within the same deadline, where a failure may well be chance. */
  async function measure<T extends object>(
    order: AuditOrder<T>,
    client: AbortSignal,
    onStage?: OnStage,
  ): Promise<Done<T>> {
    const limits = { client, deadline: AbortSignal.timeout(timeoutMs), onStage };
    try {
      return await attempt(order, limits);
    } catch (error) {
      if (!isWorthAnotherTry(error) || limits.deadline.aborted) throw error;
      log('an audit is retried', { err: error });
      return attempt(order, limits);
    }
  }

  /** Starts a browser and ends it: whether that works is then known. Never throws. */
  async function tryBrowser(): Promise<void> {
    sandbox.reconsider();
    try {
      const task = { audit: undefined, read: readNothing, proxyUrl: undefined };
      await carryOut(task, AbortSignal.any([AbortSignal.timeout(timeoutMs), closing.signal]));
    } catch (error) {
      if (!closing.signal.aborted) log('local audits are not possible', { err: error });
    }
  }

  return {
    start<T extends object>(order: AuditOrder<T>, signal: AbortSignal, onStage?: OnStage): Run<T> {
      const run = measure(order, signal, onStage);
      return {
        result: run.then(({ value }) => value),
        cleared: run.then(({ cleared }) => cleared).catch(() => {}),
      };
    },

    /** Audits kept artifacts again, without a browser. */
    startAgain(reAudit: ReAuditOrder, signal: AbortSignal): Run<ReAuditResult[]> {
      const read: Read<ReAuditResult[]> = ({ text }) => readReAuditResults(text, reAudit.settings.length);
      const run = workers.carryOut({ audit: undefined, reAudit, browser: noBrowser }, read, signal);
      return {
        result: run.then(({ value }) => value),
        cleared: run.then(({ cleared }) => cleared).catch(() => {}),
      };
    },

    /** A folder that a worker may write to and that outlives its audit; undefined when there is no room. */
    makeFolder: async (): Promise<string> => folders.create(sandbox.plan().user),
    removeFolder: folders.remove,

    /** Removes what a service that was killed has left behind, and finds out whether there can be audits. Never throws. */
    async warmUp(): Promise<void> {
      await folders.sweep();
      await tryBrowser();
    },

    status: (): { available: boolean; browser: string | null; sandbox: SandboxState } => ({
      available: browser !== undefined && sandbox.state !== 'unavailable' && !isBroken,
      browser: browser?.description ?? null,
      sandbox: sandbox.state,
    }),

    async close(): Promise<void> {
      clearTimeout(nextTry);
      closing.abort(new AnalysisError('shutting_down', 'The service is shutting down.'));
      await workers.close(closing.signal.reason);
      await folders.close();
    },
  };
}
