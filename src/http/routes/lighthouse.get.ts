import type { AnalyseLocal } from '../../analysis/analyse-local.ts';
import { PageQuery } from '../../contract/requests.ts';
import { Result } from '../../contract/result.ts';
import { toFullJson } from '../answers/answer.ts';
import { answerAnalysis } from '../answers/answer-analysis.ts';
import { createQueryReader } from '../input/read-input.ts';
import type { Route, RouteParts } from '../route.ts';

const readQuery = createQueryReader(PageQuery);

export const lighthouseRoute = ({ analyseLocal, admit }: RouteParts & { analyseLocal: AnalyseLocal }): Route => ({
  operation: {
    method: 'GET',
    path: '/lighthouse',
    tag: 'analysis',
    access: 'key',
    summary: 'Analyse one page with local Lighthouse',
    description:
      "Runs Lighthouse in a headless browser on the service's own server. Always the full audit data. At most 2 analyses run in parallel; more wait.",
    query: PageQuery,
    answer: Result,
    validates: true,
    fails: true,
  },
  free: false,
  handle: async (request, reply) => {
    const wanted = readQuery(request.query as string);
    const client = await admit(request, [wanted.url]);
    return answerAnalysis(request, reply, async (signal, onProgress) => {
      return { json: [toFullJson(await analyseLocal(wanted, signal, { client, onProgress }))] };
    });
  },
});
