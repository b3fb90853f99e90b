/** Calls that several callers want at the same time. */

type Shared<T> = { readonly promise: Promise<T>; readonly ending: AbortController; waiting: number };

/** Joins equal calls. A call is aborted when its last caller has left, and forgotten when it ends. */
export function createSharedCalls<T>() {
  const calls = new Map<string, Shared<T>>();

  const start = (key: string, call: (signal: AbortSignal) => Promise<T>): Shared<T> => {
    const ending = new AbortController();
    const shared = { promise: call(ending.signal), ending, waiting: 0 };
    calls.set(key, shared);
    const forget = () => {
      if (calls.get(key) === shared) calls.delete(key);
    };
    shared.promise.then(forget, forget);
    return shared;
  };

  /** @throws the signal's reason, and what the call throws */
  return async (key: string, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const shared = calls.get(key) ?? start(key, call);
    shared.waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([shared.promise, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        if (calls.get(key) === shared) calls.delete(key);
        shared.ending.abort();
      }
    }
  };
}
