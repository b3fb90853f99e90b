import { isObject, rowsOf } from '../../contract/result/details.ts';
import type { SentRequest } from '../../explain/experiments/predict.ts';
import { readPacked } from '../../measure/lhr/read-json.ts';
import type { FullResult } from '../../storage/results/store.ts';

/** Returns the requests of a stored load, each with its entity; empty if the result is damaged. */
export function readRequests({ full }: { full: FullResult }): SentRequest[] {
  const lhr = readPacked(full);
  if (!isObject(lhr)) return [];
  return rowsOf(lhr, 'network-requests').flatMap(({ url, entity }) =>
    typeof url === 'string' ? [{ url, entity: typeof entity === 'string' ? entity : null }] : [],
  );
}
