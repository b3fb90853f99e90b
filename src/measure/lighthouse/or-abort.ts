/**
 * What a promise comes to, unless the signal fires first: then its reason is thrown at once, and the work behind the
 * promise goes on.
 */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const stop = () => signal.removeEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(stop);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
