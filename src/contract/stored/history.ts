/** Request and response of `/history`. */
import Type, { type Static } from 'typebox';
import { absent, described, labelText, nullable, orCustomMetric, pageUrlFormat, time, timeFormat } from '../fields.ts';
import { categoryNames, metricNames, strategies } from '../names.ts';
import { intervalOf } from '../result/runs.ts';
import { fieldMetricNames } from '../result/thresholds.ts';
import { Note } from './notes.ts';

const value = Type.Number({ description: 'Median in `unit`' });

const historyMetrics = [...categoryNames, ...metricNames] as const;
const historyFormats = ['json', 'csv'] as const;
export const singleSources = ['psi', 'lighthouse'] as const;

export const HistoryQuery = Type.Object({
  url: Type.String({ format: pageUrlFormat, title: 'Url', description: 'Page that was measured' }),
  metric: Type.Optional(
    orCustomMetric(Type.Enum([...historyMetrics], { type: 'string' }), {
      default: 'performance',
      title: 'Metric',
      description: 'Category (for its score), metric, or custom metric such as `mark:hero-shown`',
    }),
  ),
  strategy: Type.Optional(
    Type.Enum([...strategies], {
      type: 'string',
      default: 'mobile',
      title: 'Strategy',
      description: 'Device strategy',
    }),
  ),
  source: Type.Optional(
    Type.Enum([...singleSources], {
      type: 'string',
      default: 'lighthouse',
      title: 'Source',
      description: 'Results of PageSpeed Insights (`psi`), or of local audits',
    }),
  ),
  label: absent(Type.String(labelText), {
    title: 'Label',
    description: 'Only results with this label',
  }),
  conditions: absent(Type.String({ maxLength: 100 }), {
    title: 'Conditions',
    description: 'Results under these conditions, by the `id` in `conditions` of a result; default: those without any',
  }),
  since: absent(time, { title: 'Since', description: 'Measured at this time or later' }),
  until: absent(time, { title: 'Until', description: 'Measured before this time' }),
  format: Type.Optional(
    Type.Enum([...historyFormats], {
      type: 'string',
      default: 'json',
      title: 'Format',
      description: '`csv`: the points only, one per line',
    }),
  ),
});

const HistoryPoint = Type.Object(
  {
    id: Type.String({ description: 'Id of the result; for several runs, of the selected one' }),
    links: Type.Object({ self: Type.String({ description: 'The result' }) }),
    fetched_at: described(time, 'Time of the load'),
    value: Type.Number({ description: 'Value in `unit`; the median if there are several runs' }),
    ids: Type.Array(Type.String(), { description: 'Ids of all runs behind the value' }),
    label: nullable(Type.String({ description: 'Label of the result' })),
    lighthouse_version: nullable(Type.String({ description: 'Null if the analyser does not report it' })),
    browser_version: nullable(Type.String({ description: 'Null if the analyser does not report it' })),
    disturbed: nullable(
      Type.Boolean({ description: 'Whether the load behind the value was disturbed; null if unknown' }),
    ),
  },
  { description: 'One result, or several runs of one request' },
);
export type HistoryPoint = Static<typeof HistoryPoint>;

const Segment = Type.Object(
  {
    from: described(time, 'Time of the first point'),
    to: described(time, 'Time of the last point'),
    points: Type.Integer({ minimum: 1, description: 'Number of points' }),
    median: value,
  },
  { description: 'From one change point to the next' },
);
export type Segment = Static<typeof Segment>;

const historyFacts = [
  'lighthouse_version',
  'browser_version',
  'profile',
  'analyser',
  'machine_id',
  'benchmark_index',
  'label',
] as const;

const historyUnit = Type.Enum(['point', 'millisecond', 'unitless'], {
  description: '`point`: one point of a score from 0 to 100',
});

const HistoryDifference = Type.Object({
  name: Type.Enum([...historyFacts], {
    description: 'Fact that differs; `benchmark_index`: speed of the machine, as medians',
  }),
  before: nullable(Type.String({ description: 'Value before the change' })),
  after: nullable(Type.String({ description: 'Value after the change' })),
});
export type HistoryDifference = Static<typeof HistoryDifference>;

const HistoryChange = Type.Object(
  {
    status: Type.Enum(['better', 'worse'], { description: 'Direction of the change' }),
    previous_fetched_at: Type.String({ format: timeFormat, description: 'Time of the last point before the change' }),
    fetched_at: Type.String({
      format: timeFormat,
      description: 'Time of the first point after the change',
    }),
    previous_id: Type.String({ description: 'Id of the last point before the change' }),
    id: Type.String({ description: 'Id of the first point after the change' }),
    before: Type.Number({ description: 'Median of the previous segment' }),
    after: Type.Number({ description: 'Median of the next segment' }),
    difference: Type.Number({ description: 'After minus before' }),
    percent: nullable(
      Type.Number({ description: 'Difference as a percentage of the median before; null if that is zero' }),
    ),
    interval: intervalOf('Confidence interval of the difference'),
    also: Type.Array(
      Type.Object({
        name: Type.Enum([...historyMetrics], { description: 'Category or metric' }),
        unit: historyUnit,
        status: Type.Enum(['better', 'worse'], { description: 'Direction of the change' }),
        before: Type.Number({ description: 'Median of the previous segment' }),
        after: Type.Number({ description: 'Median of the next segment' }),
        difference: Type.Number({ description: 'After minus before' }),
      }),
      { description: 'Performance score and metrics of the same loads that changed with it' },
    ),
    differences: Type.Array(HistoryDifference, {
      description: 'Versions, settings and labels that changed at the same time: a possible cause',
    }),
    notes: Type.Array(Note, {
      description: 'At most ten notes between its two points, newest first: a possible cause',
    }),
  },
  { description: 'Lasting changes with a meaningful effect' },
);
export type HistoryChange = Static<typeof HistoryChange>;

const PossibleChange = Type.Object(
  {
    status: Type.Enum(['better', 'worse'], { description: 'Direction of the change' }),
    fetched_at: described(time, 'Time of the last point'),
    id: Type.String({ description: 'Id of the last point' }),
    value: Type.Number({ description: 'Value of the last point in `unit`' }),
  },
  {
    description: 'The last undisturbed point is outside the range of the points before it, by a meaningful difference',
  },
);

const Gap = Type.Object(
  {
    from: Type.String({ format: timeFormat, description: 'Time of the first failure' }),
    to: Type.String({ format: timeFormat, description: 'Time of the last failure' }),
    failures: Type.Integer({ minimum: 1, description: 'Number of failures' }),
    reasons: Type.Array(
      Type.Object({
        code: nullable(Type.String({ description: '[Code](errors.md#the-codes) of the failure' })),
        page_status: nullable(Type.Integer({ description: 'HTTP status of the page' })),
        failures: Type.Integer({ minimum: 1, description: 'Number of failures with this reason' }),
      }),
      { description: 'Most frequent first' },
    ),
    explanation: Type.String({ description: 'Human-readable sentence' }),
  },
  { description: 'Failures of the page between two points' },
);
export type Gap = Static<typeof Gap>;

const FieldSeries = Type.Object(
  {
    scope: Type.Enum(['url', 'origin'], { description: '`origin` if the URL has too few visits' }),
    metric: Type.Enum([...fieldMetricNames], { description: 'Field metric next to the lab metric' }),
    points: Type.Array(
      Type.Object({
        last_date: Type.String({ description: 'Last day of a period of 28 days' }),
        p75: Type.Number({ description: '75th percentile of visits in `unit`' }),
        rating: Type.Enum(['good', 'needs-improvement', 'poor'], {
          description: 'Based on the thresholds of Core Web Vitals',
        }),
      }),
      { maxItems: 40, description: 'Oldest first; weeks without enough visits are absent' },
    ),
  },
  { description: 'Field data of the CrUX API; null without its key, and for metrics or pages without field data' },
);

export const History = Type.Object(
  {
    url: Type.String({ description: 'URL of the page' }),
    strategy: Type.Enum([...strategies], { description: 'Emulated device' }),
    source: Type.Enum([...singleSources], { description: 'Backend of the results' }),
    metric: orCustomMetric(Type.Enum([...historyMetrics]), { description: 'Category, metric or custom metric' }),
    unit: historyUnit,
    direction: Type.Enum(['higher_is_better', 'lower_is_better'], {
      description: 'Whether a higher or a lower value is better',
    }),
    label: nullable(Type.String({ description: 'Label of the request, if any' })),
    median: nullable(Type.Number({ description: 'Median of the points that count; null if there are none' })),
    points: Type.Array(HistoryPoint, {
      description: 'Oldest first. Disturbed ones do not count in segments and changes, unless they are the majority',
    }),
    segments: Type.Array(Segment),
    change_points: Type.Array(HistoryChange),
    machine_changes: Type.Array(HistoryChange, {
      description: 'Lasting changes that the speed of the machine can explain alone: it changed at the same time',
    }),
    possible_change: described(nullable(PossibleChange), 'Change that further results may confirm, or null'),
    gaps: Type.Array(Gap),
    field: nullable(FieldSeries),
    notes: Type.Array(Note, { description: 'The newest 200 notes of the page and its site, newest first' }),
    without_value: Type.Integer({ minimum: 0, description: 'Number of results without this metric' }),
    is_complete: Type.Boolean({ description: 'False if there are more than 10,000 results; the newest are included' }),
  },
  { $id: 'History', description: 'One value of a page over time' },
);
export type History = Static<typeof History>;
