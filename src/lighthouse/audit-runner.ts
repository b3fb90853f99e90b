import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnalysisError } from '../errors.ts';
import { isLhr, type Lhr } from '../report/lhr.ts';
import { assertNoRuntimeError } from '../report/page-failure.ts';
import { firstLine, isOfThisMachine, toAuditFailure, unavailable } from './audit-failure.ts';
import { explainRefusal, type OpenEgress, unknownName } from './egress.ts';
import type { FoundBrowser } from './find-browser.ts';
import type { AuditSettings, BrowserSettings, PreparedBrowser, ReAuditOrder, WorkerOrder } from './messages.ts';
import { isSandboxRefusal, type Sandbox, type SandboxState } from './sandbox.ts';
import { WorkerFailure, WorkerHandle } from './worker-handle.ts';

/** What to measure, undefined only to try the browser, and the way out for it. */
type Task = { audit: AuditSettings | undefined; proxyUrl: string | undefined };

export type LocalMeasurement = {
  /** The Lighthouse result as JSON text, and the same parsed. */
  text: string;
  lhr: Lhr;
  /** Connections of the page that the policy for targets refused. */
  blockedRequests: number;
};

export type RunnerSettings = {
  browser: FoundBrowser | undefined;
  sandbox: Sandbox;
  openEgress: OpenEgress;
  /** From the start of a run to its kill. */
  timeoutMs: number;
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

/** When no audit is possible, what a person mends is noticed within this time. */
const retryMs = 30_000;

/** Memory and compiled code grow with every audit: a fresh process now and then costs one second. */
const maxOrdersPerWorker = 50;

const parseLhr = (text: string): Lhr => {
  const lhr: unknown = JSON.parse(text);
  if (!isLhr(lhr)) throw new AnalysisError('lighthouse_unavailable', 'Lighthouse gave a result of an unknown shape.');
  assertNoRuntimeError(lhr, 'lighthouse_unavailable');
  return lhr;
};

/** Runs one audit after the other on workers that are kept while healthy; the caller sees to how many at once. */
export function createAuditRunner({ browser, sandbox, openEgress, timeoutMs, log }: RunnerSettings) {
  const resting: WorkerHandle[] = [];
  /** Runs whose processes and folder are not gone yet: a close waits for them. */
  const uncleared = new Set<Promise<void>>();
  const stopping = new AbortController();
  /** Whether the last attempt to get a browser going failed; what a page does is no reason. */
  let isBroken = false;
  let nextTry: NodeJS.Timeout | undefined;

  async function startWorker(): Promise<WorkerHandle> {
    const { user } = sandbox.plan();
    try {
      return await WorkerHandle.start(user);
    } catch (error) {
      if (user && error instanceof WorkerFailure && sandbox.loseUser(firstLine(error.message))) return startWorker();
      throw error;
    }
  }

  async function takeWorker(): Promise<WorkerHandle> {
    const worker = resting.pop();
    if (worker?.isUsable) return worker;
    return worker ? takeWorker() : startWorker();
  }

  /** Ends the order's browser and folder; keeps the worker unless there is any doubt about it. */
  async function putAway(worker: WorkerHandle, folder: string, trusted: boolean): Promise<void> {
    if (trusted) await worker.whenIdle();
    if (trusted && worker.isUsable && worker.orders < maxOrdersPerWorker) resting.push(worker);
    else await worker.kill();
    await removeFolder(folder);
  }

  async function removeFolder(folder: string): Promise<void> {
    try {
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    } catch (error) {
      log('an audit left its folder behind', { folder, err: error });
    }
  }

  async function makeFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'rangelight-audit-'));
    const { user } = sandbox.plan();
    if (user) await chown(folder, user.uid, user.gid);
    return folder;
  }

  async function prepareBrowser(): Promise<PreparedBrowser> {
    if (!browser) throw unavailable('no Chrome or Chromium was found; set CHROME_PATH');
    try {
      return await browser.prepare();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw unavailable(`the browser is not ready (${firstLine(reason)})`, error);
    }
  }

  /** Until the returned function is called, a close waits. */
  function expectToClear(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    uncleared.add(promise);
    return () => {
      uncleared.delete(promise);
      resolve();
    };
  }

  /** One order on one worker, in a folder of its own; both are put away whatever comes of it. */
  async function runOnce(
    order: Omit<WorkerOrder, 'folder'>,
    signal: AbortSignal,
    onCleared: () => void,
  ): Promise<string> {
    const gone = expectToClear();
    const folder = await makeFolder();
    const worker = await takeWorker().catch(async error => {
      await removeFolder(folder).then(gone);
      throw error;
    });
    if (!order.browser.sandbox) log('audit without sandbox', { worker: worker.pid });
    const outcome = await worker.run({ ...order, folder }, AbortSignal.any([signal, stopping.signal])).then(
      lhr => ({ lhr }),
      (error: unknown) => ({ error }),
    );
    const cleared = putAway(worker, folder, 'lhr' in outcome).then(gone);
    if ('lhr' in outcome) {
      void cleared.then(onCleared);
      return outcome.lhr;
    }
    await cleared;
    throw outcome.error;
  }

  /** In a browser with the sandbox as planned; once more without it where that is allowed. */
  async function runSandboxed({ audit, proxyUrl }: Task, signal: AbortSignal, onCleared: () => void): Promise<string> {
    const prepared = await prepareBrowser();
    const { sandbox: isSandboxed } = sandbox.plan();
    try {
      const lhr = await runOnce({ audit, browser: { ...prepared, sandbox: isSandboxed, proxyUrl } }, signal, onCleared);
      sandbox.confirm();
      return lhr;
    } catch (error) {
      const isRefused = isSandboxed && error instanceof WorkerFailure && isSandboxRefusal(error.message);
      if (isRefused && sandbox.loseSandbox('the kernel refused it'))
        return runSandboxed({ audit, proxyUrl }, signal, onCleared);
      throw error;
    }
  }

  /** Remembers whether audits are possible at all: readiness depends on it, and it mends itself. */
  async function carryOut(task: Task, signal: AbortSignal, onCleared: () => void): Promise<string> {
    try {
      const lhr = await runSandboxed(task, signal, onCleared);
      isBroken = false;
      return lhr;
    } catch (error) {
      if (isOfThisMachine(error)) {
        isBroken = true;
        clearTimeout(nextTry);
        nextTry = setTimeout(() => void warmUp(), retryMs).unref();
      }
      throw error;
    }
  }

  async function measure(audit: AuditSettings, caller: AbortSignal, onCleared: () => void): Promise<LocalMeasurement> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const egress = await openEgress(audit.url).catch(error => {
      throw unknownName(error);
    });
    try {
      const task = { audit, proxyUrl: egress.proxyUrl };
      const text = await carryOut(task, AbortSignal.any([caller, deadline]), onCleared);
      return { text, lhr: parseLhr(text), blockedRequests: egress.blocked };
    } catch (error) {
      caller.throwIfAborted();
      if (deadline.aborted)
        throw new AnalysisError(
          'lighthouse_timeout',
          `The audit did not end within ${timeoutMs / 1000} s and was stopped.`,
        );
      if (!(error instanceof WorkerFailure)) throw error;
      throw explainRefusal(egress, error.url ?? audit.url) ?? toAuditFailure(error);
    } finally {
      egress.close();
    }
  }

  /** Starts a browser and ends it again: whether that works is then known. Never throws. */
  async function warmUp(): Promise<void> {
    try {
      await carryOut({ audit: undefined, proxyUrl: undefined }, AbortSignal.timeout(timeoutMs), () => {});
    } catch (error) {
      if (!stopping.signal.aborted) log('local audits are not possible', { err: error });
    }
  }

  return {
    start(audit: AuditSettings, signal: AbortSignal): Run<LocalMeasurement> {
      const cleared = Promise.withResolvers<void>();
      const result = measure(audit, signal, cleared.resolve);
      result.catch(() => cleared.resolve());
      return { result, cleared: cleared.promise };
    },

    /** Audits kept artifacts again, without a browser; gives a list of `ReAuditResult` as JSON text. */
    startAgain(reAudit: ReAuditOrder, signal: AbortSignal): Run<string> {
      const cleared = Promise.withResolvers<void>();
      const result = runOnce({ audit: undefined, reAudit, browser: noBrowser }, signal, cleared.resolve);
      result.catch(() => cleared.resolve());
      return { result, cleared: cleared.promise };
    },

    /** Folders that a worker may write to and that outlive its audit. */
    makeFolder,
    removeFolder,

    warmUp,

    status: (): { available: boolean; browser: string | null; sandbox: SandboxState } => ({
      available: browser !== undefined && sandbox.state !== 'unavailable' && !isBroken,
      browser: browser?.description ?? null,
      sandbox: sandbox.state,
    }),

    async close(): Promise<void> {
      clearTimeout(nextTry);
      stopping.abort(new AnalysisError('shutting_down', 'The service is shutting down.'));
      await Promise.all(uncleared);
      await Promise.all(resting.splice(0).map(worker => worker.kill()));
    },
  };
}
