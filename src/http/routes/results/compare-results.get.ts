import { type CompareKeptSources, createCompareKept } from '../../../analysis/stored/compare-stored.ts';
import { UnclearSideError } from '../../../analysis/stored/find-sides.ts';
import { CompareResultsQuery, ResultsComparison } from '../../../contract/stored/change.ts';
import { defaultSmallestEffects, type SmallestEffects } from '../../../explain/statistics/smallest-effect.ts';
import { toBuffer } from '../../../measure/lhr/json-bytes.ts';
import { sendJson } from '../../answers/answer.ts';
import { createQueryReader } from '../../input/read-input.ts';
import { missing, ValidationFailure, valueError } from '../../input/validation-error.ts';
import type { Route, RouteParts } from '../../route.ts';
import { toCaller } from '../../server/full-turns.ts';
import { askStore, type StoreSources } from './stored.ts';

const readQuery = createQueryReader(CompareResultsQuery);

type Wanted = ReturnType<typeof readQuery>;

const toSmallestEffects = ({ min_effect_points, min_effect_percent, min_effect_ms }: Wanted): SmallestEffects => ({
  ...defaultSmallestEffects,
  score: { absolute: min_effect_points },
  time: { absolute: min_effect_ms, share: min_effect_percent / 100 },
});

/** Checks that both sides are given: an empty id or label counts as missing. @throws ValidationFailure */
function assertSides({ before, after }: Wanted): void {
  const empty = Object.entries({ before, after }).filter(([, side]) => !side);
  if (empty.length > 0) throw new ValidationFailure(empty.map(([name]) => missing(['query', name])));
}

/** Converts an unclear side into a validation fault of the query. */
const toValidation = (error: unknown): never => {
  if (!(error instanceof UnclearSideError)) throw error;
  throw new ValidationFailure([valueError(error.message)(['query', error.parameter])]);
};

export const compareResultsRoute = ({
  store,
  toClientId,
  ...sources
}: StoreSources & Pick<RouteParts, 'toClientId'> & CompareKeptSources): Route => {
  const compareKept = createCompareKept(sources);
  return {
    operation: {
      method: 'GET',
      path: '/compare-results',
      tag: 'results',
      summary: 'Compare two results or labels',
      description:
        'Scores and metrics with the interval of their difference, changed audits, added and removed requests, conditions that differ, and a verdict: better, worse, no difference, or undecided.',
      query: CompareResultsQuery,
      answer: ResultsComparison,
    },
    effort: 'measurement',
    handle: async (request, reply) => {
      const wanted = readQuery(request.query as string);
      assertSides(wanted);
      const { before, after, url, strategy, source, builds: areBuilds, looks } = wanted;
      const caller = toCaller(toClientId, request, reply);
      const smallestEffects = toSmallestEffects(wanted);
      const order = { before, after, url, strategy, source, smallestEffects, areBuilds, looks };
      const bytes = await askStore(store, stored => compareKept(stored, order, caller).catch(toValidation));
      return sendJson(reply, toBuffer(bytes));
    },
  };
};
