import PQueue from 'p-queue';
import { AnalysisError } from '../../contract/errors.ts';

/** Takes its turn after all that came before; an abort ends the wait. */
export type Turns = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

const usualMostWaiting = 32;
const retryAfterSeconds = 5;

/**
 * Runs work on stored results, one at a time. It measures nothing, so the limit of pages does not apply; a queue does.
 * @throws AnalysisError `results_unavailable` where too many wait; the signal's reason
 */
export function createTurns(mostWaiting = usualMostWaiting): Turns {
  const queue = new PQueue({ concurrency: 1 });
  return async (work, signal) => {
    if (queue.size >= mostWaiting) {
      const detail = `${mostWaiting} requests for stored results are already waiting.`;
      throw new AnalysisError('results_unavailable', detail, { retryAfterSeconds });
    }
    return queue.add(work, { signal });
  };
}
