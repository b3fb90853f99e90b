/** Interval of heartbeats in long responses: proxies close a connection that is silent for a minute. */
export const heartbeatMs = 15_000;

/** White space, which JSON allows between any two tokens. */
const space = Buffer.from(' ');

const takesLonger = (promise: Promise<unknown>, ms: number): Promise<boolean> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, ms, true);
    const settle = () => {
      clearTimeout(timer);
      resolve(false);
    };
    promise.then(settle, settle);
  });

/**
 * Yields the parts of a JSON text, and a heartbeat after each interval without a part.
 * @param heartbeat a part without meaning; a space by default
 */
export async function* withHeartbeats<Part>(
  parts: AsyncIterable<Part>,
  everyMs = heartbeatMs,
  heartbeat: Buffer = space,
): AsyncGenerator<Part | Buffer> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = iterator.next();
      while (await takesLonger(next, everyMs)) yield heartbeat;
      const { done, value } = await next;
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
