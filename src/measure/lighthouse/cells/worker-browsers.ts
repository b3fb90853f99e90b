import { findOwnGroup, killGroup } from './process-facts.ts';

/** Remembers a process beyond our own death; the returned function forgets it. */
export type NoteProcess = (pid: number) => () => void;

type OwnBrowser = { pid: number; identity: string; forget: () => void };

/** The browsers of one worker, as far as it says and the system confirms. */
export type WorkerBrowsers = {
  /** Whether one waits for the next order. */
  readonly hasSpare: boolean;
  /** The worker says that this is the browser of its order. */
  started(pid: number): void;
  spareStarted(pid: number): void;
  /** The worker says that the browser of its order has ended. */
  ended(): void;
  kill(): void;
};

function killBrowser({ pid, identity, forget }: OwnBrowser): void {
  killGroup(pid, identity);
  forget();
}

/** @param onForeign the worker named a process that is not its own */
export function createWorkerBrowsers(
  workerPid: number | undefined,
  settings: { noteProcess: NoteProcess; onBrowserStart?: (() => void) | undefined },
  onForeign: (pid: number) => void,
): WorkerBrowsers {
  let current: OwnBrowser | undefined;
  let spare: OwnBrowser | undefined;

  /** Its number is used to kill with, so it has to be the worker's own. */
  const remember = (pid: number, known: OwnBrowser | undefined): OwnBrowser | undefined => {
    const found = workerPid && !known ? findOwnGroup(pid, workerPid) : 'foreign';
    if (found === 'foreign') onForeign(pid);
    if (found === 'foreign' || found === 'gone') return undefined;
    settings.onBrowserStart?.();
    return { pid, identity: found.identity, forget: settings.noteProcess(pid) };
  };

  return {
    get hasSpare() {
      return spare !== undefined;
    },
    started(pid) {
      const waiting = spare;
      spare = undefined;
      if (waiting?.pid === pid && !current) {
        current = waiting;
        return;
      }
      // It has ended the spare one itself, unless it lies.
      if (waiting) killBrowser(waiting);
      current = remember(pid, current);
    },
    spareStarted(pid) {
      // It has ended the one before itself, unless it lies.
      if (spare) killBrowser(spare);
      spare = remember(pid, undefined);
    },
    ended() {
      current?.forget();
      current = undefined;
    },
    kill() {
      for (const browser of [current, spare]) if (browser) killBrowser(browser);
      current = undefined;
      spare = undefined;
    },
  };
}
