import Type from 'typebox';
import type { AnalyseRemote } from '../../analysis/analyse-remote.ts';
import { analyseStrategies } from '../../analysis/analyse-strategies.ts';
import { StrategiesResult } from '../../contract/answers.ts';
import { PsiQuery } from '../../contract/requests.ts';
import { Result } from '../../contract/result.ts';
import { isFresh, toPageAnswer } from '../answers/answer.ts';
import { answerAnalysis } from '../answers/answer-analysis.ts';
import { createQueryReader } from '../input/read-input.ts';
import type { Route, RouteParts } from '../route.ts';

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
    answer: Type.Union([Result, StrategiesResult]),
    validates: true,
    fails: true,
  },
  free: false,
  handle: async (request, reply) => {
    const { url, strategy, categories, detailed, label } = readQuery(request.query as string);
    const client = await admit(request, [url]);
    const page = { url, strategy, categories, label };
    return answerAnalysis(request, reply, async (signal, onProgress) => {
      const options = { detailed, fresh: isFresh(request), client, signal, onProgress };
      return toPageAnswer(await analyseStrategies(analyseRemote, page, options));
    });
  },
});
