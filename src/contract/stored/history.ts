/** Request and response of `/history`. */
import Type, { type Static } from 'typebox';
import {
  arrayOf,
  component,
  count,
  described,
  flag,
  group,
  labelText,
  moment,
  nullable,
  number,
  oneOf,
  orCustomMetric,
  text,
  time,
} from '../fields.ts';
import { categoryNames, metricNames, strategies } from '../names.ts';
import { absent, choice, names, pageUrl, parameters } from '../parameters.ts';
import { intervalOf } from '../result/runs.ts';
import { fieldMetricNames } from '../result/thresholds.ts';
import { Note } from './notes.ts';

const value = number('Median in `unit`');

const historyMetrics = [...categoryNames, ...metricNames] as const;
const historyFormats = ['json', 'csv'] as const;
export const singleSources = ['psi', 'lighthouse'] as const;

export const HistoryQuery = parameters({
  url: pageUrl('Page that was measured'),
  metric: Type.Optional(
    orCustomMetric(names(historyMetrics), {
      default: 'performance',
      title: 'Metric',
      description: 'Category (for its score), metric, or custom metric such as `mark:hero-shown`',
    }),
  ),
  strategy: choice(strategies, 'mobile', 'Device strategy'),
  source: choice(singleSources, 'lighthouse', 'Results of PageSpeed Insights (`psi`), or of local audits'),
  label: absent(Type.String(labelText), 'Only results with this label'),
  conditions: absent(
    Type.String({ maxLength: 100 }),
    'Results under these conditions, by the `id` in `conditions` of a result; default: those without any',
  ),
  since: absent(time, 'Measured at this time or later'),
  until: absent(time, 'Measured before this time'),
  format: choice(historyFormats, 'json', '`csv`: the points only, one per line'),
});

const HistoryPoint = group('One result, or several runs of one request', {
  id: text('Id of the result; for several runs, of the selected one'),
  links: Type.Object({ self: text('The result') }),
  fetched_at: moment('Time of the load'),
  value: number('Value in `unit`; the median if there are several runs'),
  ids: arrayOf(Type.String(), 'Ids of all runs behind the value'),
  label: nullable(text('Label of the result')),
  lighthouse_version: nullable(text('Null if the analyser does not report it')),
  browser_version: nullable(text('Null if the analyser does not report it')),
  disturbed: nullable(flag('Whether the load behind the value was disturbed; null if unknown')),
});
export type HistoryPoint = Static<typeof HistoryPoint>;

const Segment = group('From one change point to the next', {
  from: moment('Time of the first point'),
  to: moment('Time of the last point'),
  points: count('Number of points', 1),
  median: value,
});
export type Segment = Static<typeof Segment>;

const historyFacts = [
  'lighthouse_version',
  'browser_version',
  'profile',
  'throttling',
  'analyser',
  'machine_id',
  'benchmark_index',
  'label',
] as const;

const historyUnit = oneOf(['point', 'millisecond', 'unitless'], '`point`: one point of a score from 0 to 100');

const HistoryDifference = Type.Object({
  name: oneOf(
    historyFacts,
    'Fact that differs; `benchmark_index`: speed of the machine, `throttling`: of the CPU, both as medians',
  ),
  before: nullable(text('Value before the change')),
  after: nullable(text('Value after the change')),
});
export type HistoryDifference = Static<typeof HistoryDifference>;

const HistoryChange = group('Lasting changes with a meaningful effect', {
  status: oneOf(['better', 'worse'], 'Direction of the change'),
  previous_fetched_at: moment('Time of the last point before the change'),
  fetched_at: moment('Time of the first point after the change'),
  previous_id: text('Id of the last point before the change'),
  id: text('Id of the first point after the change'),
  before: number('Median of the previous segment'),
  after: number('Median of the next segment'),
  difference: number('After minus before'),
  percent: nullable(number('Difference as a percentage of the median before; null if that is zero')),
  interval: intervalOf('Confidence interval of the difference'),
  also: arrayOf(
    Type.Object({
      name: oneOf(historyMetrics, 'Category or metric'),
      unit: historyUnit,
      status: oneOf(['better', 'worse'], 'Direction of the change'),
      before: number('Median of the previous segment'),
      after: number('Median of the next segment'),
      difference: number('After minus before'),
    }),
    'Performance score and metrics of the same loads that changed with it',
  ),
  differences: arrayOf(
    HistoryDifference,
    'Versions, settings and labels that changed at the same time: a possible cause',
  ),
  notes: arrayOf(Note, 'At most ten notes between its two points, newest first: a possible cause'),
});
export type HistoryChange = Static<typeof HistoryChange>;

const PossibleChange = group(
  'Up to three of the last undisturbed points are outside the range of those before them, by a meaningful difference',
  {
    status: oneOf(['better', 'worse'], 'Direction of the change'),
    fetched_at: moment('Time of the first of these points'),
    id: text('Its id'),
    value: number('Its value in `unit`'),
  },
);

const Gap = group('Failures of the page between two points', {
  from: moment('Time of the first failure'),
  to: moment('Time of the last failure'),
  failures: count('Number of failures', 1),
  reasons: arrayOf(
    Type.Object({
      code: nullable(text('[Code](errors.md#the-codes) of the failure')),
      page_status: nullable(Type.Integer({ description: 'HTTP status of the page' })),
      failures: count('Number of failures with this reason', 1),
    }),
    'Most frequent first',
  ),
  explanation: text('Human-readable sentence'),
});
export type Gap = Static<typeof Gap>;

const FieldSeries = group(
  'Field data of the CrUX API; null without its key, and for metrics or pages without field data',
  {
    scope: oneOf(['url', 'origin'], '`origin` if the URL has too few visits'),
    metric: oneOf(fieldMetricNames, 'Field metric next to the lab metric'),
    points: Type.Array(
      Type.Object({
        last_date: text('Last day of a period of 28 days'),
        p75: number('75th percentile of visits in `unit`'),
        rating: oneOf(['good', 'needs-improvement', 'poor'], 'Based on the thresholds of Core Web Vitals'),
      }),
      { maxItems: 40, description: 'Oldest first; weeks without enough visits are absent' },
    ),
  },
);

export const History = component('History', 'One value of a page over time', {
  url: text('URL of the page'),
  strategy: oneOf(strategies, 'Emulated device'),
  source: oneOf(singleSources, 'Backend of the results'),
  metric: orCustomMetric(Type.Enum([...historyMetrics]), { description: 'Category, metric or custom metric' }),
  unit: historyUnit,
  direction: oneOf(['higher_is_better', 'lower_is_better'], 'Whether a higher or a lower value is better'),
  label: nullable(text('Label of the request, if any')),
  median: nullable(number('Median of the points that count; null if there are none')),
  points: arrayOf(
    HistoryPoint,
    'Oldest first. Disturbed ones do not count in segments and changes, unless they are the majority',
  ),
  segments: Type.Array(Segment),
  change_points: Type.Array(HistoryChange),
  machine_changes: arrayOf(
    HistoryChange,
    'Lasting changes that the speed of the machine can explain alone: it changed at the same time',
  ),
  possible_change: described(nullable(PossibleChange), 'Change that further results may confirm, or null'),
  gaps: Type.Array(Gap),
  field: nullable(FieldSeries),
  notes: arrayOf(Note, 'The newest 200 notes of the page and its site, newest first'),
  without_value: count('Number of results without this metric'),
  is_complete: flag('False if there are more than 10,000 results; the newest are included'),
});
export type History = Static<typeof History>;
