import type { AskWhatIf } from '../../../analysis/stored/what-if.ts';
import { WhatIf } from '../../../contract/stored/what-if.ts';
import { sendJson } from '../../answers/answer.ts';
import type { Route, RouteParts } from '../../route.ts';
import { toCaller } from '../../server/full-turns.ts';
import { askStore, findEntry, type StoreSources } from './stored.ts';

export const whatIfRoute = ({
  store,
  askWhatIf,
  toClientId,
}: StoreSources & Pick<RouteParts, 'toClientId'> & { askWhatIf: AskWhatIf }): Route => ({
  operation: {
    method: 'GET',
    path: '/results/{id}/what-if',
    tag: 'results',
    summary: 'Predict the score of a stored load after a change',
    description:
      'Predicts the score without each third party and heavy script, on other devices and networks, and with all fixes together. Everything is simulated from the stored load: no page is measured.',
    answer: WhatIf,
  },
  effort: 'measurement',
  handle: async (request, reply) => {
    const { id } = request.params as { id: string };
    const caller = toCaller(toClientId, request, reply);
    const entry = await findEntry(store, id);
    const answer = await askStore(store, stored => askWhatIf(stored, entry, caller));
    return sendJson(reply, JSON.stringify(answer));
  },
});
