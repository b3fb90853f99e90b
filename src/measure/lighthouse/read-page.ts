import type { Result } from '../../contract/result/result.ts';
import type { Bytes, Failed, LhrReader, Measured } from '../lhr/measured.ts';
import type { HostConditions, ResultFacts } from '../lhr/to-result.ts';

/**
 * Reads a Lighthouse result of up to 10 MB of JSON, which a thread parses only once.
 * @param bytes the Lighthouse result as JSON, or whatever a worker sent instead
 * @returns a failure if it is invalid, or reports that the page could not be measured
 */
export type ReadPage<T> = (bytes: Bytes, conditions: HostConditions) => Promise<T | Failed>;

/** Facts of a page that show whether other work disturbed its load. If they are absent, the load is never repeated. */
export type JudgedPage = { readonly result?: Pick<Result, 'disturbance' | 'environment' | 'metrics'> | undefined };

/** Returns the result and the whole Lighthouse result, which both analysers of this machine need. */
export const readMeasured =
  (threads: Pick<LhrReader, 'readLhr'>, facts: Omit<ResultFacts, 'field' | 'conditions'>): ReadPage<Measured> =>
  async (bytes, conditions) => {
    const read = await threads.readLhr({
      bytes,
      facts: { ...facts, conditions, otherwise: 'lighthouse_unavailable' },
    });
    return 'failure' in read ? read : { ...read, lighthouseResult: bytes };
  };
