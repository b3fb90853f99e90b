import { Cleared } from '../../contract/analysis/answers.ts';
import { AnalysisError } from '../../contract/errors.ts';
import type { ResultCache } from '../../storage/cache/result-cache.ts';
import { StoreFaultError } from '../../storage/database/fault.ts';
import type { Route } from '../route.ts';
import { jsonRoute } from './json-route.ts';

/** @throws AnalysisError if the persistent part could not be emptied */
const clear = (cache: ResultCache): Promise<number> =>
  cache.clear().catch((cause: unknown) => {
    if (!(cause instanceof StoreFaultError)) throw cause;
    const detail = `The stored part of the cache could not be cleared: ${cause.message}`;
    throw new AnalysisError('results_unavailable', detail, { cause });
  });

export const cacheClearRoute = ({ cache }: { cache: ResultCache }): Route =>
  jsonRoute(
    {
      method: 'POST',
      path: '/cache/clear',
      tag: 'system',
      summary: 'Clear the cache',
      description: 'Clears the cache of `/psi` results and returns the number of removed results.',
      answer: Cleared,
    },
    'action',
    async () => ({ cleared: await clear(cache) }),
  );
