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
  explanation: Type.String({ description: 'Summary in one or two sentences' }),
  more_runs: nullable(
    Type.Integer({
      minimum: 1,
      description:
        'If `undecided`: number of additional runs of each side, or of the current build next to a single run, that would probably give a verdict; null if more runs are unlikely to',
    }),
  ),
  by_numbers: Type.Enum([...changeStatuses], {
    description: 'Verdict based on the measured values alone',
  }),
  decided_by: Type.Array(Type.Enum(measureNames), {
    description:
      'Measures that the verdict is based on; if `undecided`, those that are undecided, contradict each other, or have values on one side only',
  }),
  against: Type.Array(Type.Enum(measureNames), { description: 'Measures that changed in the opposite direction' }),
  judged_by: Type.Enum(['measured', 'simulated_alike'], {
    description: 'Basis of the verdict: measured values, or loads simulated under the same conditions (`alike`)',
  }),
  bound: nullable(
    Type.Object(
      {
        points: nullable(Type.Number({ minimum: 0, description: 'Bound for the performance score' })),
        ms: nullable(
          Type.Number({
            minimum: 0,
            description: 'Bound for each time metric in the score, without a speed index that varies',
          }),
        ),
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
  difference: nullable(Type.Number({ description: 'Difference between the medians' })),
  interval: nullable(intervalOf('Confidence interval of the difference')),
  min_effect: nullable(Type.Number({ description: 'Smallest difference that matters' })),
  status,
  by: nullable(
    Type.Enum(['ranks', 'earlier_runs'], {
      description: 'Basis of the interval: the values of these runs, or the spread of other results of the page',
    }),
  ),
  p_value: nullable(
    Type.Number({
      description: 'Probability of a difference this large if nothing changed; null if no change is reported',
    }),
  ),
  more_runs: nullable(
    Type.Integer({
      minimum: 1,
      description: 'If `undecided`: number of additional runs of each side that would probably give a verdict',
    }),
  ),
});
export type MeasureChange = Static<typeof MeasureChange>;

const bothSides = (description: string) =>
  Type.Object(
    { before: Type.Number({ description: 'Before' }), after: Type.Number({ description: 'After' }) },
    { description },
  );

export const FileChange = Type.Object({
  kind: Type.Enum(['added', 'removed', 'size', 'packed', 'requests', 'work'], {
    description:
      '`packed`: the same content, compressed differently; `requests`: the same URL, requested more or less often, such as by a redirect; `work`: the same file, with a different CPU time',
  }),
  url: Type.String({ description: 'URL without its query' }),
  type: Type.String({ description: 'Resource type, such as `Script`' }),
  bytes: bothSides('Median bytes over the network'),
  resource_bytes: bothSides('Median bytes after decompression'),
  cpu_ms: bothSides('Median CPU time of the script, in milliseconds'),
  requests: bothSides('Median number of requests'),
  explains: Type.Optional(
    Type.Object(
      {
        performance: Type.Number({ description: 'Points of the performance score; negative if the file costs points' }),
        largest_contentful_paint: Type.Integer({ description: 'Milliseconds' }),
        total_blocking_time: Type.Integer({ description: 'Milliseconds' }),
      },
      {
        description:
          'Part of the difference that this file explains alone: a load simulated with it, minus the same load with the file as before. Absent if it was not simulated',
      },
    ),
  ),
});
export type FileChange = Static<typeof FileChange>;

export const AlikeComparison = Type.Object(
  {
    loads: bothSides('Number of loads that were simulated again'),
    cpu_factor: bothSides('Factor that converts the CPU times of both sides to the same CPU'),
    scores: Type.Record(Type.String(), MeasureChange, { description: 'By category' }),
    metrics: Type.Record(Type.String(), MeasureChange, { description: 'By metric' }),
    files: Type.Array(FileChange, { description: 'Changed files, largest effect first, at most 20' }),
  },
  {
    description:
      'The stored loads of both sides, simulated again with the same CPU, server latency and order of files. Null if their artifacts are not stored',
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
    audited_with: Type.String({ description: 'Version of this service, which audited the loads again' }),
    ids: Type.Array(Type.String(), { description: 'Ids of the loads, at most five' }),
    scores: Type.Record(Type.String(), VersionPart, { description: 'Performance' }),
    metrics: Type.Record(Type.String(), VersionPart, { description: 'Metrics in the score' }),
  },
  { description: 'Effect of a different Lighthouse version; null if it was not computed' },
);
export type VersionEffect = Static<typeof VersionEffect>;
