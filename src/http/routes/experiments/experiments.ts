/** Routes of experiments, which compare variants of a page with the page. */
import { ExperimentAnswer } from '../../../contract/experiments/answer.ts';
import { ExperimentRequest } from '../../../contract/experiments/request.ts';
import { toFileName } from '../../../web/report/file-policy.ts';
import { toExperimentReport } from '../../../web/report/render-experiment.ts';
import { sendJson } from '../../answers/answer.ts';
import { sendReport } from '../../answers/send-report.ts';
import type { Route } from '../../route.ts';
import { listBodyLimit } from '../../server/server-limits.ts';
import { askJobs, type JobsSource } from '../jobs/ask-jobs.ts';
import { askStore, type StoreSources } from '../results/stored.ts';
import { readExperiment } from './experiment-request.ts';
import { type ExperimentSources, experimentNotFound, startExperiment } from './start-experiment.ts';

export const addExperimentRoute = (sources: ExperimentSources): Route => ({
  operation: {
    method: 'POST',
    path: '/experiments',
    tag: 'jobs',
    summary: 'Measure variants of a page against the original',
    description:
      'Loads the page and each variant in pairs, in random order, until an exact paired test gives a verdict or the last look is reached. The response contains the smallest difference that the experiment can show. With the same `Idempotency-Key`, the same request returns the same experiment.',
    body: ExperimentRequest,
    answer: ExperimentAnswer,
    status: 202,
  },
  bodyLimit: listBodyLimit,
  effort: 'measurement',
  handle: async (request, reply) => {
    const bytes = request.body as Buffer | undefined;
    const read = readExperiment(sources, { bytes, contentType: request.contentType });
    return startExperiment(sources, request, reply, { read });
  },
});

/** Reads a running or stored experiment. @returns its answer as JSON. @throws AnalysisError `job_not_found` */
async function readAnswer({ jobs, store }: JobsSource & StoreSources, id: string): Promise<string | Buffer> {
  const answer = await askJobs(() => jobs.experiment(id));
  if (answer) return JSON.stringify(answer);
  const entry = store ? await askStore(store, stored => stored.get(id)) : undefined;
  if (entry?.kind !== 'experiment') throw experimentNotFound();
  return entry.summary;
}

export const experimentRoute = (sources: JobsSource & StoreSources): Route => ({
  operation: {
    method: 'GET',
    path: '/experiments/{id}',
    tag: 'jobs',
    summary: 'Read an experiment',
    description:
      'The verdict on each variant with its interval and all pairs, while the experiment runs and afterwards. `DELETE /jobs/{id}` cancels it.',
    answer: ExperimentAnswer,
  },
  effort: 'read',
  handle: async (request, reply) => sendJson(reply, await readAnswer(sources, (request.params as { id: string }).id)),
});

export const experimentReportRoute = (sources: JobsSource & StoreSources): Route => ({
  operation: {
    method: 'GET',
    path: '/experiments/{id}/report',
    tag: 'jobs',
    summary: 'The report of an experiment',
    description: 'The verdict on each variant with every pair of loads, as one self-contained HTML file.',
    fileType: 'text/html',
  },
  effort: 'read',
  handle: async (request, reply) => {
    const answer: ExperimentAnswer = JSON.parse(`${await readAnswer(sources, (request.params as { id: string }).id)}`);
    const name = toFileName(answer.url, 'experiment', answer.strategy);
    return sendReport(reply, toExperimentReport(answer), name);
  },
});
