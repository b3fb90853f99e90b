import type PQueue from 'p-queue';

/**
 * Runs work in its turn of a queue. An abort ends the wait of the caller. Work that has begun keeps its turn until it
 * ends, even if the caller has left; otherwise the next work would run beside it.
 * @throws the signal's reason, or the error of the work
 */
export async function takeTurn<T>(queue: PQueue, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const waiting = new AbortController();
  let hasBegun = false;
  const begin = () => {
    hasBegun = true;
    return work();
  };
  const left = Promise.withResolvers<never>();
  const leave = () => {
    if (!hasBegun) waiting.abort(signal.reason);
    left.reject(signal.reason);
  };
  signal.addEventListener('abort', leave, { once: true });
  try {
    return (await Promise.race([queue.add(begin, { signal: waiting.signal }), left.promise])) as T;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
