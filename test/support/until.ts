/** Waits for changes without an event: a slot that is free again, a file that is written alongside an answer. */
import { setTimeout as delay } from 'node:timers/promises';

/** Pause between two checks: checking without a pause would take CPU time from the work under test. */
const pauseMs = 20;

/** Longer than any wait that succeeds, so that a test that hangs fails here with its own lines in the stack. */
const deadlineMs = 600_000;

/** Checks until the condition holds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Not so after ${deadlineMs / 1000} s: ${isSo}`);
    await delay(pauseMs);
  }
}

/** Reads until the value is the wanted one, and returns it. */
export async function readUntil<T>(read: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    await delay(pauseMs);
  }
}
