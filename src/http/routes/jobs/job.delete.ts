import { JobFacts } from '../../../contract/jobs/job.ts';
import { jobNotFound } from '../../../jobs/problems.ts';
import { toJobFacts } from '../../../jobs/to-answer.ts';
import { sendJson } from '../../answers/answer.ts';
import type { Route } from '../../route.ts';
import { askJobs, type JobsSource } from './ask-jobs.ts';

export const endJobRoute = ({ jobs }: JobsSource): Route => ({
  operation: {
    method: 'DELETE',
    path: '/jobs/{id}',
    tag: 'jobs',
    summary: 'Cancel or remove a job',
    description: 'Cancels an unfinished job and its running audits, or removes a finished job but not its results.',
    answer: JobFacts,
  },
  effort: 'action',
  handle: async (request, reply) => {
    const { id } = request.params as { id: string };
    const state = await askJobs(() => jobs.end(id));
    if (!state) throw jobNotFound();
    return sendJson(reply, JSON.stringify(toJobFacts(state)));
  },
});
