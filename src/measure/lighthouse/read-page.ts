import type { Result } from '../../contract/result/result.ts';
import type { Bytes, Failed, LhrReader, Measured } from '../lhr/measured.ts';
import type { HostConditions, ResultFacts } from '../lhr/to-result.ts';

/**
 * Makes of a Lighthouse result what was asked for. It is up to 10 MB of JSON: the thread parses it, once.
 * @param bytes the Lighthouse result as JSON, or whatever a worker sent in its place
 * @returns a failure where it is nonsense, or says that the page could not be measured
 */
export type ReadPage<T> = (bytes: Bytes, conditions: HostConditions) => Promise<T | Failed>;

/** What is looked at in a page that was read, to see whether other work disturbed its load; absent: it is not repeated. */
export type JudgedPage = { readonly result?: Pick<Result, 'disturbance' | 'environment' | 'metrics'> | undefined };

/** The summary and the whole result, as both analysers of this machine give them. */
export const readMeasured =
  (threads: Pick<LhrReader, 'readLhr'>, facts: Omit<ResultFacts, 'field' | 'conditions'>): ReadPage<Measured> =>
  async (bytes, conditions) => {
    const read = await threads.readLhr({
      bytes,
      facts: { ...facts, conditions, otherwise: 'lighthouse_unavailable' },
    });
    return 'failure' in read ? read : { ...read, lighthouseResult: bytes };
  };
