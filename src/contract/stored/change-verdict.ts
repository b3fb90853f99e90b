/** Whether a page changed: the verdict, and what each of its measures says. */
import Type, { type Static } from 'typebox';
import { nullable } from '../fields.ts';
import { categoryNames, metricNames } from '../names.ts';
import { intervalOf } from '../result/runs.ts';

const changeStatuses = ['better', 'worse', 'no_difference', 'undecided'] as const;
export type ChangeStatus = (typeof changeStatuses)[number];
const status = Type.Enum([...changeStatuses], {
  description: '`undecided`: the runs do not decide, or the sides cannot be compared',
});

const measureNames = [...categoryNames, ...metricNames];

export const ChangeVerdict = Type.Object({
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
  judged_by: Type.Enum(['measured', 'simulated_alike'], {
    description:
      'What the verdict rests on: the measured values, or the same loads simulated under the same conditions (`alike`)',
  }),
  bound: nullable(
    Type.Object(
      {
        points: nullable(Type.Number({ minimum: 0, description: 'Of the performance score' })),
        ms: nullable(Type.Number({ minimum: 0, description: 'Of any time that the score is made of' })),
      },
      { description: 'Of `no_difference`: any difference is smaller' },
    ),
  ),
});
export type ChangeVerdict = Static<typeof ChangeVerdict>;

export const MeasureChange = Type.Object({
  unit: Type.Enum(['point', 'millisecond', 'unitless'], { description: 'Unit of the values' }),
  before: nullable(Type.Number({ description: 'Median; null where no run has a value' })),
  after: nullable(Type.Number({ description: 'Median; null if no run has a value' })),
  difference: nullable(Type.Number({ description: 'Of the medians, after minus before' })),
  interval: nullable(intervalOf('Confidence interval of the difference')),
  min_effect: nullable(Type.Number({ description: 'A smaller difference does not matter' })),
  status,
  by: nullable(
    Type.Enum(['ranks', 'earlier_runs'], {
      description: 'What the interval comes from: these values, or how earlier runs of the page spread',
    }),
  ),
  p_value: nullable(
    Type.Number({ description: 'How likely any measure differs as clearly where nothing changed; null: not claimed' }),
  ),
  more_runs: nullable(
    Type.Integer({ minimum: 1, description: 'Of `undecided`: further runs of each side that would probably decide' }),
  ),
});
export type MeasureChange = Static<typeof MeasureChange>;

const bothSides = (description: string) =>
  Type.Object(
    { before: Type.Number({ description: 'Before' }), after: Type.Number({ description: 'After' }) },
    { description },
  );

export const FileChange = Type.Object({
  kind: Type.Enum(['added', 'removed', 'size', 'packed', 'work'], {
    description: '`packed`: the same content, compressed differently; `work`: the same file, with another CPU time',
  }),
  url: Type.String({ description: 'Without its query' }),
  type: Type.String({ description: 'Such as `Script`' }),
  bytes: bothSides('Bytes over the network, medians'),
  cpu_ms: bothSides('CPU time of the script, medians, milliseconds'),
  requests: bothSides('Requests, medians'),
});
export type FileChange = Static<typeof FileChange>;

export const AlikeComparison = Type.Object(
  {
    loads: bothSides('Loads that were simulated again'),
    cpu_factor: bothSides('What CPU times were multiplied by, so that both sides have the same processor'),
    scores: Type.Record(Type.String(), MeasureChange, { description: 'By category' }),
    metrics: Type.Record(Type.String(), MeasureChange, { description: 'By metric' }),
    files: Type.Array(FileChange, { description: 'Changed files, the largest effect first; at most 20' }),
  },
  {
    description:
      'The stored loads of both sides, simulated again with the same processor, server latency and order of files. Null without their artifacts',
  },
);
export type AlikeComparison = Static<typeof AlikeComparison>;

const VersionPart = Type.Object({
  by_version: Type.Number({ description: 'The median of what the newer Lighthouse makes of the same loads' }),
  rest: Type.Number({ description: 'What is left of the difference' }),
});

export const VersionEffect = Type.Object(
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
