import type { AnalyseRemote } from '../analysis/analyse-remote.ts';
import { analyseStrategies } from '../analysis/analyse-strategies.ts';
import { renderReport, reportPolicy } from '../html-report/render-report.ts';
import { renderStrategies, strategiesPolicy } from '../html-report/render-strategies.ts';
import { toPageAnswer } from './answer.ts';
import { createQueryReader } from './read-input.ts';
import { toReportRoute } from './report-route.ts';
import type { Route, RouteParts } from './route.ts';
import { PsiReportQuery } from './schemas.ts';

const read = createQueryReader(PsiReportQuery);

export const psiReportRoute = ({ analyseRemote, admit }: RouteParts & { analyseRemote: AnalyseRemote }): Route =>
  toReportRoute({
    path: '/psi/report',
    description:
      "What `/psi` answers as Lighthouse's own report, in one file; both strategies in one as well. Results are cached with those of `/psi`, and failures are the same.",
    query: PsiReportQuery,
    admit,
    read,
    word: 'psi',
    analyse: async (page, options) => {
      const answer = toPageAnswer(await analyseStrategies(analyseRemote, page, { detailed: true, ...options }));
      return {
        ...answer,
        draw: () => {
          const body = JSON.parse(answer.json.toString('utf8'));
          return page.strategy === 'both'
            ? { html: renderStrategies(body), policy: strategiesPolicy() }
            : { html: renderReport(body), policy: reportPolicy() };
        },
      };
    },
  });
