/** The verdict on a change, with the verdict of each metric. */
import Type, { type Static } from 'typebox';
import { nullable } from '../fields.ts';
import { categoryNames, metricNames } from '../names.ts';
import { intervalOf } from '../result/runs.ts';

const changeStatuses = ['better', 'worse', 'no_difference', 'undecided'] as const;
export type ChangeStatus = (typeof changeStatuses)[number];
const status = Type.Enum([...changeStatuses], {
  description: '`undecided`: more runs are needed, or the sides cannot be compared',
});

const measureNames = [...categoryNames, ...metricNames];

export const ChangeVerdict = Type.Object({
  status,
  explanation: Type.String({ description: 'One or two sentences for a person' }),
  more_runs: nullable(
    Type.Integer({
      minimum: 1,
      description:
        'If `undecided`: further runs of each side that would probably decide; null if more runs are unlikely to',
    }),
  ),
  by_numbers: Type.Enum([...changeStatuses], {
    description: 'Verdict by the measured values alone',
  }),
  decided_by: Type.Array(Type.Enum(measureNames), {
    description: 'Measures behind the verdict; if `undecided`, those that are open or contradict each other',
  }),
  against: Type.Array(Type.Enum(measureNames), { description: 'Measures that changed in the opposite direction' }),
  judged_by: Type.Enum(['measured', 'simulated_alike'], {
    description: 'Basis of the verdict: measured values, or loads simulated under the same conditions (`alike`)',
  }),
  bound: nullable(
    Type.Object(
      {
        points: nullable(Type.Number({ minimum: 0, description: 'Bound for the performance score' })),
        ms: nullable(Type.Number({ minimum: 0, description: 'Bound for each time in the score' })),
      },
      { description: 'For `no_difference`: upper bounds of the difference' },
    ),
  ),
});
export type ChangeVerdict = Static<typeof ChangeVerdict>;

export const MeasureChange = Type.Object({
  unit: Type.Enum(['point', 'millisecond', 'unitless'], { description: 'Unit of the values' }),
  before: nullable(Type.Number({ description: 'Median; null if no run has a value' })),
  after: nullable(Type.Number({ description: 'Median; null if no run has a value' })),
  difference: nullable(Type.Number({ description: 'Difference of the medians' })),
  interval: nullable(intervalOf('Confidence interval of the difference')),
  min_effect: nullable(Type.Number({ description: 'Smallest difference that matters' })),
  status,
  by: nullable(
    Type.Enum(['ranks', 'earlier_runs'], {
      description: 'Basis of the interval: these values, or the spread of earlier runs',
    }),
  ),
  p_value: nullable(
    Type.Number({ description: 'Probability of so clear a difference without a change; null if no change is claimed' }),
  ),
  more_runs: nullable(
    Type.Integer({ minimum: 1, description: 'If `undecided`: further runs of each side that would probably decide' }),
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
    cpu_factor: bothSides('Factor of CPU times that gives both sides the same CPU'),
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
  by_version: Type.Number({ description: 'Median effect of the newer Lighthouse on the same loads' }),
  rest: Type.Number({ description: 'Difference that the version does not explain' }),
});

export const VersionEffect = Type.Object(
  {
    side: Type.Enum(['before', 'after'], { description: 'Side whose loads were audited again' }),
    measured_with: Type.Array(Type.String(), { description: 'Versions of Lighthouse that measured these loads' }),
    audited_with: Type.String({ description: 'Version that audited them again: that of this service' }),
    ids: Type.Array(Type.String(), { description: 'Ids of the loads, at most five' }),
    scores: Type.Record(Type.String(), VersionPart, { description: 'Performance' }),
    metrics: Type.Record(Type.String(), VersionPart, { description: 'Metrics in the score' }),
  },
  { description: 'Effect of another Lighthouse version; null if none was computed' },
);
export type VersionEffect = Static<typeof VersionEffect>;
