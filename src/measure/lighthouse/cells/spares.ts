/** Browsers that run and have seen nothing: each waits in its worker for the next audit. */
import type { BrowserLaunch } from '../messages.ts';
import type { Base, WantedBrowser } from './bases.ts';
import type { WorkerHandle } from './worker-handle.ts';

export type Spare = Base & { worker: WorkerHandle };

type Waiting = Spare & { stale: NodeJS.Timeout };

const isSame = (launch: BrowserLaunch, { executablePath, env, sandbox }: WantedBrowser): boolean =>
  launch.browser.executablePath === executablePath &&
  launch.browser.sandbox === sandbox &&
  JSON.stringify(launch.browser.env) === JSON.stringify(env);

/** @param whenStale called for one that has waited for so long; it waits again where that says so */
export function createSpares(staleMs: number, whenStale: (spare: Spare) => 'later' | 'taken') {
  const waiting: Waiting[] = [];

  function remove(spare: Waiting): Spare {
    clearTimeout(spare.stale);
    waiting.splice(waiting.indexOf(spare), 1);
    const { stale: _, ...found } = spare;
    return found;
  }

  return {
    add(spare: Spare): void {
      const onStale = () => {
        const isLater = whenStale(spare) === 'later';
        if (isLater) stale.refresh();
        else remove(own);
      };
      const stale = setTimeout(onStale, staleMs).unref();
      const own = { ...spare, stale };
      waiting.push(own);
    },

    take(): Spare | undefined {
      const spare = waiting.findLast(({ worker }) => worker.isUsable);
      return spare && remove(spare);
    },

    takeAll: (): Spare[] => [...waiting].map(remove),

    /** Those of workers that have ended, of a browser that is no longer meant, and without a way out. */
    takeUnwanted: (wanted: WantedBrowser): Spare[] =>
      waiting
        .filter(({ worker, launch, gate }) => !worker.isUsable || !isSame(launch, wanted) || !gate.isUsable)
        .map(remove),
  };
}
