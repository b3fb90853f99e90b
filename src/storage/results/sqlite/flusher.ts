/** Syncs the log to the disk after a pause in writing. */
import { type FileHandle, open } from 'node:fs/promises';

/** Delay of the sync, long enough to combine related writes, short enough to lose almost nothing in a power cut. */
const syncAfterMs = 200;
/** Idle time after which the log is moved into the file. This blocks the thread, so it waits for a longer pause. */
const flushAfterMs = 2000;

export type Flusher = {
  /** Reports that something was written, or is about to be. */
  written(): void;
  stop(): void;
};

/** Syncs the log while the thread continues. Closing this file descriptor releases no lock of SQLite. */
async function syncLog(path: string): Promise<void> {
  let log: FileHandle | undefined;
  try {
    log = await open(`${path}-wal`, 'r');
    await log.datasync();
  } catch {
    // The log may be missing. The next write will report the same fault, because commits go to the log.
  } finally {
    await log?.close().catch(() => {});
  }
}

/**
 * @param path path of a file that outlives the process
 * @param flush moves the log into the file, which blocks the thread
 */
export function createFlusher({ path, flush }: { path: string | undefined; flush: () => void }): Flusher {
  let syncing: NodeJS.Timeout | undefined;
  let flushing: NodeJS.Timeout | undefined;

  const tryFlush = (): void => {
    try {
      flush();
    } catch {
      // The next write will report the same fault.
    }
  };
  const stop = (): void => {
    clearTimeout(syncing);
    clearTimeout(flushing);
  };

  return {
    stop,
    written() {
      stop();
      if (path !== undefined) syncing = setTimeout(() => void syncLog(path), syncAfterMs);
      flushing = setTimeout(tryFlush, flushAfterMs);
    },
  };
}
