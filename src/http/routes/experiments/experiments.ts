/** Routes of experiments, which compare variants of a page with the page. */
import { ExperimentAnswer } from '../../../contract/experiments/answer.ts';
import { ExperimentRequest } from '../../../contract/experiments/request.ts';
import { sendJson } from '../../answers/answer.ts';
import type { Route } from '../../route.ts';
import { askJobs, type JobsSource } from '../jobs/job.get.ts';
import { listBodyLimit } from '../jobs/schedules.ts';
import { askStore, type StoreSources } from '../results/stored.ts';
import { readExperiment } from './experiment-request.ts';
import { type ExperimentSources, experimentNotFound, startExperiment } from './start-experiment.ts';

export const addExperimentRoute = (sources: ExperimentSources): Route => ({
  operation: {
    method: 'POST',
    path: '/experiments',
    tag: 'jobs',
    access: 'key',
    summary: 'Measure variants of a page against the page',
    description:
      'Loads the page and each variant in pairs, in random order, until an exact paired test decides, at most until the last look. The response contains the smallest difference that the experiment can show. With the same `Idempotency-Key`, the same request returns the same experiment.',
    body: ExperimentRequest,
    answer: ExperimentAnswer,
    status: 202,
    validates: true,
    fails: true,
  },
  bodyLimit: listBodyLimit,
  free: false,
  handle: async (request, reply) => {
    const bytes = request.body as Buffer | undefined;
    const read = readExperiment(sources, { bytes, contentType: request.contentType });
    return startExperiment(sources, request, reply, { read });
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
    if (entry?.kind !== 'experiment') throw experimentNotFound();
    return sendJson(reply, entry.summary);
  },
});
