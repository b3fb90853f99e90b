/** Brings to the disk what was written, when nothing was written for a while. */
import { type FileHandle, open } from 'node:fs/promises';

/** Long enough for what belongs together, short enough for a power cut to take next to nothing. */
const syncAfterMs = 200;
/** What works without a pause writes sooner: it would wait for the log to be moved, and for the disk meanwhile. */
const flushAfterMs = 2000;

export type Flusher = {
  /** Something was, or is about to be. */
  written(): void;
  stop(): void;
};

/** Has the disk take the log while the thread continues. SQLite holds no lock on it that closing it would release. */
async function syncLog(path: string): Promise<void> {
  let log: FileHandle | undefined;
  try {
    log = await open(`${path}-wal`, 'r');
    await log.datasync();
  } catch {
    // It may be gone. What is committed is in the log; the next write meets the same fault, and says so.
  } finally {
    await log?.close().catch(() => {});
  }
}

/**
 * @param path of a file that outlives the process. @param flush moves the log into the file: the thread waits for it
 */
export function createFlusher({ path, flush }: { path: string | undefined; flush: () => void }): Flusher {
  let syncing: NodeJS.Timeout | undefined;
  let flushing: NodeJS.Timeout | undefined;

  const tryFlush = (): void => {
    try {
      flush();
    } catch {
      // As above.
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
