import { Removed, RemoveQuery } from '../../../contract/stored/kept.ts';
import { sendJson } from '../../answers/answer.ts';
import { createQueryReader } from '../../input/read-input.ts';
import type { Route } from '../../route.ts';
import { askStore, notFound, type StoreSources } from './stored.ts';

const shared = { method: 'DELETE', tag: 'results', answer: Removed } as const;

export const forgetResultRoute = ({ store }: StoreSources): Route => ({
  operation: {
    ...shared,
    path: '/results/{id}',
    summary: 'Remove one stored result',
    description:
      'Removes a result, failure or comparison with its full data and artifacts, but not a copy in the cache.',
  },
  effort: 'action',
  handle: async (request, reply) => {
    const { id } = request.params as { id: string };
    if (!(await askStore(store, stored => stored.forget(id)))) throw notFound();
    return sendJson(reply, JSON.stringify({ removed: 1 }));
  },
});

const readQuery = createQueryReader(RemoveQuery);

export const forgetPageRoute = ({ store }: StoreSources): Route => ({
  operation: {
    ...shared,
    path: '/results',
    summary: 'Remove the results of a page',
    description: 'Removes all stored entries of one URL, and returns their number.',
    query: RemoveQuery,
  },
  effort: 'action',
  handle: async (request, reply) => {
    const { url } = readQuery(request.query as string);
    const removed = await askStore(store, stored => stored.forgetUrl(url));
    return sendJson(reply, JSON.stringify({ removed }));
  },
});
