/**
 * Whether local audits are possible at all: whether the last attempt to get a browser going worked. What a page does is
 * no reason against it. It mends itself: some time after a failure there is another try.
 */
export function createReadiness({ retryMs, tryAgain }: { retryMs: number; tryAgain: () => Promise<void> }) {
  let isBroken = false;
  let isClosed = false;
  let nextTry: NodeJS.Timeout | undefined;

  return {
    get isBroken(): boolean {
      return isBroken;
    },
    /** @param isOfMachine whether this machine, and not the page, is the reason of a failure */
    async learnFrom<T>(work: Promise<T>, isOfMachine: (error: unknown) => boolean): Promise<T> {
      try {
        const done = await work;
        isBroken = false;
        return done;
      } catch (error) {
        if (isOfMachine(error) && !isClosed) {
          isBroken = true;
          clearTimeout(nextTry);
          nextTry = setTimeout(() => void tryAgain(), retryMs).unref();
        }
        throw error;
      }
    },
    close(): void {
      isClosed = true;
      clearTimeout(nextTry);
    },
  };
}
