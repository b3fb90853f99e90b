/**
 * Waits for changes without an event: a slot that is free again, a file that is written alongside an answer. Every wait
 * has a limit, so that a test that hangs fails with its own lines in the stack.
 */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Longer than almost any wait that succeeds. */
const usualLimitMs = 60_000;

type Wait = {
  limitMs?: number;
  /** Pause between two checks, which take CPU time from the work under test. 0 is a turn of the event loop. */
  pauseMs?: number;
  /** The condition, for the message. */
  wanted?: unknown;
};

/** Checks until the condition holds. */
export async function until(isSo: () => boolean | Promise<boolean>, wait: Wait = {}): Promise<void> {
  await readUntil(
    async () => isSo(),
    hasCome => hasCome,
    { wanted: isSo, ...wait },
  );
}

/** Reads until the value is the wanted one, and returns it. */
export async function readUntil<T>(
  read: () => Promise<T>,
  isWanted: (value: T) => boolean,
  { limitMs = usualLimitMs, pauseMs = 20, wanted = isWanted }: Wait = {},
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (performance.now() > end)
      throw new Error(`Not so after ${limitMs / 1000} s: ${wanted}; the last value is ${inspect(value, { depth: 5 })}`);
    await (pauseMs === 0 ? nextTurn() : delay(pauseMs));
  }
}

/** Waits for an event that may never come. */
export async function inTime<T>(event: Promise<T>, limitMs = usualLimitMs): Promise<T> {
  const late = Promise.withResolvers<never>();
  const error = new Error(`Nothing came within ${limitMs / 1000} s`);
  const timer = setTimeout(() => late.reject(error), limitMs);
  try {
    return await Promise.race([event, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
