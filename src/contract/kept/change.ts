/** What a comparison of kept results is asked for, and what it says: before and after, and whether the page changed. */
import Type, { type Static, type TSchema } from 'typebox';
import { labelFormat, maxLabelCharacters, pageUrlFormat, timeFormat } from '../analysis/requests.ts';
import { nullable } from '../fields.ts';
import { categoryNames, metricNames, strategies } from '../names.ts';
import { singleSources } from './history.ts';

const absent = <T extends TSchema>(schema: T, words: { title: string; description: string }) =>
  Type.Optional(Type.Union([schema, Type.Null()], words));
const time = Type.String({ format: timeFormat });

const side = (title: string) =>
  Type.String({ maxLength: maxLabelCharacters, format: labelFormat, title, description: 'Id of a result, or a label' });

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
  smallest_points: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 2,
      title: 'Smallest points',
      description: 'A smaller difference of a score does not matter',
    }),
  ),
  smallest_percent: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 5,
      title: 'Smallest percent',
      description: 'A smaller difference of a time does not matter, in percent of the median before',
    }),
  ),
  smallest_ms: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      default: 50,
      title: 'Smallest ms',
      description: 'A smaller difference of a time does not matter, in milliseconds; the larger of the two counts',
    }),
  ),
});

const ComparedSide = Type.Object({
  asked: Type.String({ description: 'The id or label, as the request gave it' }),
  by: Type.Enum(['id', 'label']),
  url: Type.String(),
  strategy: Type.Enum([...strategies]),
  source: Type.Enum([...singleSources]),
  runs: Type.Integer({ minimum: 1 }),
  ids: Type.Array(Type.String(), { description: 'Of all runs, oldest first' }),
  labels: Type.Array(Type.String()),
  from: time,
  to: time,
  shown: Type.String({ description: 'Id of the run nearest to the medians: audits and requests are of it' }),
  links: Type.Object({ self: Type.String({ description: 'The run nearest to the medians' }) }),
});
export type ComparedSide = Static<typeof ComparedSide>;

export const changeStatuses = ['better', 'worse', 'no_difference', 'undecided'] as const;
export type ChangeStatus = (typeof changeStatuses)[number];
const status = Type.Enum([...changeStatuses]);

const measureNames = [...categoryNames, ...metricNames];

const ChangeVerdict = Type.Object({
  status,
  explanation: Type.String({ description: 'One or two sentences for a person' }),
  more_runs: nullable(
    Type.Integer({
      minimum: 1,
      description: 'Of `undecided`: how many more runs of each side likely decide; null where they likely do not',
    }),
  ),
  by_numbers: Type.Enum([...changeStatuses], {
    description: 'What the values alone say; `status` differs from it where the sides were not measured alike',
  }),
  decided_by: Type.Array(Type.Enum(measureNames), {
    description: 'The measures that say so; of `undecided` those that are open or contradict each other',
  }),
  against: Type.Array(Type.Enum(measureNames), { description: 'Measures that changed the other way' }),
});
export type ChangeVerdict = Static<typeof ChangeVerdict>;

export const differenceNames = [
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
  name: Type.Enum([...differenceNames]),
  before: Type.Array(Type.String(), { description: 'All values of the side' }),
  after: Type.Array(Type.String()),
  effect: Type.Enum(['no_verdict', 'possible_cause'], {
    description: '`no_verdict`: with this difference nothing can be said about the page',
  }),
});
export type Difference = Static<typeof Difference>;

const MeasureChange = Type.Object({
  unit: Type.Enum(['point', 'millisecond', 'unitless']),
  before: nullable(Type.Number({ description: 'Median; null where no run has a value' })),
  after: nullable(Type.Number()),
  difference: nullable(Type.Number({ description: 'Of the medians, after minus before' })),
  interval: nullable(
    Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: 'In which the difference lies' }),
  ),
  confidence: nullable(Type.Number({ description: 'What the interval holds at, 0 to 1' })),
  smallest_effect: nullable(Type.Number({ description: 'A smaller difference does not matter' })),
  status,
  by: nullable(
    Type.Enum(['ranks', 'earlier_runs'], {
      description: 'What the interval comes from: these values, or how earlier runs of the page spread',
    }),
  ),
  p_value: nullable(
    Type.Number({ description: 'How likely any measure differs as clearly where nothing changed; null: not claimed' }),
  ),
  more_runs: nullable(Type.Integer({ minimum: 1 })),
});
export type MeasureChange = Static<typeof MeasureChange>;

const auditState = Type.Enum(['passed', 'failed', 'not_applicable', 'not_scored']);
const FlippedAudit = Type.Object({
  id: Type.String(),
  title: Type.String(),
  categories: Type.Array(Type.Enum([...categoryNames])),
  before: auditState,
  after: auditState,
});
export type FlippedAudit = Static<typeof FlippedAudit>;

const RequestGroup = Type.Object({
  url: Type.String({ description: 'Without its query' }),
  type: nullable(Type.String({ description: 'As the browser calls it, such as `Script`' })),
  requests: Type.Integer({ minimum: 0, description: 'How often it was requested' }),
  bytes: Type.Integer({ minimum: 0, description: 'That went over the network' }),
});
export type RequestGroup = Static<typeof RequestGroup>;

const RequestTotals = Type.Object({
  requests: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0 }),
});

const ChangedRequest = Type.Object({
  url: Type.String(),
  type: nullable(Type.String()),
  before: RequestTotals,
  after: RequestTotals,
});

const RequestChanges = Type.Object(
  {
    before: RequestTotals,
    after: RequestTotals,
    came: Type.Array(RequestGroup, { description: 'Only after; the 20 largest' }),
    went: Type.Array(RequestGroup, { description: 'Only before; the 20 largest' }),
    changed: Type.Array(ChangedRequest, { description: 'On both sides, of another size; the 20 with most' }),
  },
  { description: 'Of the two runs nearest to the medians' },
);
export type RequestChanges = Static<typeof RequestChanges>;

const VersionPart = Type.Object({
  by_version: Type.Number({ description: 'The median of what the newer Lighthouse makes of the same loads' }),
  rest: Type.Number({ description: 'What is left of the difference' }),
});

const VersionEffect = Type.Object(
  {
    side: Type.Enum(['before', 'after'], { description: 'Whose loads were audited again' }),
    measured_with: Type.Array(Type.String(), { description: 'Versions of Lighthouse that measured these loads' }),
    audited_with: Type.String({ description: 'Version that audited them again: that of this service' }),
    ids: Type.Array(Type.String(), { description: 'Of the loads, at most five' }),
    scores: Type.Record(Type.String(), VersionPart, { description: 'Of performance' }),
    metrics: Type.Record(Type.String(), VersionPart, { description: 'Of the metrics that make up the score' }),
  },
  { description: 'How much of the difference another version of Lighthouse makes' },
);
export type VersionEffect = Static<typeof VersionEffect>;

export const ResultsComparison = Type.Object(
  {
    before: ComparedSide,
    after: ComparedSide,
    verdict: ChangeVerdict,
    differences: Type.Array(Difference, { description: 'What the two sides were not measured alike with' }),
    version: nullable(VersionEffect),
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
