import type { AnalyseRemote } from '../../analysis/analyse-remote.ts';
import { analyseStrategies } from '../../analysis/analyse-strategies.ts';
import type { Threads } from '../../analysis/threads/threads.ts';
import { PsiReportQuery } from '../../contract/analysis/requests.ts';
import { toPageAnswer } from '../answers/answer.ts';
import { toWhole } from '../answers/json-parts.ts';
import { createQueryReader } from '../input/read-input.ts';
import type { Route, RouteParts } from '../route.ts';
import { toReportRoute } from './report-route.ts';

const read = createQueryReader(PsiReportQuery);

export type RemoteReportSources = { analyseRemote: AnalyseRemote; threads: Pick<Threads, 'drawReport'> };

export const psiReportRoute = ({ analyseRemote, threads, admit, fullTurns }: RouteParts & RemoteReportSources): Route =>
  toReportRoute({
    path: '/psi/report',
    description:
      'The `/psi` result as a Lighthouse report in one file, even for both strategies. The cache and the errors are the same as those of `/psi`.',
    query: PsiReportQuery,
    admit: (request, urls) => admit(request, urls, 'psi'),
    fullTurns,
    read,
    word: 'psi',
    analyse: async (page, options) => {
      const answer = toPageAnswer(await analyseStrategies(analyseRemote, page, { detailed: true, ...options }));
      return {
        ...answer,
        draw: async caller => threads.drawReport({ bytes: await toWhole(answer.json) }, caller),
      };
    },
  });
