/** Waits for a notice with a timeout, because notices may get lost. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Notices } from '../notices.ts';

/** Returns a field of a notice; undefined if it is absent, because another version may have sent the notice. */
export const fieldOf = (payload: unknown, name: string): unknown =>
  typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;

export type News = {
  /** Resolves with the next notice of this name, or after the timeout. @throws the signal's reason */
  wait(name: string, ms: number, signal: AbortSignal): Promise<void>;
  /** Ends all waits. */
  wake(): void;
  close(): void;
};

/** @param field field of the topic's notices that contains the name */
export function createNews(notices: Pick<Notices, 'subscribe'>, topic: string, field: string): News {
  const waiting = new Map<() => void, string>();
  const wake = (name?: unknown): void => {
    for (const [resolve, each] of waiting) if (name === undefined || name === each) resolve();
  };
  const stop = notices.subscribe(topic, payload => wake(fieldOf(payload, field) ?? ''));
  return {
    async wait(name, ms, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const woken = new AbortController();
      waiting.set(resolve, name);
      try {
        await Promise.race([promise, delay(ms, undefined, { signal: AbortSignal.any([signal, woken.signal]) })]);
      } finally {
        waiting.delete(resolve);
        woken.abort();
        signal.throwIfAborted();
      }
    },
    wake: () => wake(),
    close: stop,
  };
}
