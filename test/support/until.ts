/** Waits for what tells nobody that it has happened: a slot that is free again, a file that is written beside an answer. */
import { setTimeout as delay } from 'node:timers/promises';

/** Between two looks: who looks all the time takes the processor from what it waits for. */
const pauseMs = 20;

/** Longer than any wait that succeeds: a test that hangs fails here, with its own lines in the stack. */
const deadlineMs = 600_000;

/** Looks until it is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Not so after ${deadlineMs / 1000} s: ${isSo}`);
    await delay(pauseMs);
  }
}

/** Reads until the value is the wanted one, and gives that. */
export async function readUntil<T>(read: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    await delay(pauseMs);
  }
}
