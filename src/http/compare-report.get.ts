import { analyseBoth, type BothSources } from '../analysis/analyse-both.ts';
import { comparisonPolicy, renderComparison } from '../html-report/render-comparison.ts';
import { isFresh } from './answer.ts';
import { answerReport } from './answer-report.ts';
import { toCompared } from './compare.get.ts';
import { createQueryReader } from './read-input.ts';
import { toFileName } from './report-file.ts';
import type { Route, RouteParts } from './route.ts';
import { PageQuery } from './schemas.ts';

const readQuery = createQueryReader(PageQuery);

export const compareReportRoute = ({ admit, ...sources }: RouteParts & BothSources): Route => ({
  operation: {
    method: 'GET',
    path: '/compare/report',
    tag: 'analysis',
    access: 'key',
    summary: 'The same as an HTML report',
    description:
      'What `/compare` finds, in one file without scripts; the JSON stands in it too. Failures are those of `/compare`.',
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
      const both = await analyseBoth(sources, wanted, { fresh: isFresh(request), signal });
      const { body, answer } = toCompared(wanted, both);
      return {
        ...answer,
        draw: () => ({
          html: renderComparison(body),
          policy: comparisonPolicy,
          name: toFileName(url, 'compared', strategy),
        }),
      };
    });
  },
});
