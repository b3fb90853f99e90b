import type { AnalyseRemote } from '../analysis/analyse-remote.ts';
import type { PageAnalysis } from '../analysis/analyse-strategies.ts';
import { analyseStrategies } from '../analysis/analyse-strategies.ts';
import { renderReport, reportPolicy } from '../html-report/render-report.ts';
import { renderStrategies, strategiesPolicy } from '../html-report/render-strategies.ts';
import type { JsonBytes } from '../report/json-bytes.ts';
import { isFresh, toPageAnswer } from './answer.ts';
import { answerReport } from './answer-report.ts';
import { createQueryReader } from './read-input.ts';
import { type ReportFile, toFileName } from './report-file.ts';
import type { Route, RouteParts } from './route.ts';
import { PsiReportQuery } from './schemas.ts';

const readQuery = createQueryReader(PsiReportQuery);

/** @param json the page's answer in JSON, of which something succeeded */
function draw({ url, strategy }: Pick<PageAnalysis, 'url' | 'strategy'>, json: JsonBytes): ReportFile {
  const body = JSON.parse(json.toString('utf8'));
  const name = toFileName(url, 'psi', strategy);
  return strategy === 'both'
    ? { html: renderStrategies(body), policy: strategiesPolicy(), name }
    : { html: renderReport(body), policy: reportPolicy(), name };
}

export const psiReportRoute = ({ analyseRemote, admit }: RouteParts & { analyseRemote: AnalyseRemote }): Route => ({
  operation: {
    method: 'GET',
    path: '/psi/report',
    tag: 'analysis',
    access: 'key',
    summary: 'The same as an HTML report',
    description:
      "What `/psi` answers as Lighthouse's own report, in one file; both strategies in one as well. Results are cached with those of `/psi`, and failures are the same.",
    query: PsiReportQuery,
    isFile: true,
    validates: true,
    fails: true,
  },
  free: false,
  handle: async (request, reply) => {
    const page = readQuery(request.query as string);
    await admit(request, [page.url]);
    return answerReport(reply, async signal => {
      const analysis = await analyseStrategies(analyseRemote, page, {
        detailed: true,
        fresh: isFresh(request),
        signal,
      });
      const answer = toPageAnswer(analysis);
      return { ...answer, draw: () => draw(analysis, answer.json) };
    });
  },
});
