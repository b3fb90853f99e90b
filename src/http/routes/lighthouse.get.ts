import type { AnalyseLocal } from '../../analysis/analyse-local.ts';
import { PageQuery } from '../../contract/analysis/requests.ts';
import { JobFacts } from '../../contract/jobs/job.ts';
import { Result } from '../../contract/result/result.ts';
import { toFullJson } from '../answers/answer.ts';
import { answerAnalysis } from '../answers/answer-analysis.ts';
import { createQueryReader } from '../input/read-input.ts';
import type { Route } from '../route.ts';
import { type AcceptSources, acceptJob, assertNoCallback, asyncWords, wantsJob } from './jobs/accept-job.ts';

const readQuery = createQueryReader(PageQuery);

export const lighthouseRoute = ({
  analyseLocal,
  ...accepting
}: AcceptSources & { analyseLocal: AnalyseLocal }): Route => ({
  operation: {
    method: 'GET',
    path: '/lighthouse',
    tag: 'analysis',
    summary: 'Analyse one page with local Lighthouse',
    description: `Runs Lighthouse in a headless browser on this server, and returns the full audit data. At most 2 analyses run in parallel; others wait in the queue. ${asyncWords}`,
    query: PageQuery,
    answer: Result,
    accepts: JobFacts,
  },
  effort: 'measurement',
  handle: async (request, reply) => {
    const { callback, ...wanted } = readQuery(request.query as string);
    if (wantsJob(request)) {
      const { url, ...rest } = wanted;
      const jobRequest = { ...rest, kind: 'lighthouse' } as const;
      return acceptJob(accepting, request, reply, { request: jobRequest, page: { url }, callback });
    }
    assertNoCallback(callback);
    const client = await accepting.admit(request, [wanted.url]);
    return answerAnalysis(request, reply, async (signal, onProgress) => {
      return { json: toFullJson(await analyseLocal(wanted, signal, { client, onProgress })) };
    });
  },
});
