/** The verdict on a change, with the verdict of each metric. */
import Type, { type Static } from 'typebox';
import { arrayOf, byName, count, group, nullable, number, oneOf, text } from '../fields.ts';
import { categoryNames, metricNames } from '../names.ts';
import { intervalOf } from '../result/runs.ts';

const changeStatuses = ['better', 'worse', 'no_difference', 'undecided'] as const;
export type ChangeStatus = (typeof changeStatuses)[number];
const status = oneOf(changeStatuses, '`undecided`: more runs are needed, or the sides cannot be compared');

const measureNames = [...categoryNames, ...metricNames];

export const ChangeVerdict = Type.Object({
  status,
  explanation: text('Summary in one or two sentences'),
  more_runs: nullable(
    count(
      'If `undecided`: number of additional runs of each side, or of the current build next to a single run, that would probably give a verdict; null if more runs are unlikely to',
      1,
    ),
  ),
  by_numbers: oneOf(changeStatuses, 'Verdict based on the measured values alone'),
  decided_by: arrayOf(
    Type.Enum(measureNames),
    'Measures that the verdict is based on; if `undecided`, those that are undecided, contradict each other, or have values on one side only',
  ),
  against: arrayOf(Type.Enum(measureNames), 'Measures that changed in the opposite direction'),
  judged_by: oneOf(
    ['measured', 'simulated_alike'],
    'Basis of the verdict: measured values, or loads simulated under the same conditions (`alike`)',
  ),
  bound: nullable(
    group('For `no_difference`: upper bounds of the difference', {
      points: nullable(Type.Number({ minimum: 0, description: 'Bound for the performance score' })),
      ms: nullable(
        Type.Number({
          minimum: 0,
          description: 'Bound for each time metric in the score, without a speed index that varies',
        }),
      ),
    }),
  ),
});
export type ChangeVerdict = Static<typeof ChangeVerdict>;

export const MeasureChange = Type.Object({
  unit: oneOf(['point', 'millisecond', 'unitless'], 'Unit of the values'),
  before: nullable(number('Median; null if no run has a value')),
  after: nullable(number('Median; null if no run has a value')),
  difference: nullable(number('Difference between the medians')),
  interval: nullable(intervalOf('Confidence interval of the difference')),
  min_effect: nullable(number('Smallest difference that matters')),
  status,
  by: nullable(
    oneOf(
      ['ranks', 'earlier_runs'],
      'Basis of the interval: the values of these runs, or the spread of other results of the page',
    ),
  ),
  p_value: nullable(number('Probability of a difference this large if nothing changed; null if no change is reported')),
  more_runs: nullable(
    count('If `undecided`: number of additional runs of each side that would probably give a verdict', 1),
  ),
});
export type MeasureChange = Static<typeof MeasureChange>;

const bothSides = (description: string) =>
  Type.Object({ before: number('Before'), after: number('After') }, { description });

export const FileChange = Type.Object({
  kind: oneOf(
    ['added', 'removed', 'size', 'packed', 'requests', 'work'],
    '`packed`: the same content, compressed differently; `requests`: the same URL, requested more or less often, such as by a redirect; `work`: the same file, with a different CPU time',
  ),
  url: text('URL without its query'),
  type: text('Resource type, such as `Script`'),
  bytes: bothSides('Median bytes over the network'),
  resource_bytes: bothSides('Median bytes after decompression'),
  cpu_ms: bothSides('Median CPU time of the script, in milliseconds'),
  requests: bothSides('Median number of requests'),
  explains: Type.Optional(
    group(
      'Part of the difference that this file explains alone: a load simulated with it, minus the same load with the file as before. Absent if it was not simulated',
      {
        performance: number('Points of the performance score; negative if the file costs points'),
        largest_contentful_paint: Type.Integer({ description: 'Milliseconds' }),
        total_blocking_time: Type.Integer({ description: 'Milliseconds' }),
      },
    ),
  ),
});
export type FileChange = Static<typeof FileChange>;

export const AlikeComparison = group(
  'The stored loads of both sides, simulated again with the same CPU, server latency and order of files. Null if their artifacts are not stored',
  {
    loads: bothSides('Number of loads that were simulated again'),
    cpu_factor: bothSides('Factor that converts the CPU times of both sides to the same CPU'),
    scores: byName(MeasureChange, 'By category'),
    metrics: byName(MeasureChange, 'By metric'),
    files: arrayOf(FileChange, 'Changed files, largest effect first, at most 20'),
  },
);
export type AlikeComparison = Static<typeof AlikeComparison>;

const VersionPart = Type.Object({
  by_version: number('Median effect of the newer Lighthouse on the same loads'),
  rest: number('Difference that the version does not explain'),
});

export const VersionEffect = group('Effect of a different Lighthouse version; null if it was not computed', {
  side: oneOf(['before', 'after'], 'Side whose loads were audited again'),
  measured_with: arrayOf(Type.String(), 'Versions of Lighthouse that measured these loads'),
  audited_with: text('Version of this service, which audited the loads again'),
  ids: arrayOf(Type.String(), 'Ids of the loads, at most five'),
  scores: byName(VersionPart, 'Performance'),
  metrics: byName(VersionPart, 'Metrics in the score'),
});
export type VersionEffect = Static<typeof VersionEffect>;
