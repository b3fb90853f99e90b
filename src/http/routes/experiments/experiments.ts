/** Experiments: variants of a page, measured against the page. */
import { AnalysisError } from '../../../contract/errors.ts';
import { ExperimentAnswer } from '../../../contract/experiments/answer.ts';
import { ExperimentRequest } from '../../../contract/experiments/request.ts';
import { describeExperiment, type ReadExperiment } from '../../../explain/experiments/describe.ts';
import { toSecret } from '../../../jobs/experiments/to-arm.ts';
import type { EntryFacts, ResultStore } from '../../../storage/results/store.ts';
import { sendJson } from '../../answers/answer.ts';
import { readIdempotencyKey } from '../../input/idempotency-key.ts';
import type { Route } from '../../route.ts';
import { type AcceptSources, onceForKey } from '../jobs/accept-job.ts';
import { askJobs, type JobsSource } from '../jobs/job.get.ts';
import { listBodyLimit } from '../jobs/schedules.ts';
import { askStore, type StoreSources } from '../results/stored.ts';
import { readExperiment } from './experiment-request.ts';

const notFound = () =>
  new AnalysisError('job_not_found', 'No experiment has this id. Without a store, it is removed a day after its end.');

const mostEarlier = 20;

/** Values of the metric in the last results of the page; none if the store cannot be read. */
async function readEarlier(
  store: ResultStore | undefined,
  { url, strategy, profile, metric }: ReadExperiment,
): Promise<number[]> {
  const query = { url, strategy, source: 'lighthouse', kinds: ['result', 'run'], limit: mostEarlier } as const;
  const page = await store?.list(query).catch(() => undefined);
  const toValue = ({ scores, metrics }: EntryFacts) =>
    metric === 'performance' ? scores.performance : metrics[metric];
  return (page?.results ?? [])
    .filter(entry => entry.profile === profile && entry.disturbed !== true)
    .flatMap(entry => toValue(entry) ?? []);
}

export const addExperimentRoute = ({ store, ...sources }: AcceptSources & StoreSources): Route => ({
  operation: {
    method: 'POST',
    path: '/experiments',
    tag: 'jobs',
    access: 'key',
    summary: 'Measure variants of a page against the page',
    description:
      'Loads the page and each variant in turn, in random order, until an exact paired test decides or the last look. The answer says what the experiment can show before it starts. With the same `Idempotency-Key`, the same request returns the same experiment.',
    body: ExperimentRequest,
    answer: ExperimentAnswer,
    status: 202,
    validates: true,
    fails: true,
  },
  bodyLimit: listBodyLimit,
  free: false,
  handle: async (request, reply) => {
    const { jobs, admit, toClientId } = sources;
    const read = readExperiment(sources, {
      bytes: request.body as Buffer | undefined,
      contentType: request.contentType,
    });
    const idempotency = readIdempotencyKey(request.headers, read);
    const add = async () => {
      const experiment = describeExperiment(read, await readEarlier(store, read));
      const { variants, plan } = experiment;
      const arms = [read.url, read.url, ...variants.map(({ url }) => url)];
      const client = await admit(request, Array.from({ length: plan.pairs[0] ?? 1 }, () => arms).flat());
      const { strategy, label } = read;
      const jobRequest = { kind: 'experiment', strategy, label, categories: ['performance'], experiment } as const;
      const secret = toSecret(read.variants);
      const order = { client, request: jobRequest, callback: null, idempotency, pages: [], secret };
      return onceForKey(() => jobs.submit(order));
    };
    const earlier = idempotency && (await onceForKey(() => jobs.submitted(toClientId(request), idempotency)));
    const { job } = earlier ?? (await add());
    const answer = await askJobs(() => jobs.experiment(job.id));
    if (!answer) throw notFound();
    reply.header('location', answer.links.self);
    return sendJson(reply, JSON.stringify(answer), 202);
  },
});

export const experimentRoute = ({ jobs, store }: JobsSource & StoreSources): Route => ({
  operation: {
    method: 'GET',
    path: '/experiments/{id}',
    tag: 'jobs',
    access: 'key',
    summary: 'Read an experiment',
    description:
      'The verdict on each variant with its interval and all pairs, while the experiment runs and afterwards. `DELETE /jobs/{id}` cancels it.',
    answer: ExperimentAnswer,
    validates: false,
    fails: true,
  },
  free: true,
  handle: async (request, reply) => {
    const { id } = request.params as { id: string };
    const answer = await askJobs(() => jobs.experiment(id));
    if (answer) return sendJson(reply, JSON.stringify(answer));
    const entry = store ? await askStore(store, stored => stored.get(id)) : undefined;
    if (entry?.kind !== 'experiment') throw notFound();
    return sendJson(reply, entry.summary);
  },
});
