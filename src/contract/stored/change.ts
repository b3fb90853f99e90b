/** Request and response of a comparison of stored results. */
import Type, { type Static } from 'typebox';
import { arrayOf, byName, component, count, labelText, moment, nullable, oneOf, text } from '../fields.ts';
import { strategies } from '../names.ts';
import { absent, names, pageUrl, parameters, range, toggle } from '../parameters.ts';
import { AlikeComparison, ChangeVerdict, MeasureChange, VersionEffect } from './change-verdict.ts';
import { FlippedAudit, RequestChanges } from './changed-loads.ts';
import { singleSources } from './history.ts';

const side = (title: string) => Type.String({ ...labelText, title, description: 'Id of a result, or a label' });

export const CompareResultsQuery = parameters({
  before: side('Before'),
  after: side('After'),
  url: absent(pageUrl(), 'Page to compare; required if a label has results of several pages'),
  strategy: absent(names(strategies), 'Strategy to compare; mobile if a label has both'),
  source: absent(
    names(singleSources),
    'Source of the results of a label: PageSpeed Insights (`psi`) or local audits (default)',
  ),
  min_effect_points: range(1, 100, 2, 'Smallest score difference that matters'),
  min_effect_percent: range(0, 100, 5, 'Smallest time difference that matters, as a percentage of the median before'),
  min_effect_ms: range(
    1,
    60_000,
    50,
    'Smallest time difference that matters, in milliseconds; the larger of the two limits applies',
  ),
  builds: toggle('Compare two URLs as two builds of one page'),
  looks: range(
    1,
    10,
    1,
    'Number of times that you compare a growing set of runs; the comparisons share the false-alarm rate',
  ),
});

const ComparedSide = Type.Object({
  requested: text('Id or label from the request'),
  by: oneOf(['id', 'label'], 'Whether the request gave an id or a label'),
  url: text('URL of the page'),
  strategy: oneOf(strategies, 'Emulated device'),
  source: oneOf(singleSources, 'Backend of the results'),
  runs: count('Number of runs', 1),
  history: count('Other results of the page, without a change between, that the verdict counts like runs of this side'),
  disturbed: count('Runs with a disturbed load'),
  ids: arrayOf(Type.String(), 'Ids of all runs, oldest first'),
  labels: arrayOf(Type.String(), 'Labels of the runs'),
  from: moment('Time of the first run'),
  to: moment('Time of the last run'),
  selected_id: text('Id of the run nearest to the medians, whose audits and requests are compared'),
  links: Type.Object({ self: text('The run nearest to the medians') }),
});
export type ComparedSide = Static<typeof ComparedSide>;

const differenceNames = [
  'url',
  'strategy',
  'source',
  'analyser',
  'profile',
  'conditions',
  'throttling',
  'lighthouse_version',
  'benchmark_index',
  'browser_version',
  'machine_id',
] as const;

const Difference = Type.Object({
  name: oneOf(differenceNames, 'Condition that differs'),
  before: arrayOf(Type.String(), 'Values before'),
  after: arrayOf(Type.String(), 'Values after'),
  effect: oneOf(['no_verdict', 'possible_cause'], '`no_verdict`: this difference prevents a verdict'),
});
export type Difference = Static<typeof Difference>;

export const ResultsComparison = component(
  'ResultsComparison',
  'Changes between two results or labels, with a verdict',
  {
    before: ComparedSide,
    after: ComparedSide,
    verdict: ChangeVerdict,
    differences: arrayOf(Difference, 'Conditions that differ between the sides'),
    version: nullable(VersionEffect),
    alike: nullable(AlikeComparison),
    scores: byName(MeasureChange, 'By category, if both sides have it'),
    metrics: byName(MeasureChange, 'By metric, if both sides have it'),
    custom_metrics: byName(
      MeasureChange,
      'By custom metric, of undisturbed runs. They have no part in `verdict`; a metric of one side only is null on the other',
    ),
    audits: nullable(
      arrayOf(
        FlippedAudit,
        'Audits that failed in all runs of one side and in none of the other; null if the full results are not stored',
      ),
    ),
    requests: nullable(RequestChanges),
  },
);
export type ResultsComparison = Static<typeof ResultsComparison>;
