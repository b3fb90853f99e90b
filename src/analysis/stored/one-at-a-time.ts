import PQueue from 'p-queue';
import { AnalysisError } from '../../contract/errors.ts';
import { takeTurn } from '../../measure/take-turn.ts';

/** Runs work after all work that was queued before it; an abort ends the wait, but not the turn of work that began. */
export type Turns = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

const usualMostWaiting = 32;
const retryAfterSeconds = 5;

/**
 * Queues work on stored results, one task at a time. The page limit does not apply, because nothing is measured.
 * @throws AnalysisError `results_unavailable` if too many wait; the signal's reason
 */
export function createTurns(mostWaiting = usualMostWaiting): Turns {
  const queue = new PQueue({ concurrency: 1 });
  return async (work, signal) => {
    if (queue.size >= mostWaiting) {
      const detail = `${mostWaiting} requests for stored results are already waiting.`;
      throw new AnalysisError('results_unavailable', detail, { retryAfterSeconds });
    }
    return takeTurn(queue, work, signal);
  };
}
