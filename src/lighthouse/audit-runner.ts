import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnalysisError } from '../errors.ts';
import { isLhr, type Lhr } from '../report/lhr.ts';
import { assertNoRuntimeError, toMachineFailure, toPageFailure } from '../report/page-failure.ts';
import type { FoundBrowser } from './find-browser.ts';
import type { AuditSettings } from './messages.ts';
import { isSandboxRefusal, type Sandbox, type SandboxState } from './sandbox.ts';
import { WorkerFailure, WorkerHandle } from './worker-handle.ts';

export type LocalMeasurement = {
  /** The Lighthouse result as JSON text, and the same parsed. */
  text: string;
  lhr: Lhr;
};

export type RunnerSettings = {
  browser: FoundBrowser | undefined;
  sandbox: Sandbox;
  /** From the start of a run to its kill. */
  timeoutMs: number;
  /** An audit is worth a line: it says which worker, and that it ran without a sandbox. */
  log: (event: string, facts: Record<string, unknown>) => void;
};

type Run = {
  result: Promise<LocalMeasurement>;
  /** Settles when the run's processes and folder are gone. Never rejects. */
  cleared: Promise<void>;
};

/** Memory and compiled code grow with every audit: a fresh process now and then costs one second. */
const maxOrdersPerWorker = 50;

const firstLine = (text: string): string =>
  text
    .split('\n')
    .find(line => line.trim() !== '')
    ?.trim() ?? 'no reason given';

const unavailable = (reason: string, cause?: unknown) =>
  new AnalysisError('lighthouse_unavailable', `Local audits are not possible here: ${reason}.`, { cause });

/** Puppeteer's words for a tab or browser that went away under a running audit. */
const isGone = (message: string): boolean =>
  /Target closed|Session closed|Connection closed|Target crashed|detached|Page crashed/i.test(message);

const toFailure = (failure: WorkerFailure): AnalysisError => {
  if (failure.during !== 'audit') return unavailable(firstLine(failure.message), failure);
  const ofPage = toPageFailure(failure.code ?? '', failure.message);
  if (ofPage) return ofPage;
  if (isGone(failure.message))
    return new AnalysisError('page_crashed', 'The browser went away while it loaded the page.', { cause: failure });
  return toMachineFailure('lighthouse_unavailable', failure.code, failure.message);
};

const parseResult = (text: string): LocalMeasurement => {
  const lhr: unknown = JSON.parse(text);
  if (!isLhr(lhr)) throw new AnalysisError('lighthouse_unavailable', 'Lighthouse gave a result of an unknown shape.');
  assertNoRuntimeError(lhr, 'lighthouse_unavailable');
  return { text, lhr };
};

/** Runs one audit after the other on workers that are kept while healthy; the caller sees to how many at once. */
export function createAuditRunner({ browser, sandbox, timeoutMs, log }: RunnerSettings) {
  const resting: WorkerHandle[] = [];
  const working = new Set<WorkerHandle>();

  async function startWorker(): Promise<WorkerHandle> {
    try {
      return await WorkerHandle.start(sandbox.plan().user);
    } catch (error) {
      if (error instanceof WorkerFailure && sandbox.loseUser(firstLine(error.message))) return startWorker();
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
    working.delete(worker);
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async function makeFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'rangelight-audit-'));
    const { user } = sandbox.plan();
    if (user) await chown(folder, user.uid, user.gid);
    return folder;
  }

  /** One order in a browser with the sandbox as planned; once more without it where that is allowed. */
  async function carryOut(
    audit: AuditSettings | undefined,
    signal: AbortSignal,
    onCleared: () => void,
  ): Promise<string> {
    if (!browser) throw unavailable('no Chrome or Chromium was found; set CHROME_PATH');
    const found = await browser.prepare().catch(error => {
      throw unavailable(`the browser is not ready (${firstLine(String(error?.message ?? error))})`, error);
    });
    const worker = await takeWorker();
    working.add(worker);
    const folder = await makeFolder();
    const plan = sandbox.plan();
    if (!plan.sandbox) log('audit without sandbox', { worker: worker.pid });
    const outcome = await worker.run({ audit, browser: { ...found, sandbox: plan.sandbox }, folder }, signal).then(
      lhr => ({ lhr }),
      (error: unknown) => ({ error }),
    );
    const cleared = putAway(worker, folder, 'lhr' in outcome).catch(error =>
      log('audit left something behind', { error }),
    );
    if ('lhr' in outcome) {
      sandbox.confirm();
      void cleared.then(onCleared);
      return outcome.lhr;
    }
    await cleared;
    const refused = outcome.error instanceof WorkerFailure && isSandboxRefusal(outcome.error.message);
    if (refused && sandbox.loseSandbox('the kernel refused it')) return carryOut(audit, signal, onCleared);
    throw outcome.error;
  }

  async function measure(audit: AuditSettings, caller: AbortSignal, onCleared: () => void): Promise<LocalMeasurement> {
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      return parseResult(await carryOut(audit, AbortSignal.any([caller, deadline]), onCleared));
    } catch (error) {
      caller.throwIfAborted();
      if (deadline.aborted)
        throw new AnalysisError(
          'lighthouse_timeout',
          `The audit did not end within ${timeoutMs / 1000} s and was stopped.`,
        );
      throw error instanceof WorkerFailure ? toFailure(error) : error;
    }
  }

  return {
    start(audit: AuditSettings, signal: AbortSignal): Run {
      const cleared = Promise.withResolvers<void>();
      const result = measure(audit, signal, cleared.resolve);
      result.catch(() => cleared.resolve());
      return { result, cleared: cleared.promise };
    },

    async warmUp(): Promise<void> {
      try {
        await carryOut(undefined, AbortSignal.timeout(timeoutMs), () => {});
      } catch (error) {
        log('local audits are not ready', { error });
      }
    },

    status: (): { available: boolean; browser: string | null; sandbox: SandboxState } => ({
      available: browser !== undefined && sandbox.state !== 'unavailable',
      browser: browser?.description ?? null,
      sandbox: sandbox.state,
    }),

    async close(): Promise<void> {
      await Promise.all([...resting.splice(0), ...working].map(worker => worker.kill()));
    },
  };
}
