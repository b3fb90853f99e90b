/** Starts an experiment: describes it, predicts the effects if possible, and submits its job. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { usualMultipliers } from '../../../analysis/default-cpu.ts';
import { predictVariants } from '../../../analysis/predict-variants.ts';
import type { AskWhatIf } from '../../../analysis/stored/what-if.ts';
import type { Threads } from '../../../analysis/threads/threads.ts';
import { AnalysisError } from '../../../contract/errors.ts';
import type { ExperimentFacts } from '../../../contract/experiments/answer.ts';
import { pickConditions } from '../../../contract/measuring-options.ts';
import { chooseThrottling, describeExperiment, type ReadExperiment } from '../../../explain/experiments/describe.ts';
import { findChangePoints } from '../../../explain/statistics/change-points.ts';
import { directionOf, smallestEffectOf } from '../../../explain/statistics/smallest-effect.ts';
import type { Caller } from '../../../measure/fair-turns.ts';
import { toConditionsId } from '../../../measure/shown-conditions.ts';
import { isDisturbed } from '../../../presentation/undisturbed.ts';
import type { EntryFacts, ResultStore } from '../../../storage/results/store.ts';
import { sendJson } from '../../answers/answer.ts';
import { readIdempotencyKey } from '../../input/idempotency-key.ts';
import { toCaller } from '../../server/full-turns.ts';
import { assertAccess, withoutSecrets } from '../access/assert-access.ts';
import { type AcceptSources, onceForKey } from '../jobs/accept-job.ts';
import { askJobs } from '../jobs/ask-jobs.ts';
import type { StoreSources } from '../results/stored.ts';

export type ExperimentSources = AcceptSources &
  StoreSources & { threads: Pick<Threads, 'readRequests'>; askWhatIf: AskWhatIf };

export const experimentNotFound = () =>
  new AnalysisError(
    'job_not_found',
    'No experiment has this id. Without a store, experiments are removed a day after they end.',
  );

const mostEarlier = 20;
const mostRead = 60;

/** Returns whether the CPU throttling of a load is that of an experiment, which is never calibrated. */
const hasUsualCpu = ({ strategy, profile, cpuSlowdown }: EntryFacts): boolean =>
  cpuSlowdown === (strategy === 'desktop' ? 1 : usualMultipliers[profile ?? 'lighthouse']);

/** Lists the last results of the page with the same settings, newest first; none if the store cannot be read. */
async function listEarlier(store: ResultStore | undefined, read: ReadExperiment): Promise<EntryFacts[]> {
  const { url, strategy, profile } = read;
  const query = { url, strategy, source: 'lighthouse', kinds: ['result', 'run'] } as const;
  const page = await store
    ?.list({ ...query, conditions: toConditionsId(read), limit: mostRead })
    .catch(() => undefined);
  return (page?.results ?? []).filter(entry => entry.profile === profile && hasUsualCpu(entry)).slice(0, mostEarlier);
}

/** Returns the values of undisturbed results since the page last changed. @param entries newest first */
function toValues(entries: readonly EntryFacts[], metric: ReadExperiment['metric']): number[] {
  const points = entries
    .filter(load => !isDisturbed(load))
    .slice(0, mostEarlier)
    .toReversed()
    .flatMap(({ measuredAtMs: time, scores, metrics, customMetrics }) => {
      const values: Readonly<Record<string, number | null>> = { ...customMetrics, ...metrics, ...scores };
      const value = values[metric] ?? null;
      return value === null ? [] : [{ time, value }];
    });
  const changes = findChangePoints(points, {
    direction: directionOf(metric),
    smallestEffect: smallestEffectOf(metric),
  });
  return points.slice(changes.at(-1)?.index ?? 0).map(({ value }) => value);
}

function toUnpredictable(read: ReadExperiment, load: EntryFacts | undefined): string | undefined {
  if (chooseThrottling(read).throttling_method !== 'simulate')
    return 'Its loads have applied throttling, and predictions are simulated.';
  if (load && !hasUsualCpu(load)) return 'The stored load had another CPU throttling than the loads of the experiment.';
  return undefined;
}

type NewExperiment = {
  read: ReadExperiment;
  /** Stored load for the predictions; by default the latest one of the page. */
  load?: EntryFacts;
};

async function describe(
  { store, ...sources }: ExperimentSources,
  { read, load }: NewExperiment,
  caller: Caller,
): Promise<ExperimentFacts> {
  const entries = await listEarlier(store, read);
  const predictions = await predictVariants(
    sources,
    store,
    { loads: load ? [load] : entries, request: read, unpredictable: toUnpredictable(read, load) },
    caller,
  );
  return describeExperiment(read, { earlier: toValues(entries, read.metric), predictions });
}

/** Responds with 202 and the experiment. A repeated `Idempotency-Key` returns the same experiment. */
export async function startExperiment(
  sources: ExperimentSources,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: NewExperiment,
): Promise<FastifyReply> {
  const { read } = wanted;
  const { jobs, admit, toClientId } = sources;
  const idempotency = readIdempotencyKey(request.headers, withoutSecrets(read, sources.vault));
  const add = async () => {
    const pages = [read.url, ...read.variants.flatMap(({ url }) => url ?? [])];
    await assertAccess(sources, request, pickConditions(read), { pages, isStored: true });
    const experiment = await describe(sources, wanted, toCaller(toClientId, request, reply));
    const { variants, plan } = experiment;
    const arms = [read.url, read.url, ...variants.map(({ url }) => url)];
    const client = await admit(request, Array.from({ length: plan.pairs[0] ?? 1 }, () => arms).flat());
    const { strategy, label } = read;
    const jobRequest = { kind: 'experiment', strategy, label, categories: ['performance'], experiment } as const;
    const secret = { variants: read.variants, conditions: pickConditions(read) };
    const order = { client, request: jobRequest, callback: null, idempotency, pages: [], secret };
    return onceForKey(() => jobs.submit(order));
  };
  const earlier = idempotency && (await onceForKey(() => jobs.submitted(toClientId(request), idempotency)));
  const { job } = earlier ?? (await add());
  const answer = await askJobs(() => jobs.experiment(job.id));
  if (!answer) throw experimentNotFound();
  reply.header('location', answer.links.self);
  return sendJson(reply, JSON.stringify(answer), 202);
}
