/** Results of requests in this tab, which are displayed immediately when the user goes back. */

import type { PageRequest } from '../../../api-client/page-request.ts';
import { type BatchMemory, rememberRow } from '../../../api-client/stored/kept-batch.ts';
import { idsOf } from '../../../api-client/stored/kept-result.ts';
import type { View } from '../view.ts';
import type { PageRun } from './run.ts';

const maxRemembered = 10;

/** Content of an entry in the tab's history. */
export type RecalledList = {
  /** Ids of results, as in the URL. */
  readonly ids: readonly string[];
  /** State of a list, as the tab stores it. */
  readonly memory: BatchMemory | undefined;
  /** Run that measures the request now. */
  readonly run?: PageRun | undefined;
};

/**
 * Returns whether a view belongs to a history entry. Comparing requests is not enough: a page may have been measured
 * twice.
 */
function isNamed(view: View, { ids, memory }: RecalledList): boolean {
  if (view.kind === 'result') return ids.length === 0 || ids.join() === idsOf(view.bodies).join();
  if (view.kind !== 'batch' || !memory) return true;
  return JSON.stringify(memory) === JSON.stringify(view.state.rows.map(rememberRow));
}

export function createRecall() {
  const views = new Map<string, View>();
  return {
    of(request: PageRequest, kept: RecalledList): View | undefined {
      const known = views.get(JSON.stringify(request));
      return known && isNamed(known, kept) ? known : undefined;
    },
    add(request: PageRequest, last: View): void {
      if (last.kind !== 'result' && last.kind !== 'batch') return;
      const key = JSON.stringify(request);
      views.delete(key);
      views.set(key, last);
      const [oldest] = views.keys();
      if (views.size > maxRemembered && oldest !== undefined) views.delete(oldest);
    },
  };
}
