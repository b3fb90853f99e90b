import Type from 'typebox';
import { toKeptFacts } from '../../../analysis/records/to-kept-facts.ts';
import { KeptPage, KeptQuery } from '../../../contract/stored/kept.ts';
import { toResultsCsv } from '../../../explain/history/csv.ts';
import type { ListQuery } from '../../../storage/results/store.ts';
import { csvType, sendJson } from '../../answers/answer.ts';
import { createQueryReader } from '../../input/read-input.ts';
import type { Route } from '../../route.ts';
import { askStore, type StoreSources } from './stored.ts';

const readQuery = createQueryReader(KeptQuery);

const toListQuery = ({
  url,
  host,
  source,
  strategy,
  label,
  group,
  kind,
  since,
  until,
  limit,
  cursor,
}: ReturnType<typeof readQuery>): ListQuery => ({
  ...(url === null ? {} : { url }),
  ...(host === null ? {} : { host: host.toLowerCase() }),
  ...(source === null ? {} : { source }),
  ...(strategy === null ? {} : { strategy }),
  ...(label === null ? {} : { label }),
  ...(group === null ? {} : { groupId: group }),
  // Runs of a result are listed only on request: alone or as a group.
  kinds: kind === null ? (group === null ? ['result', 'failure', 'comparison'] : ['result', 'run']) : [kind],
  ...(since === null ? {} : { sinceMs: Date.parse(since) }),
  ...(until === null ? {} : { untilMs: Date.parse(until) }),
  ...(cursor === null ? {} : { cursor }),
  limit,
});

function toNextPage(query: string, cursor: string): string {
  const next = new URLSearchParams(query);
  next.set('cursor', cursor);
  return `?${next}`;
}

export const resultsRoute = ({ store }: StoreSources): Route => ({
  operation: {
    method: 'GET',
    path: '/results',
    tag: 'results',
    summary: 'List stored results',
    description: 'Stored results, newest first, filtered by page, host, source, strategy, label and time.',
    query: KeptQuery,
    answer: KeptPage,
    streams: { contentType: csvType, line: Type.String({ description: 'One entry' }) },
  },
  effort: 'read',
  handle: async (request, reply) => {
    const wanted = readQuery(request.query as string);
    const query = toListQuery(wanted);
    const { results, next, traced } = await askStore(store, async stored => {
      const page = await stored.list(query);
      return { ...page, traced: await stored.withArtifacts(page.results.map(({ id }) => id)) };
    });
    const kept = results.map(facts => toKeptFacts(facts, traced.has(facts.id)));
    if (wanted.format === 'json') return sendJson(reply, JSON.stringify({ results: kept, next }));
    if (next !== null) reply.header('link', `<${toNextPage(request.query as string, next)}>; rel="next"`);
    reply.header('content-disposition', 'attachment; filename="results.csv"');
    return sendJson(reply, toResultsCsv(kept), 200, csvType);
  },
});
