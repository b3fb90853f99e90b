import { tmpdir } from 'node:os';
import { AnalysisError } from '../errors.ts';
import { isLhr, type Lhr } from '../report/lhr.ts';
import { assertNoRuntimeError } from '../report/page-failure.ts';
import { firstLine, isOfThisMachine, isWorthAnotherTry, toAuditFailure, unavailable } from './audit-failure.ts';
import { createAuditFolders } from './audit-folders.ts';
import { createCrew, type Done } from './crew.ts';
import { type Egress, explainFailure, explainOpening, type OpenEgress } from './egress.ts';
import type { FoundBrowser } from './find-browser.ts';
import type { AuditSettings, BrowserSettings, PreparedBrowser, ReAuditOrder } from './messages.ts';
import { isSandboxRefusal, type Sandbox, type SandboxState } from './sandbox.ts';
import type { OnStage } from './stages.ts';
import { WorkerFailure } from './worker-handle.ts';

/** What to measure, undefined only to try the browser, and the way out for it. */
type Task = { audit: AuditSettings | undefined; proxyUrl: string | undefined; onStage?: OnStage };

/** What may end a run early. */
type Limits = { caller: AbortSignal; deadline: AbortSignal; onStage: OnStage | undefined };

export type LocalMeasurement = {
  /** The Lighthouse result as JSON text, and the same parsed. */
  text: string;
  lhr: Lhr;
  /** Connections of the page that the policy for targets refused. */
  blockedRequests: number;
};

type Measured = { measurement: LocalMeasurement; cleared: Promise<void> };

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

/** @throws AnalysisError, once the audit is cleared away, when the result is of no page */
const parseLhr = async (text: string, cleared: Promise<void>): Promise<Lhr> => {
  try {
    const lhr: unknown = JSON.parse(text);
    if (!isLhr(lhr)) throw new AnalysisError('lighthouse_unavailable', 'Lighthouse gave a result of an unknown shape.');
    assertNoRuntimeError(lhr, 'lighthouse_unavailable');
    return lhr;
  } catch (error) {
    await cleared;
    throw error;
  }
};

const tooLate = (timeoutMs: number) =>
  new AnalysisError('lighthouse_timeout', `The audit did not end within ${timeoutMs / 1000} s and was stopped.`);

/** Runs audits, each in a browser and with a way out of its own; the caller sees to how many at once. */
export function createAuditRunner({ browser, sandbox, openEgress, timeoutMs, log }: RunnerSettings) {
  const folders = createAuditFolders(tmpdir(), log);
  const crew = createCrew({ sandbox, folders, log });
  /** Whether the last attempt to get a browser going failed; what a page does is no reason. */
  let isBroken = false;
  const closing = new AbortController();
  let nextTry: NodeJS.Timeout | undefined;

  async function prepareBrowser(): Promise<PreparedBrowser> {
    if (!browser) throw unavailable('no Chrome or Chromium was found; set CHROME_PATH');
    try {
      return await browser.prepare();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw unavailable(`the browser is not ready (${firstLine(reason)})`, error);
    }
  }

  /** In a browser with the sandbox as planned; once more without it where that is allowed. */
  async function runSandboxed(task: Task, signal: AbortSignal): Promise<Done> {
    const prepared = await prepareBrowser();
    const { sandbox: isSandboxed } = sandbox.plan();
    const { audit, proxyUrl, onStage } = task;
    try {
      const done = await crew.carryOut(
        { audit, browser: { ...prepared, sandbox: isSandboxed, proxyUrl } },
        signal,
        onStage,
      );
      sandbox.confirm();
      return done;
    } catch (error) {
      const isRefused = isSandboxed && error instanceof WorkerFailure && isSandboxRefusal(error.message);
      if (isRefused && sandbox.loseSandbox('the kernel refused it')) return runSandboxed(task, signal);
      throw error;
    }
  }

  /** Remembers whether audits are possible at all: readiness depends on it, and it mends itself. */
  async function carryOut(task: Task, signal: AbortSignal): Promise<Done> {
    try {
      const done = await runSandboxed(task, signal);
      isBroken = false;
      return done;
    } catch (error) {
      if (isOfThisMachine(error)) {
        isBroken = true;
        clearTimeout(nextTry);
        if (!closing.signal.aborted) nextTry = setTimeout(() => void tryBrowser(), retryMs).unref();
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
    if (isLate) return tooLate(timeoutMs);
    return egress ? explainFailure(egress, url, error) : explainOpening(error);
  }

  /** One audit; a failure is told when nothing is left of it. */
  async function attempt(audit: AuditSettings, { caller, deadline, onStage }: Limits): Promise<Measured> {
    const ends = AbortSignal.any([caller, deadline, closing.signal]);
    let egress: Egress | undefined;
    try {
      egress = await openEgress(audit.url, ends);
      const task = { audit, proxyUrl: egress.proxyUrl, ...(onStage ? { onStage } : {}) };
      const { text, cleared } = await carryOut(task, AbortSignal.any([ends, egress.exhausted]));
      const lhr = await parseLhr(text, cleared);
      return { measurement: { text, lhr, blockedRequests: egress.blocked }, cleared };
    } catch (error) {
      caller.throwIfAborted();
      throw explain(error, { url: audit.url, egress, isLate: deadline.aborted });
    } finally {
      egress?.close();
    }
  }

  /** Tries once more, in a fresh browser and within the same deadline, where a failure may well be chance. */
  async function measure(audit: AuditSettings, caller: AbortSignal, onStage?: OnStage): Promise<Measured> {
    const limits = { caller, deadline: AbortSignal.timeout(timeoutMs), onStage };
    try {
      return await attempt(audit, limits);
    } catch (error) {
      if (!isWorthAnotherTry(error) || limits.deadline.aborted) throw error;
      log('an audit is tried again', { err: error });
      return attempt(audit, limits);
    }
  }

  /** Starts a browser and ends it again: whether that works is then known. Never throws. */
  async function tryBrowser(): Promise<void> {
    sandbox.reconsider();
    try {
      await carryOut({ audit: undefined, proxyUrl: undefined }, AbortSignal.timeout(timeoutMs));
    } catch (error) {
      if (!closing.signal.aborted) log('local audits are not possible', { err: error });
    }
  }

  return {
    start(audit: AuditSettings, signal: AbortSignal, onStage?: OnStage): Run<LocalMeasurement> {
      const run = measure(audit, signal, onStage);
      return {
        result: run.then(({ measurement }) => measurement),
        cleared: run.then(({ cleared }) => cleared).catch(() => {}),
      };
    },

    /** Audits kept artifacts again, without a browser; gives a list of `ReAuditResult` as JSON text. */
    startAgain(reAudit: ReAuditOrder, signal: AbortSignal): Run<string> {
      const run = crew.carryOut({ audit: undefined, reAudit, browser: noBrowser }, signal);
      return {
        result: run.then(({ text }) => text),
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
      await crew.close(closing.signal.reason);
      await folders.close();
    },
  };
}
