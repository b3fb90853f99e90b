import Type from 'typebox';
import { CompareResult } from '../../../contract/analysis/answers.ts';
import { ExperimentAnswer } from '../../../contract/experiments/answer.ts';
import { Result } from '../../../contract/result/result.ts';
import { KeptFailure, ResultQuery } from '../../../contract/stored/kept.ts';
import type { Entry, FullResult, ResultStore } from '../../../storage/results/store.ts';
import { sendJson } from '../../answers/answer.ts';
import { streamParts } from '../../answers/send-parts.ts';
import { createQueryReader } from '../../input/read-input.ts';
import type { Route, RouteParts } from '../../route.ts';
import { toCaller } from '../../server/full-turns.ts';
import { findEntry, findFull, measureFull, type StoreSources, unpackFull } from './stored.ts';

const readQuery = createQueryReader(ResultQuery);

/** Removes links to artifacts that no longer exist: to free space, artifacts are removed before their results. */
async function withLinksThatWork(store: ResultStore | undefined, { id, summary }: Entry): Promise<string> {
  if (!summary.includes('"trace":"/results/') || (await store?.artifacts(id))) return summary;
  const { links, ...answer } = JSON.parse(summary) as { links?: Record<string, string> };
  const { trace: _, network_log: __, ...left } = links ?? {};
  return JSON.stringify({ ...answer, links: left });
}

/** Yields a summary with the whole Lighthouse result as its last member. */
async function* withFull(summary: string, full: FullResult): AsyncGenerator<Buffer> {
  yield Buffer.from(`${summary.slice(0, -1)},"lighthouse_result":`);
  yield* unpackFull(full);
  yield Buffer.from('}');
}

export const resultRoute = ({ store, fullTurns, toClientId }: StoreSources & RouteParts): Route => ({
  operation: {
    method: 'GET',
    path: '/results/{id}',
    tag: 'results',
    summary: 'Read a stored result',
    description:
      'The stored result, failure, comparison or experiment; with `detailed=true` a result has its full data. A browser is redirected to the page that shows it.',
    query: ResultQuery,
    answer: Type.Union([Result, CompareResult, KeptFailure, ExperimentAnswer]),
  },
  // Short path for sharing links.
  alias: '/r/:id',
  effort: 'read',
  handle: async (request, reply) => {
    const { detailed } = readQuery(request.query as string);
    const { id } = request.params as { id: string };
    const entry = await findEntry(store, id);
    const summary = await withLinksThatWork(store, entry);
    if (!detailed) return sendJson(reply, summary);
    const send = async () => {
      const full = await findFull(store, id);
      if (!full) return sendJson(reply, summary);
      await measureFull(full);
      return streamParts(reply, withFull(summary, full), 'application/json');
    };
    return fullTurns.sendStream(send, reply, toCaller(toClientId, request, reply));
  },
});
