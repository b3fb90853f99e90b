/**
 * Predicts the scores of a stored load under different conditions: a worker without a browser simulates its artifacts
 * again.
 */
import { LRUCache } from 'lru-cache';
import { AnalysisError } from '../../contract/errors.ts';
import type { Result } from '../../contract/result/result.ts';
import type { WhatIf } from '../../contract/stored/what-if.ts';
import { toWhatIf } from '../../explain/what-if/answer.ts';
import { type Caller, createTurns } from '../../measure/fair-turns.ts';
import type { LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import type { Entry, ResultStore } from '../../storage/results/store.ts';
import type { Threads } from '../threads/threads.ts';
import { adoptStored } from './adopt-stored.ts';

export type WhatIfSources = {
  threads: Pick<Threads, 'planWhatIf'>;
  local: Pick<LocalAnalyser, 'adopt' | 'whatIf' | 'release'>;
};

/** @throws AnalysisError `artifacts_gone`, `not_simulated`, or of source `lighthouse`; the signal's reason */
export type AskWhatIf = (store: ResultStore, entry: Entry, caller: Caller) => Promise<WhatIf>;

/** Max number of cached answers: each is about 20 KB and never changes. */
const mostAnswers = 50;

const again = 'Measure the page again, and use the id of the new result.';

const noLoad = ({ kind, source }: Entry): AnalysisError | undefined => {
  if (kind === 'comparison')
    return new AnalysisError('not_simulated', 'A comparison has two loads. Use the id of its local result.');
  if (kind === 'failure')
    return new AnalysisError('not_simulated', 'The page could not be measured, so there is no load to simulate.');
  return source === 'psi' || source === 'lighthouse'
    ? undefined
    : new AnalysisError('not_simulated', 'This entry is not the result of a load.');
};

async function goneError(store: ResultStore, { id, analyser: { kind } }: Entry): Promise<AnalysisError> {
  const measure = 'Measure the page with GET /lighthouse.';
  if (kind === 'google' || kind === 'custom')
    return new AnalysisError('artifacts_gone', `PSI servers send no trace. ${measure}`);
  if (kind === 'uploaded') return new AnalysisError('artifacts_gone', `An uploaded result has no trace. ${measure}`);
  const [elsewhere] = await store.artifactsElsewhere(id);
  const where =
    elsewhere === undefined
      ? 'The trace and the network log of this result are no longer stored.'
      : `The trace of this result is on the disk of another machine, with the machine_id ${elsewhere}. Ask the instance there.`;
  return new AnalysisError('artifacts_gone', elsewhere === undefined ? `${where} ${again}` : where);
}

const notSimulated = () =>
  new AnalysisError(
    'not_simulated',
    'The load was not throttled by simulation, or has no performance score, so it cannot be simulated again.',
  );

const resultOf = ({ summary }: Entry): Partial<Result> => JSON.parse(summary);

const isSimulated = (entry: Entry): boolean => resultOf(entry).environment?.throttling_method === 'simulate';

/** Returns whether the values of a result are those without a wait for a CPU. */
const hasWaited = (entry: Entry): boolean => resultOf(entry).disturbance?.kinds.includes('processor_wait') ?? false;

export function createWhatIf({ threads, local }: WhatIfSources): AskWhatIf {
  const known = new LRUCache<string, WhatIf>({ max: mostAnswers });
  // Each what-if needs a copy of its artifacts on the disk.
  const takeTurn = createTurns();

  async function simulate(store: ResultStore, entry: Entry, caller: Caller): Promise<WhatIf> {
    const refusal = noLoad(entry);
    if (refusal) throw refusal;
    const full = await store.full(entry.id);
    const artifacts = full && (await adoptStored(store, local, entry.id));
    if (!full || artifacts === undefined) throw await goneError(store, entry);
    try {
      const order = { full, isDisturbed: hasWaited(entry) };
      const plan = isSimulated(entry) ? await threads.planWhatIf(order, caller) : undefined;
      if (!plan) throw notSimulated();
      return toWhatIf(entry, plan, await local.whatIf(artifacts, plan.order, caller.signal));
    } finally {
      await local.release(artifacts);
    }
  }

  return async (store, entry, caller) => {
    const found = known.get(entry.id);
    if (found) return found;
    const answer = await takeTurn(() => simulate(store, entry, caller), caller);
    known.set(entry.id, answer);
    return answer;
  };
}
