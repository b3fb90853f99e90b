/** Results that requests had in this tab: a step back shows them at once. */
import type { PageRequest } from '../../../client/page-request.ts';
import type { View } from '../view.ts';

const maxRemembered = 10;

export function createRecall() {
  const views = new Map<string, View>();
  return {
    of: (request: PageRequest): View | undefined => views.get(JSON.stringify(request)),
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
