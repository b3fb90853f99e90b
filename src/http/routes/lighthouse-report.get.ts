import type { AnalyseLocal } from '../../analysis/analyse-local.ts';
import type { Threads } from '../../analysis/threads/threads.ts';
import { PageReportQuery } from '../../contract/analysis/requests.ts';
import { toFullJson } from '../answers/answer.ts';
import { toBytes } from '../answers/json-parts.ts';
import { createQueryReader } from '../input/read-input.ts';
import type { Route, RouteParts } from '../route.ts';
import { toReportRoute } from './report-route.ts';

const read = createQueryReader(PageReportQuery);

export type LocalReportSources = { analyseLocal: AnalyseLocal; threads: Pick<Threads, 'drawReport'> };

export const lighthouseReportRoute = ({
  analyseLocal,
  threads,
  admit,
  fullTurns,
}: RouteParts & LocalReportSources): Route =>
  toReportRoute({
    path: '/lighthouse/report',
    description:
      'The `/lighthouse` result as a Lighthouse report in one file. Errors are the same as those of `/lighthouse`.',
    query: PageReportQuery,
    admit,
    fullTurns,
    read,
    word: 'lighthouse',
    analyse: async (wanted, { client, signal }) => {
      const bytes = toBytes(toFullJson(await analyseLocal(wanted, signal, { client })));
      return { draw: caller => threads.drawReport({ bytes }, caller) };
    },
  });
