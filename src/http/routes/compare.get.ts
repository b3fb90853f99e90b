import { analyseBoth, type BothAnalyses, type BothSources } from '../analysis/analyse-both.ts';
import type { LocalRequest } from '../analysis/analyse-local.ts';
import type { Outcome } from '../analysis/outcome.ts';
import { toJson } from '../report/json-bytes.ts';
import type { Report } from '../report/report.ts';
import { type Answer, allFailed, isFresh } from './answer.ts';
import { answerAnalysis } from './answer-analysis.ts';
import { toProblem } from './problem.ts';
import { createQueryReader } from './read-input.ts';
import type { Route, RouteParts } from './route.ts';
import { CompareReport, PageQuery } from './schemas.ts';

const toSide = (url: string, outcome: Outcome<Report>) =>
  outcome.ok ? outcome.value : { url, error: toProblem(outcome.error) };

/** Both sides and what sets them apart: the body, and what failed of it. */
export function toCompared({ url, strategy }: Pick<LocalRequest, 'url' | 'strategy'>, both: BothAnalyses) {
  const { psi, lighthouse, comparison } = both;
  const body = { url, strategy, psi: toSide(url, psi), lighthouse: toSide(url, lighthouse), comparison };
  const answer: Answer = {
    json: toJson(body),
    hasParts: true,
    failure: allFailed([psi, lighthouse]),
    failures: [psi, lighthouse].flatMap(side => (side.ok ? [] : [side.error])),
  };
  return { body, answer };
}

const readQuery = createQueryReader(PageQuery);

export const compareRoute = ({ admit, ...sources }: RouteParts & BothSources): Route => ({
  operation: {
    method: 'GET',
    path: '/compare',
    tag: 'analysis',
    access: 'key',
    summary: 'Analyse one page with both, side by side',
    description:
      'Runs the remote analysis API and local Lighthouse in parallel, returns both results, and says how far they are apart and why.',
    query: PageQuery,
    answer: CompareReport,
    validates: true,
    fails: true,
  },
  free: false,
  handle: async (request, reply) => {
    const wanted = readQuery(request.query as string);
    await admit(request, [wanted.url]);
    return answerAnalysis(request, reply, async (signal, onProgress) => {
      const both = await analyseBoth(sources, wanted, { fresh: isFresh(request), signal, onProgress });
      return toCompared(wanted, both).answer;
    });
  },
});
