import { analyseBoth, type BothSources } from '../analysis/analyse-both.ts';
import type { Outcome } from '../analysis/outcome.ts';
import { toJson } from '../report/json-bytes.ts';
import type { Report } from '../report/report.ts';
import { allFailed, isFresh, sendJson, sendProblem } from './answer.ts';
import { callerSignal } from './caller.ts';
import { toProblem } from './problem.ts';
import { createQueryReader } from './read-input.ts';
import { logFailure } from './request-log.ts';
import type { Route, RouteParts } from './route.ts';
import { CompareReport, PageQuery } from './schemas.ts';

const toSide = (url: string, outcome: Outcome<Report>) =>
  outcome.ok ? outcome.value : { url, error: toProblem(outcome.error) };

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
    const { url, strategy } = wanted;
    await admit(request, [url]);
    const both = await analyseBoth(sources, wanted, { fresh: isFresh(request), signal: callerSignal(reply) });
    const { psi, lighthouse, comparison } = both;
    const json = toJson({
      url,
      strategy,
      psi: toSide(url, psi),
      lighthouse: toSide(url, lighthouse),
      comparison,
    });
    const failure = allFailed([psi, lighthouse]);
    if (failure) return sendProblem(reply, failure, json);
    for (const side of [psi, lighthouse]) if (!side.ok) logFailure(reply, side.error);
    return sendJson(reply, json);
  },
});
