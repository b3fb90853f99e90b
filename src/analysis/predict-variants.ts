/** Predicts the effects of an experiment's variants from the latest stored load of the page. */

import { AnalysisError } from '../contract/errors.ts';
import type { Prediction } from '../contract/experiments/answer.ts';
import type { Variant } from '../contract/experiments/request.ts';
import type { ReadExperiment } from '../explain/experiments/describe.ts';
import { type Predicted, toPrediction, unpredictableOf, unpredicted } from '../explain/experiments/predict.ts';
import type { Caller } from '../measure/fair-turns.ts';
import type { Entry, EntryFacts, ResultStore } from '../storage/results/store.ts';
import type { AskWhatIf } from './stored/what-if.ts';
import type { Threads } from './threads/threads.ts';

export type PredictSources = { askWhatIf: AskWhatIf; threads: Pick<Threads, 'readRequests'> };

/** @throws AnalysisError for the same reasons as a what-if; the signal's reason */
export async function predictLoad(
  { askWhatIf, threads }: PredictSources,
  store: ResultStore,
  entry: Entry,
  caller: Caller,
): Promise<Predicted> {
  const whatIf = await askWhatIf(store, entry, caller);
  const full = await store.full(entry.id);
  return { whatIf, requests: full ? await threads.readRequests({ full }, caller) : [] };
}

/** Returns the first load whose artifacts are stored on this machine. */
async function findLoad(store: ResultStore, loads: readonly EntryFacts[]): Promise<Entry | undefined> {
  for (const { id } of loads) {
    const { trace, gathered } = (await store.artifacts(id)) ?? {};
    if (trace && gathered) return store.get(id);
  }
  return undefined;
}

const noLoad = 'No stored load of the page has a trace: measure the page first, then start the experiment.';

/**
 * @param loads results of the page with the settings of the experiment, newest first
 * @param unpredictable reason why no variant has a prediction
 * @returns one prediction for each variant
 * @throws the signal's reason
 */
export async function predictVariants(
  sources: PredictSources,
  store: ResultStore | undefined,
  {
    loads,
    request,
    unpredictable,
  }: { loads: readonly EntryFacts[]; request: ReadExperiment; unpredictable: string | undefined },
  caller: Caller,
): Promise<Prediction[]> {
  const { variants, metric } = request;
  const reasonOf = (variant: Variant): string | undefined => unpredictable ?? unpredictableOf(variant);
  const reasons = variants.map(reasonOf);
  if (reasons.every(reason => reason !== undefined)) return reasons.map(unpredicted);
  const ask = async (): Promise<Predicted | string> => {
    const entry = store && (await findLoad(store, loads));
    return store && entry ? predictLoad(sources, store, entry, caller) : noLoad;
  };
  const predicted = await ask().catch((error: unknown) => {
    caller.signal.throwIfAborted();
    return error instanceof AnalysisError ? error.message : 'The stored load could not be simulated.';
  });
  return variants.map((variant, at) => {
    const reason = reasons[at] ?? (typeof predicted === 'string' ? predicted : undefined);
    return typeof predicted === 'string' || reason !== undefined
      ? unpredicted(reason ?? noLoad)
      : toPrediction(predicted, variant.block ?? [], metric);
  });
}
