import Type from 'typebox';
import { createReadHistory } from '../../../analysis/stored/read-history.ts';
import { History, HistoryQuery } from '../../../contract/stored/history.ts';
import { toBuffer } from '../../../measure/lhr/json-bytes.ts';
import { toFileName } from '../../../web/report/file-policy.ts';
import { csvType, sendJson } from '../../answers/answer.ts';
import { createQueryReader } from '../../input/read-input.ts';
import type { Route, RouteParts } from '../../route.ts';
import { toCaller } from '../../server/full-turns.ts';
import { askStore, type StoreSources } from './stored.ts';

const readQuery = createQueryReader(HistoryQuery);

export const historyRoute = ({
  store,
  toClientId,
  ...parts
}: StoreSources & Pick<RouteParts, 'toClientId'> & Parameters<typeof createReadHistory>[0]): Route => {
  const readHistory = createReadHistory(parts);
  return {
    operation: {
      method: 'GET',
      path: '/history',
      tag: 'results',
      summary: 'History of one value of a page',
      description:
        'The stored results of a page for one strategy and source, with lasting changes, and gaps with their reasons. The runs of one request form one point.',
      query: HistoryQuery,
      answer: History,
      streams: { contentType: csvType, line: Type.String({ description: 'One point' }) },
    },
    effort: 'action',
    handle: async (request, reply) => {
      const wanted = readQuery(request.query as string);
      const { url, metric, strategy, format } = wanted;
      const caller = toCaller(toClientId, request, reply);
      const bytes = toBuffer(await askStore(store, stored => readHistory(stored, wanted, caller)));
      if (format === 'json') return sendJson(reply, bytes);
      const name = toFileName(url, metric, strategy).replace(/html$/, 'csv');
      return sendJson(reply.header('content-disposition', `attachment; filename="${name}"`), bytes, 200, csvType);
    },
  };
};
