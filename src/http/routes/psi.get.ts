import Type from 'typebox';
import type { AnalyseRemote } from '../analysis/analyse-remote.ts';
import { analyseStrategies } from '../analysis/analyse-strategies.ts';
import { Report } from '../report/report.ts';
import { isFresh, toPageAnswer } from './answer.ts';
import { answerAnalysis } from './answer-analysis.ts';
import { createQueryReader } from './read-input.ts';
import type { Route, RouteParts } from './route.ts';
import { PsiQuery, StrategiesReport } from './schemas.ts';

const readQuery = createQueryReader(PsiQuery);

export const psiGetRoute = ({ analyseRemote, admit }: RouteParts & { analyseRemote: AnalyseRemote }): Route => ({
  operation: {
    method: 'GET',
    path: '/psi',
    tag: 'analysis',
    access: 'key',
    summary: 'Analyse one page with the remote analyser',
    description: 'A quick analysis of one URL through the remote analysis API, version 5. Results are cached.',
    query: PsiQuery,
    answer: Type.Union([Report, StrategiesReport]),
    validates: true,
    fails: true,
  },
  free: false,
  handle: async (request, reply) => {
    const { url, strategy, categories, detailed } = readQuery(request.query as string);
    await admit(request, [url]);
    const page = { url, strategy, categories };
    return answerAnalysis(request, reply, async (signal, onProgress) => {
      const options = { detailed, fresh: isFresh(request), signal, onProgress };
      return toPageAnswer(await analyseStrategies(analyseRemote, page, options));
    });
  },
});
