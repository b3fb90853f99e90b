import { analyseBoth } from '../../analysis/analyse-both.ts';
import type { Threads } from '../../analysis/threads/threads.ts';
import { PageReportQuery } from '../../contract/analysis/requests.ts';
import { toSideNames } from '../../presentation/side-names.ts';
import { createQueryReader } from '../input/read-input.ts';
import type { Route, RouteParts } from '../route.ts';
import { type CompareSources, toCompared } from './compare.get.ts';
import { toReportRoute } from './report-route.ts';
import { toPageAnalyser } from './web-page.ts';

const read = createQueryReader(PageReportQuery);

export type ComparisonReportSources = CompareSources & {
  threads: Pick<Threads, 'drawComparison'>;
  analyser: Parameters<typeof toPageAnalyser>[0];
};

export const compareReportRoute = ({
  admit,
  fullTurns,
  analyser,
  recorder,
  ...sources
}: RouteParts & ComparisonReportSources): Route =>
  toReportRoute({
    path: '/compare/report',
    description:
      'The `/compare` result in one file without scripts, which also contains the JSON. Errors are the same as those of `/compare`.',
    query: PageReportQuery,
    admit,
    fullTurns,
    read,
    word: 'compared',
    analyse: async (wanted, options) => {
      const both = await analyseBoth(sources, wanted, options);
      const { body, answer } = await toCompared(wanted, both, recorder);
      const names = toSideNames(toPageAnalyser(analyser));
      return { ...answer, draw: caller => sources.threads.drawComparison({ body, names }, caller) };
    },
  });
