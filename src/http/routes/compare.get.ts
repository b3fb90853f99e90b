import { analyseBoth, type BothAnalyses, type BothSources, toComparedBody } from '../../analysis/analyse-both.ts';
import type { Recorder } from '../../analysis/records/recorder.ts';
import { CompareResult } from '../../contract/analysis/answers.ts';
import { PageQuery } from '../../contract/analysis/requests.ts';
import { JobFacts } from '../../contract/jobs/job.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import { type Answer, allFailed, isFresh } from '../answers/answer.ts';
import { answerAnalysis } from '../answers/answer-analysis.ts';
import { createQueryReader } from '../input/read-input.ts';
import type { Route } from '../route.ts';
import { type AcceptSources, acceptJob, assertNoCallback, asyncWords, wantsJob } from './jobs/accept-job.ts';

/** Compares two sides that were measured, or failed. Returns the response body, which is stored, and the answer. */
export async function toCompared(
  request: Parameters<typeof toComparedBody>[0],
  both: BothAnalyses,
  recorder: Pick<Recorder, 'comparison'>,
) {
  const { psi, lighthouse } = both;
  const body = await toComparedBody(request, both, recorder);
  const json = toJson(body);
  const answer: Answer = {
    json: [json],
    failure: allFailed([psi, lighthouse]),
    facts: json,
    failures: [psi, lighthouse].flatMap(side => (side.ok ? [] : [side.error])),
  };
  return { body, answer };
}

const readQuery = createQueryReader(PageQuery);

export type CompareSources = BothSources & { recorder: Pick<Recorder, 'comparison'> };

export const compareRoute = ({ recorder, ...sources }: AcceptSources & CompareSources): Route => ({
  operation: {
    method: 'GET',
    path: '/compare',
    tag: 'analysis',
    summary: 'Analyse one page with both, and compare the results',
    description: `Runs PageSpeed Insights and local Lighthouse in parallel, returns both results, and explains how and why they differ. ${asyncWords}`,
    query: PageQuery,
    answer: CompareResult,
    accepts: JobFacts,
  },
  effort: 'measurement',
  handle: async (request, reply) => {
    const { callback, ...wanted } = readQuery(request.query as string);
    if (wantsJob(request)) {
      const { url, ...rest } = wanted;
      const jobRequest = { ...rest, kind: 'compare', fresh: isFresh(request) } as const;
      return acceptJob(sources, request, reply, { request: jobRequest, page: { url }, callback });
    }
    assertNoCallback(callback);
    const client = await sources.admit(request, [wanted.url]);
    return answerAnalysis(request, reply, async (signal, onProgress) => {
      const both = await analyseBoth(sources, wanted, { fresh: isFresh(request), client, signal, onProgress });
      return (await toCompared(wanted, both, recorder)).answer;
    });
  },
});
