import { findOwnGroup, killGroup } from './process-facts.ts';

/**
 * Records a process, so that the next service can end it if this one is killed.
 * @returns a function that removes the record
 */
export type NoteProcess = (pid: number) => () => void;

type OwnBrowser = { pid: number; identity: string; forget: () => void };

function killBrowser({ pid, identity, forget }: OwnBrowser): void {
  killGroup(pid, identity);
  forget();
}

/**
 * Browsers of one worker: it reports them, and the system confirms them.
 * @param onForeign called if the worker reported a process that is not its own */
export function createWorkerBrowsers(
  workerPid: number | undefined,
  settings: { noteProcess: NoteProcess; onBrowserStart?: (() => void) | undefined },
  onForeign: (pid: number) => void,
) {
  let current: OwnBrowser | undefined;
  let spare: OwnBrowser | undefined;
  let login: OwnBrowser | undefined;

  /** Checks that the process belongs to the worker, because its group may be killed later. */
  const remember = (pid: number, known: OwnBrowser | undefined): OwnBrowser | undefined => {
    const found = workerPid && !known ? findOwnGroup(pid, workerPid) : 'foreign';
    if (found === 'foreign') onForeign(pid);
    if (found === 'foreign' || found === 'gone') return undefined;
    settings.onBrowserStart?.();
    return { pid, identity: found.identity, forget: settings.noteProcess(pid) };
  };

  return {
    /** Whether a spare browser waits for the next order. */
    get hasSpare(): boolean {
      return spare !== undefined;
    },
    /** Called when the worker reports the browser of its order. */
    started(pid: number): void {
      const waiting = spare;
      spare = undefined;
      if (waiting?.pid === pid && !current) {
        current = waiting;
        return;
      }
      // An honest worker has already ended its spare browser.
      if (waiting) killBrowser(waiting);
      current = remember(pid, current);
    },
    /** Called when the worker reports the browser that logs in, which ends before the page is loaded. */
    loginStarted(pid: number): void {
      login = remember(pid, login);
    },
    spareStarted(pid: number): void {
      // An honest worker has already ended the previous one.
      if (spare) killBrowser(spare);
      spare = remember(pid, undefined);
    },
    /** Called when the worker reports that the browser of its order has ended. */
    ended(): void {
      for (const browser of [current, login]) browser?.forget();
      current = undefined;
      login = undefined;
    },
    kill(): void {
      for (const browser of [current, spare, login]) if (browser) killBrowser(browser);
      current = undefined;
      spare = undefined;
      login = undefined;
    },
  };
}
export type WorkerBrowsers = ReturnType<typeof createWorkerBrowsers>;
