import type { AnalyseLocal } from '../analysis/analyse-local.ts';
import { renderReport, reportPolicy } from '../html-report/render-report.ts';
import { createQueryReader } from './read-input.ts';
import { toReportRoute } from './report-route.ts';
import type { Route, RouteParts } from './route.ts';
import { PageQuery } from './schemas.ts';

const read = createQueryReader(PageQuery);

export const lighthouseReportRoute = ({ analyseLocal, admit }: RouteParts & { analyseLocal: AnalyseLocal }): Route =>
  toReportRoute({
    path: '/lighthouse/report',
    description:
      "What `/lighthouse` measures as Lighthouse's own report, in one file. Failures are those of `/lighthouse`.",
    query: PageQuery,
    admit,
    read,
    word: 'lighthouse',
    analyse: async (wanted, { signal }) => {
      const { report, lhr } = await analyseLocal(wanted, signal);
      return { draw: () => ({ html: renderReport({ ...report, lighthouse_result: lhr }), policy: reportPolicy() }) };
    },
  });
