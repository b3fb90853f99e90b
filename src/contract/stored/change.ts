/** Request and response of a comparison of stored results. */
import Type, { type Static } from 'typebox';
import { absent, described, labelText, nullable, pageUrlFormat, time } from '../fields.ts';
import { strategies } from '../names.ts';
import { AlikeComparison, ChangeVerdict, MeasureChange, VersionEffect } from './change-verdict.ts';
import { FlippedAudit, RequestChanges } from './changed-loads.ts';
import { singleSources } from './history.ts';

const side = (title: string) => Type.String({ ...labelText, title, description: 'Id of a result, or a label' });

export const CompareResultsQuery = Type.Object({
  before: side('Before'),
  after: side('After'),
  url: absent(Type.String({ format: pageUrlFormat }), {
    title: 'Url',
    description: 'Page to compare; required if a label has results of several pages',
  }),
  strategy: absent(Type.Enum([...strategies], { type: 'string' }), {
    title: 'Strategy',
    description: 'Strategy to compare; mobile if a label has both',
  }),
  source: absent(Type.Enum([...singleSources], { type: 'string' }), {
    title: 'Source',
    description: 'Source of the results of a label: PageSpeed Insights (`psi`) or local audits (default)',
  }),
  min_effect_points: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 2,
      title: 'Min Effect Points',
      description: 'Smallest score difference that matters',
    }),
  ),
  min_effect_percent: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 5,
      title: 'Min Effect Percent',
      description: 'Smallest time difference that matters, as a percentage of the median before',
    }),
  ),
  min_effect_ms: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      default: 50,
      title: 'Min Effect Ms',
      description: 'Smallest time difference that matters, in milliseconds; the larger of the two limits applies',
    }),
  ),
  builds: Type.Optional(
    Type.Boolean({
      default: false,
      title: 'Builds',
      description: 'Compare two URLs as two builds of one page',
    }),
  ),
  looks: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10,
      default: 1,
      title: 'Looks',
      description: 'Number of times that you compare a growing set of runs; the comparisons share the false-alarm rate',
    }),
  ),
});

const ComparedSide = Type.Object({
  requested: Type.String({ description: 'Id or label from the request' }),
  by: Type.Enum(['id', 'label'], { description: 'Whether the request gave an id or a label' }),
  url: Type.String({ description: 'URL of the page' }),
  strategy: Type.Enum([...strategies], { description: 'Emulated device' }),
  source: Type.Enum([...singleSources], { description: 'Backend of the results' }),
  runs: Type.Integer({ minimum: 1, description: 'Number of runs' }),
  history: Type.Integer({
    minimum: 0,
    description: 'Other results of the page, without a change between, that the verdict counts like runs of this side',
  }),
  disturbed: Type.Integer({ minimum: 0, description: 'Runs with a disturbed load' }),
  ids: Type.Array(Type.String(), { description: 'Ids of all runs, oldest first' }),
  labels: Type.Array(Type.String(), { description: 'Labels of the runs' }),
  from: described(time, 'Time of the first run'),
  to: described(time, 'Time of the last run'),
  selected_id: Type.String({
    description: 'Id of the run nearest to the medians, whose audits and requests are compared',
  }),
  links: Type.Object({ self: Type.String({ description: 'The run nearest to the medians' }) }),
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
  name: Type.Enum([...differenceNames], { description: 'Condition that differs' }),
  before: Type.Array(Type.String(), { description: 'Values before' }),
  after: Type.Array(Type.String(), { description: 'Values after' }),
  effect: Type.Enum(['no_verdict', 'possible_cause'], {
    description: '`no_verdict`: this difference prevents a verdict',
  }),
});
export type Difference = Static<typeof Difference>;

export const ResultsComparison = Type.Object(
  {
    before: ComparedSide,
    after: ComparedSide,
    verdict: ChangeVerdict,
    differences: Type.Array(Difference, { description: 'Conditions that differ between the sides' }),
    version: nullable(VersionEffect),
    alike: nullable(AlikeComparison),
    scores: Type.Record(Type.String(), MeasureChange, { description: 'By category, if both sides have it' }),
    metrics: Type.Record(Type.String(), MeasureChange, { description: 'By metric, if both sides have it' }),
    custom_metrics: Type.Record(Type.String(), MeasureChange, {
      description:
        'By custom metric, of undisturbed runs. They have no part in `verdict`; a metric of one side only is null on the other',
    }),
    audits: nullable(
      Type.Array(FlippedAudit, {
        description:
          'Audits that failed in all runs of one side and in none of the other; null if the full results are not stored',
      }),
    ),
    requests: nullable(RequestChanges),
  },
  { $id: 'ResultsComparison', description: 'Changes between two results or labels, with a verdict' },
);
export type ResultsComparison = Static<typeof ResultsComparison>;
