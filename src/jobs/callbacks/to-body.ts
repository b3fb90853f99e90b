/** Body of a callback: one sentence, scores, the metrics of tables and links, without results. */
import type { ChangeStatus } from '../../contract/stored/change-verdict.ts';
import type { Job, PageRow } from '../job.ts';
import type { JobEnd } from '../statements.ts';
import { toEndLine } from './messages.ts';

/** Max number of pages in a callback. More pages are only counted; the job lists them. */
export const mostToldPages = 500;

export type PageVerdict = { strategy: string; source: string; status: ChangeStatus };

export function toCallbackBody(
  job: Pick<Job, 'id' | 'request' | 'total' | 'done' | 'failed' | 'scheduleId'>,
  { state, endedAtMs }: Pick<JobEnd, 'state' | 'endedAtMs'>,
  pages: readonly PageRow[],
  verdicts: ReadonlyMap<number, readonly PageVerdict[]> = new Map(),
): string {
  // Links of jobs from an earlier version are relative.
  const { origin = '' } = job.request.message ?? {};
  const self = `${origin}/jobs/${job.id}`;
  return JSON.stringify({
    type: `job.${state}`,
    timestamp: new Date(endedAtMs).toISOString(),
    data: {
      text: toEndLine(job, pages, self).text,
      id: job.id,
      state,
      kind: job.request.kind,
      label: job.request.label,
      schedule: job.scheduleId,
      progress: { total: job.total, done: job.done, succeeded: job.done - job.failed, failed: job.failed },
      links: { self },
      pages: pages.slice(0, mostToldPages).map(({ position, url, outcome }) => ({
        index: position,
        url,
        error: outcome?.error?.code ?? null,
        results: (outcome?.parts ?? []).map(({ source, strategy, id, scores, metrics, disturbed = null, error }) => ({
          source,
          strategy,
          scores,
          metrics,
          disturbed,
          error: error?.code ?? null,
          links: id === null ? {} : { self: `${origin}/results/${id}`, page: `${origin}/r/${id}` },
        })),
        ...(verdicts.has(position) ? { verdicts: verdicts.get(position) } : {}),
        links: { self: `${self}/pages/${position}` },
      })),
      pages_omitted: Math.max(0, job.total - mostToldPages),
    },
  });
}
