/** What a comparison of kept results is asked for, and what it says: before and after, and whether the page changed. */
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
    description: 'Page of a label; needed where the label has results of several pages',
  }),
  strategy: absent(Type.Enum([...strategies], { type: 'string' }), {
    title: 'Strategy',
    description: 'Of a label; mobile where it has both',
  }),
  source: absent(Type.Enum([...singleSources], { type: 'string' }), {
    title: 'Source',
    description: 'Of a label: results of the remote analyser (`psi`), or of local audits, which are usual',
  }),
  min_effect_points: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 2,
      title: 'Min Effect Points',
      description: 'A smaller difference of a score does not matter',
    }),
  ),
  min_effect_percent: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 5,
      title: 'Min Effect Percent',
      description: 'A smaller difference of a time does not matter, in percent of the median before',
    }),
  ),
  min_effect_ms: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      default: 50,
      title: 'Min Effect Ms',
      description: 'A smaller difference of a time does not matter, in milliseconds; the larger of the two counts',
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
      description:
        'How often a growing set of runs is compared until it decides: each look has its share of the false alarms',
    }),
  ),
});

const ComparedSide = Type.Object({
  requested: Type.String({ description: 'The id or label, as the request gave it' }),
  by: Type.Enum(['id', 'label'], { description: 'Kind of the request: id or label' }),
  url: Type.String({ description: 'URL of the page' }),
  strategy: Type.Enum([...strategies], { description: 'Emulated device' }),
  source: Type.Enum([...singleSources], { description: 'Backend of the results' }),
  runs: Type.Integer({ minimum: 1, description: 'Number of runs' }),
  disturbed: Type.Integer({ minimum: 0, description: 'Of these runs, those with a disturbed load' }),
  ids: Type.Array(Type.String(), { description: 'Of all runs, oldest first' }),
  labels: Type.Array(Type.String(), { description: 'Labels of the runs' }),
  from: described(time, 'Time of the first run'),
  to: described(time, 'Time of the last run'),
  selected_id: Type.String({ description: 'Id of the run nearest to the medians: audits and requests are of it' }),
  links: Type.Object({ self: Type.String({ description: 'The run nearest to the medians' }) }),
});
export type ComparedSide = Static<typeof ComparedSide>;

const differenceNames = [
  'url',
  'strategy',
  'source',
  'analyser',
  'profile',
  'throttling',
  'lighthouse_version',
  'benchmark_index',
  'browser_version',
  'machine_id',
] as const;

const Difference = Type.Object({
  name: Type.Enum([...differenceNames], { description: 'Condition that differs' }),
  before: Type.Array(Type.String(), { description: 'All values of the side' }),
  after: Type.Array(Type.String(), { description: 'All values of the side' }),
  effect: Type.Enum(['no_verdict', 'possible_cause'], {
    description: '`no_verdict`: with this difference nothing can be said about the page',
  }),
});
export type Difference = Static<typeof Difference>;

export const ResultsComparison = Type.Object(
  {
    before: ComparedSide,
    after: ComparedSide,
    verdict: ChangeVerdict,
    differences: Type.Array(Difference, { description: 'What the two sides were not measured alike with' }),
    version: nullable(VersionEffect),
    alike: nullable(AlikeComparison),
    scores: Type.Record(Type.String(), MeasureChange, { description: 'By category, where both sides have it' }),
    metrics: Type.Record(Type.String(), MeasureChange, { description: 'By metric, where both sides have it' }),
    audits: nullable(
      Type.Array(FlippedAudit, {
        description: 'Failed in all runs of one side and in none of the other; null without the full results',
      }),
    ),
    requests: nullable(RequestChanges),
  },
  { $id: 'ResultsComparison', description: 'What changed between two results or labels, and whether it matters' },
);
export type ResultsComparison = Static<typeof ResultsComparison>;
