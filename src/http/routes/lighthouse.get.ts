import type { AnalyseLocal } from '../analysis/analyse-local.ts';
import { joinObjects, toJson, toObject } from '../report/json-bytes.ts';
import { Report } from '../report/report.ts';
import { answerAnalysis } from './answer-analysis.ts';
import { createQueryReader } from './read-input.ts';
import type { Route, RouteParts } from './route.ts';
import { PageQuery } from './schemas.ts';

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
    answer: Report,
    validates: true,
    fails: true,
  },
  free: false,
  handle: async (request, reply) => {
    const wanted = readQuery(request.query as string);
    await admit(request, [wanted.url]);
    return answerAnalysis(request, reply, async (signal, onProgress) => {
      const { report, lighthouseResult } = await analyseLocal(wanted, signal, { onProgress });
      return { json: joinObjects(toJson(report), toObject({ lighthouse_result: Buffer.from(lighthouseResult) })) };
    });
  },
});
