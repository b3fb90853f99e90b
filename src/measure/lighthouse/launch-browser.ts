import { orAbort } from '../fair-turns.ts';
import { firstLine, unavailable } from './audit-failure.ts';
import type { FoundBrowser } from './browser/find-browser.ts';
import { noBrowserHere } from './browser/installed-browser.ts';
import { isSandboxRefusal, type Sandbox } from './browser/sandbox.ts';
import type { PreparedBrowser } from './messages.ts';
import type { WantedBrowser } from './worker-processes/browser-base.ts';
import { WorkerFailure } from './worker-processes/worker-process.ts';

/**
 * Tracks whether local audits are possible: whether the last browser start succeeded. Failures of a page do not count.
 * A while after a failed start, it tries again.
 */
export function createReadiness({ retryMs, tryAgain }: { retryMs: number; tryAgain: () => Promise<void> }) {
  let isBroken = false;
  let isClosed = false;
  let nextTry: NodeJS.Timeout | undefined;

  return {
    get isBroken(): boolean {
      return isBroken;
    },
    /** @param isOfMachine returns whether this machine, rather than the page, caused a failure */
    async learnFrom<T>(work: Promise<T>, isOfMachine: (error: unknown) => boolean): Promise<T> {
      try {
        const done = await work;
        isBroken = false;
        return done;
      } catch (error) {
        if (isOfMachine(error) && !isClosed) {
          isBroken = true;
          clearTimeout(nextTry);
          nextTry = setTimeout(() => void tryAgain(), retryMs).unref();
        }
        throw error;
      }
    },
    close(): void {
      isClosed = true;
      clearTimeout(nextTry);
    },
  };
}

/** Runs work that starts a browser: with the sandbox as planned, then again without it if that is allowed. */
export function createLaunch(browser: FoundBrowser | undefined, sandbox: Sandbox) {
  /** @throws AnalysisError `lighthouse_unavailable`; the signal's reason */
  async function prepare(signal: AbortSignal): Promise<PreparedBrowser> {
    if (!browser) throw unavailable(noBrowserHere());
    try {
      return await orAbort(browser.prepare(), signal);
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      throw unavailable(`the browser is not ready (${firstLine(reason)})`, error);
    }
  }

  return async function launch<T>(work: (wanted: WantedBrowser) => Promise<T>, signal: AbortSignal): Promise<T> {
    const prepared = await prepare(signal);
    const { sandbox: isSandboxed } = sandbox.plan();
    try {
      const done = await work({ ...prepared, sandbox: isSandboxed });
      sandbox.confirm();
      return done;
    } catch (error) {
      const isRefused =
        isSandboxed && error instanceof WorkerFailure && error.during === 'launch' && isSandboxRefusal(error.message);
      if (isRefused && sandbox.loseSandbox('the kernel refused it')) return launch(work, signal);
      throw error;
    }
  };
}
