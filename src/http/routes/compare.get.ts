import { analyseBoth, type BothAnalyses, type BothSources } from '../../analysis/analyse-both.ts';
import type { LocalRequest } from '../../analysis/analyse-local.ts';
import type { Outcome } from '../../analysis/outcome.ts';
import { CompareResult } from '../../contract/answers.ts';
import { toProblem } from '../../contract/problem.ts';
import { PageQuery } from '../../contract/requests.ts';
import type { Result } from '../../contract/result.ts';
import type { Recorder } from '../../records/recorder.ts';
import { toJson } from '../../result/json-bytes.ts';
import { type Answer, allFailed, isFresh } from '../answers/answer.ts';
import { answerAnalysis } from '../answers/answer-analysis.ts';
import { createQueryReader } from '../input/read-input.ts';
import type { Route, RouteParts } from '../route.ts';

const toSide = (url: string, outcome: Outcome<Result>) =>
  outcome.ok ? outcome.value : { url, error: toProblem(outcome.error) };

/** Both sides and what sets them apart: the body, which is kept, and what failed of it. */
export async function toCompared(
  { url, strategy, profile, label }: Pick<LocalRequest, 'url' | 'strategy' | 'profile' | 'label'>,
  both: BothAnalyses,
  recorder: Pick<Recorder, 'comparison'>,
) {
  const { psi, lighthouse, comparison } = both;
  const compared = { url, strategy, psi: toSide(url, psi), lighthouse: toSide(url, lighthouse), comparison };
  const body = psi.ok || lighthouse.ok ? await recorder.comparison(compared, { profile, label }) : compared;
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

export const compareRoute = ({ admit, recorder, ...sources }: RouteParts & CompareSources): Route => ({
  operation: {
    method: 'GET',
    path: '/compare',
    tag: 'analysis',
    access: 'key',
    summary: 'Analyse one page with both, side by side',
    description:
      'Runs the remote analysis API and local Lighthouse in parallel, returns both results, and says how far they are apart and why.',
    query: PageQuery,
    answer: CompareResult,
    validates: true,
    fails: true,
  },
  free: false,
  handle: async (request, reply) => {
    const wanted = readQuery(request.query as string);
    const client = await admit(request, [wanted.url]);
    return answerAnalysis(request, reply, async (signal, onProgress) => {
      const both = await analyseBoth(sources, wanted, { fresh: isFresh(request), client, signal, onProgress });
      return (await toCompared(wanted, both, recorder)).answer;
    });
  },
});
