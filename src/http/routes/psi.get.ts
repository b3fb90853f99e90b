import Type from 'typebox';
import type { AnalyseRemote } from '../../analysis/analyse-remote.ts';
import { analyseStrategies } from '../../analysis/analyse-strategies.ts';
import { StrategiesResult } from '../../contract/analysis/answers.ts';
import { PsiQuery } from '../../contract/analysis/requests.ts';
import { JobFacts } from '../../contract/jobs/job.ts';
import { Result } from '../../contract/result/result.ts';
import { isFresh, toPageAnswer } from '../answers/answer.ts';
import { answerAnalysis } from '../answers/answer-analysis.ts';
import { createQueryReader } from '../input/read-input.ts';
import type { Route } from '../route.ts';
import { type AcceptSources, acceptJob, assertNoCallback, asyncWords, wantsJob } from './jobs/accept-job.ts';

const readQuery = createQueryReader(PsiQuery);

export const psiGetRoute = ({
  analyseRemote,
  ...accepting
}: AcceptSources & { analyseRemote: AnalyseRemote }): Route => ({
  operation: {
    method: 'GET',
    path: '/psi',
    tag: 'analysis',
    summary: 'Analyse one page with PageSpeed Insights',
    description: `Measures one URL with PageSpeed Insights. Results are cached. ${asyncWords}`,
    query: PsiQuery,
    answer: Type.Union([Result, StrategiesResult]),
    accepts: JobFacts,
  },
  effort: 'measurement',
  handle: async (request, reply) => {
    const { url, detailed, callback, ...options } = readQuery(request.query as string);
    if (wantsJob(request)) {
      const jobRequest = { kind: 'psi', ...options, fresh: isFresh(request) } as const;
      return acceptJob(accepting, request, reply, { request: jobRequest, page: { url }, callback });
    }
    assertNoCallback(callback);
    const client = await accepting.admit(request, [url], 'psi');
    return answerAnalysis(request, reply, async (signal, onProgress) => {
      const call = { detailed, fresh: isFresh(request), client, signal, onProgress };
      return toPageAnswer(await analyseStrategies(analyseRemote, { url, ...options }, call));
    });
  },
});
