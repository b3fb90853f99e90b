import Type from 'typebox';
import { CompareResult } from '../../../contract/analysis/answers.ts';
import { KeptFailure, ResultQuery } from '../../../contract/kept/kept.ts';
import { Result } from '../../../contract/result/result.ts';
import { joinObjects, toObject } from '../../../result/json-bytes.ts';
import { sendJson } from '../../answers/answer.ts';
import { createQueryReader } from '../../input/read-input.ts';
import type { Route } from '../../route.ts';
import { readFullResult } from './full-result.ts';
import { findEntry, type StoreSources } from './stored.ts';

const readQuery = createQueryReader(ResultQuery);

export const resultRoute = ({ store }: StoreSources): Route => ({
  operation: {
    method: 'GET',
    path: '/results/{id}',
    tag: 'results',
    access: 'key',
    summary: 'Read one kept result',
    description:
      'The result, failure or comparison as it was answered; with `detailed=true` a result has its full data.',
    query: ResultQuery,
    answer: Type.Union([Result, CompareResult, KeptFailure]),
    validates: true,
    fails: true,
  },
  free: true,
  handle: async (request, reply) => {
    const { detailed } = readQuery(request.query as string);
    const { id } = request.params as { id: string };
    const { summary } = await findEntry(store, id);
    const lighthouseResult = detailed ? await readFullResult(store, id) : undefined;
    if (!lighthouseResult) return sendJson(reply, summary);
    return sendJson(reply, joinObjects(Buffer.from(summary), toObject({ lighthouse_result: lighthouseResult })));
  },
});
