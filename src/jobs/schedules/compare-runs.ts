import type { CompareKept, KeptWanted } from '../../analysis/stored/compare-kept.ts';
import type { ResultsComparison } from '../../contract/stored/change.ts';
import type { ChangeStatus } from '../../contract/stored/change-verdict.ts';
import { StoreFaultError } from '../../storage/database/fault.ts';
import type { ResultStore } from '../../storage/results/store.ts';
import type { CompareRuns } from './verdicts.ts';

/** Two kept results by the code of `/compare-results`. What cannot be compared says nothing. */
export const createCompareRuns =
  (compareKept: CompareKept, store: ResultStore, smallestEffects: KeptWanted['smallestEffects']): CompareRuns =>
  async (before, after, signal): Promise<ChangeStatus | undefined> => {
    const wanted = { before, after, url: null, strategy: null, source: null, smallestEffects };
    try {
      const bytes = await compareKept(store, wanted, signal);
      return (JSON.parse(new TextDecoder().decode(bytes)) as ResultsComparison).verdict.status;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StoreFaultError) throw error;
      return undefined;
    }
  };
