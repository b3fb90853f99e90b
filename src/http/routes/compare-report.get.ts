import { analyseBoth, type BothSources } from '../analysis/analyse-both.ts';
import { comparisonPolicy, renderComparison } from '../html-report/render-comparison.ts';
import { toCompared } from './compare.get.ts';
import { createQueryReader } from './read-input.ts';
import { toReportRoute } from './report-route.ts';
import type { Route, RouteParts } from './route.ts';
import { PageQuery } from './schemas.ts';

const read = createQueryReader(PageQuery);

export const compareReportRoute = ({ admit, ...sources }: RouteParts & BothSources): Route =>
  toReportRoute({
    path: '/compare/report',
    description:
      'What `/compare` finds, in one file without scripts; the JSON stands in it too. Failures are those of `/compare`.',
    query: PageQuery,
    admit,
    read,
    word: 'compared',
    analyse: async (wanted, options) => {
      const { body, answer } = toCompared(wanted, await analyseBoth(sources, wanted, options));
      return { ...answer, draw: () => ({ html: renderComparison(body), policy: comparisonPolicy }) };
    },
  });
