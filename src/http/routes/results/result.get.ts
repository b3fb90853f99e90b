import Type from 'typebox';
import { CompareResult } from '../../../contract/analysis/answers.ts';
import { Result } from '../../../contract/result/result.ts';
import { KeptFailure, ResultQuery } from '../../../contract/stored/kept.ts';
import type { Entry, ResultStore } from '../../../storage/results/store.ts';
import { sendJson } from '../../answers/answer.ts';
import { joinParts, toParts } from '../../answers/json-parts.ts';
import { sendParts } from '../../answers/send-parts.ts';
import { createQueryReader } from '../../input/read-input.ts';
import type { Route } from '../../route.ts';
import { findEntry, readFullResult, type StoreSources } from './stored.ts';

const readQuery = createQueryReader(ResultQuery);

/** Removes links to artifacts that no longer exist: to free space, artifacts are removed before their results. */
async function withLinksThatWork(store: ResultStore | undefined, { id, summary }: Entry): Promise<string> {
  if (!summary.includes('"trace":"/results/') || (await store?.artifacts(id))) return summary;
  const { links, ...answer } = JSON.parse(summary) as { links?: Record<string, string> };
  const { trace: _, network_log: __, ...left } = links ?? {};
  return JSON.stringify({ ...answer, links: left });
}

export const resultRoute = ({ store }: StoreSources): Route => ({
  operation: {
    method: 'GET',
    path: '/results/{id}',
    tag: 'results',
    access: 'key',
    summary: 'Read a stored result',
    description:
      'The stored result, failure or comparison; with `detailed=true` a result has its full data. A browser is redirected to the page that shows it.',
    query: ResultQuery,
    answer: Type.Union([Result, CompareResult, KeptFailure]),
    validates: true,
    fails: true,
  },
  // Short path for sharing links.
  alias: '/r/:id',
  effort: 'read',
  handle: async (request, reply) => {
    const { detailed } = readQuery(request.query as string);
    const { id } = request.params as { id: string };
    const entry = await findEntry(store, id);
    const summary = await withLinksThatWork(store, entry);
    const lighthouseResult = detailed ? await readFullResult(store, id) : undefined;
    if (!lighthouseResult) return sendJson(reply, summary);
    return sendParts(reply, joinParts(Buffer.from(summary), toParts({ lighthouse_result: [lighthouseResult] })));
  },
});
