import { refusalOf } from '../../../analysis/assert-target.ts';
import { predictLoad } from '../../../analysis/predict-variants.ts';
import { AnalysisError } from '../../../contract/errors.ts';
import { ExperimentAnswer } from '../../../contract/experiments/answer.ts';
import { ConfirmQuery, type Variant } from '../../../contract/experiments/request.ts';
import { toPromising } from '../../../explain/experiments/predict.ts';
import { patternFault } from '../../input/condition-faults.ts';
import { createQueryReader } from '../../input/read-input.ts';
import type { Route } from '../../route.ts';
import { toCaller } from '../../server/full-turns.ts';
import { askStore, findEntry } from '../results/stored.ts';
import { type ExperimentSources, startExperiment } from './start-experiment.ts';

const readQuery = createQueryReader(ConfirmQuery);

const unchanged = { url: null, replace: null, headers: null, throttling: null, strategy: null, recipes: null } as const;

const nothingPromising = () =>
  new AnalysisError(
    'not_simulated',
    'No removal of a third party or script that can be blocked alone is predicted to add points: nothing to measure.',
  );

const conditionsGone = (conditions: string) =>
  new AnalysisError(
    'not_simulated',
    `This load had conditions (${conditions}), which are not stored. Send them with your variants to POST /experiments.`,
  );

/** This is a POST, because it starts loads of the page; the GET of the same path only simulates. */
export const confirmWhatIfRoute = (sources: ExperimentSources): Route => ({
  operation: {
    method: 'POST',
    path: '/results/{id}/what-if',
    tag: 'results',
    summary: 'Measure the most promising predictions',
    description:
      'Starts an experiment whose variants block the third parties and scripts with the largest predicted gain. The response shows each prediction next to its measurement.',
    query: ConfirmQuery,
    answer: ExperimentAnswer,
    status: 202,
  },
  effort: 'measurement',
  handle: async (request, reply) => {
    const { id } = request.params as { id: string };
    const { confirm } = readQuery(request.query as string);
    const { store } = sources;
    const entry = await findEntry(store, id);
    const { url, strategy, profile, label } = entry;
    const refusal = refusalOf(sources, 'lighthouse', url);
    if (refusal) throw refusal;
    if (entry.conditions !== null) throw conditionsGone(entry.conditions);
    const caller = toCaller(sources.toClientId, request, reply);
    const predicted = await askStore(store, stored => predictLoad(sources, stored, entry, caller));
    const isAllowed = (pattern: string) => patternFault(pattern, url) === undefined;
    const variants = toPromising(predicted, confirm, isAllowed).map((made): Variant => ({ ...unchanged, ...made }));
    if (variants.length === 0) throw nothingPromising();
    const read = {
      url,
      variants,
      strategy,
      profile: profile ?? 'lighthouse',
      metric: 'performance',
      throttling_method: null,
      label,
    } as const;
    return startExperiment(sources, request, reply, { read, load: entry });
  },
});
