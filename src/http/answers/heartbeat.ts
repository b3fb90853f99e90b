/** What keeps the connection of a long answer alive: proxies close one on which nothing was heard for a minute. */
export const heartbeatMs = 15_000;

/** White space, which JSON takes between any two of its tokens. */
const space = Buffer.from(' ');

/** Whether a promise takes longer than this to settle, in whatever way. */
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
 * The same parts of a JSON text, with a space between two of them for every heartbeat in which there was none.
 * @param heartbeat what stands for nothing, where that is no space
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
