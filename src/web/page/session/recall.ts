/** Results that requests had in this tab: a step back shows them at once. */

import type { PageRequest } from '../../../api-client/page-request.ts';
import { type BatchMemory, rememberRow } from '../../../api-client/stored/kept-batch.ts';
import { idsOf } from '../../../api-client/stored/kept-result.ts';
import type { View } from '../view.ts';
import type { Run } from './run.ts';

const maxRemembered = 10;

/** What an entry of the tab's history leads to. */
export type Kept = {
  /** Of results, as they stand in the address. */
  readonly ids: readonly string[];
  /** Of a list, as the tab remembers it. */
  readonly memory: BatchMemory | undefined;
  /** The run that measures it now. */
  readonly run?: Run | undefined;
};

/** The same page may have been measured twice: an entry of the history leads to what it names. */
function isNamed(view: View, { ids, memory }: Kept): boolean {
  if (view.kind === 'result') return ids.length === 0 || ids.join() === idsOf(view.bodies).join();
  if (view.kind !== 'batch' || !memory) return true;
  return JSON.stringify(memory) === JSON.stringify(view.state.rows.map(rememberRow));
}

export function createRecall() {
  const views = new Map<string, View>();
  return {
    of(request: PageRequest, kept: Kept): View | undefined {
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
