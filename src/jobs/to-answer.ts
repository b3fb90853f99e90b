/** Jobs and their pages as the API returns them. */

import { toLinks } from '../analysis/records/to-kept-facts.ts';
import type { JobAnswer, JobFacts, JobPage as PageAnswer } from '../contract/jobs/job.ts';
import { isEnded, type Job, keepMs, type PagePart, type PageRow } from './job.ts';
import type { Delivery } from './statements.ts';

const toTime = (ms: number): string => new Date(ms).toISOString();
const toTimeOrNull = (ms: number | null): string | null => (ms === null ? null : toTime(ms));

export type JobState = {
  job: Job;
  /** Number of jobs that wait before this one. */
  before: number;
  delivery: Pick<Delivery, 'state' | 'tries' | 'lastError'> | undefined;
  /** Reason why no instance runs the job. */
  reason: string | null;
};

export const toJobFacts = ({ job, before, delivery, reason }: JobState): JobFacts => ({
  id: job.id,
  kind: job.request.kind,
  state: job.state,
  reason,
  position: job.state === 'queued' ? before + 1 : null,
  progress: { total: job.total, done: job.done, succeeded: job.done - job.failed, failed: job.failed },
  attempts: job.attempt,
  label: job.request.label,
  site: job.request.site ?? null,
  schedule: job.scheduleId,
  created_at: toTime(job.createdAtMs),
  started_at: toTimeOrNull(job.startedAtMs),
  ended_at: toTimeOrNull(job.endedAtMs),
  expires_at: job.endedAtMs === null ? null : toTime(job.endedAtMs + keepMs),
  error: job.error,
  callback:
    job.callback === null
      ? null
      : { state: delivery?.state ?? 'none', attempts: delivery?.tries ?? 0, error: delivery?.lastError ?? null },
  links: { self: `/jobs/${job.id}`, events: `/jobs/${job.id}/events` },
});

const toPart = ({
  source,
  strategy,
  id,
  scores,
  disturbed = null,
  performanceRange = null,
  error,
}: PagePart): PageAnswer['results'][number] => ({
  source,
  strategy,
  id,
  disturbed,
  performance_range: performanceRange,
  error,
  scores: scores as PageAnswer['results'][number]['scores'],
  links: id === null ? {} : { self: toLinks({ id, kind: 'result', source, hasArtifacts: false }).self },
});

/** Returns the state of a page. In an ended job, unmeasured pages count as cancelled. */
const toPageState = (job: Job, { state }: PageRow): PageRow['state'] =>
  isEnded(job) && (state === 'waiting' || state === 'running') ? 'cancelled' : state;

export const toPageAnswer = (job: Job, page: PageRow): PageAnswer => {
  const comparisonId = page.outcome?.comparisonId ?? null;
  return {
    index: page.position,
    url: page.url,
    state: toPageState(job, page),
    attempts: page.tries,
    same_as: page.sameAs,
    results: (page.outcome?.parts ?? []).map(toPart),
    error: page.outcome?.error ?? null,
    links: {
      self: `/jobs/${job.id}/pages/${page.position}`,
      ...(comparisonId === null ? {} : { comparison: `/results/${comparisonId}` }),
    },
  };
};

export const toJobAnswer = (state: JobState, pages: readonly PageRow[], next: string | null): JobAnswer => ({
  ...toJobFacts(state),
  pages: pages.map(page => toPageAnswer(state.job, page)),
  next,
});

/** Returns the last event of a job's stream. */
export const toLastEvent = (state: JobState): { event: 'result' | 'failed'; data: unknown } =>
  isEnded(state.job) && state.job.state !== 'succeeded' && state.job.error
    ? { event: 'failed', data: { ...state.job.error, job: toJobFacts(state) } }
    : { event: 'result', data: toJobFacts(state) };
