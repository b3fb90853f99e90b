import type { AnalyseLocal } from '../analysis/analyse-local.ts';
import { renderReport, reportPolicy } from '../html-report/render-report.ts';
import { answerReport } from './answer-report.ts';
import { createQueryReader } from './read-input.ts';
import { toFileName } from './report-file.ts';
import type { Route, RouteParts } from './route.ts';
import { PageQuery } from './schemas.ts';

const readQuery = createQueryReader(PageQuery);

export const lighthouseReportRoute = ({ analyseLocal, admit }: RouteParts & { analyseLocal: AnalyseLocal }): Route => ({
  operation: {
    method: 'GET',
    path: '/lighthouse/report',
    tag: 'analysis',
    access: 'key',
    summary: 'The same as an HTML report',
    description:
      "What `/lighthouse` measures as Lighthouse's own report, in one file. Failures are those of `/lighthouse`.",
    query: PageQuery,
    isFile: true,
    validates: true,
    fails: true,
  },
  free: false,
  handle: async (request, reply) => {
    const wanted = readQuery(request.query as string);
    const { url, strategy } = wanted;
    await admit(request, [url]);
    return answerReport(reply, async signal => {
      const { report, lhr } = await analyseLocal(wanted, signal);
      return {
        draw: () => ({
          html: renderReport({ ...report, lighthouse_result: lhr }),
          policy: reportPolicy(),
          name: toFileName(url, 'lighthouse', strategy),
        }),
      };
    });
  },
});
