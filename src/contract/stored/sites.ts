/** Request and response of `/sites`: one entry for each page, device and side. */
import Type, { type Static } from 'typebox';
import { arrayOf, component, count, flag, group, nullable, number, text, timeFormat } from '../fields.ts';
import { strategies } from '../names.ts';
import { absent, parameters, range } from '../parameters.ts';
import { performanceRange } from '../result/runs.ts';
import { singleSources } from './history.ts';

const score = nullable(Type.Number({ minimum: 0, maximum: 100 }));
const metric = nullable(Type.Number({ minimum: 0 }));
const time = Type.String({ format: timeFormat });

export const SitesQuery = parameters({
  search: absent(
    Type.String({ maxLength: 200 }),
    'Text in the URL of a page or the label of a result; the case of A to Z does not count',
  ),
  limit: range(1, 500, 100, 'Pages per response'),
});

const SiteChange = group('Latest lasting change in the performance score that the machine does not explain', {
  status: Type.Enum(['better', 'worse']),
  time,
  previous_id: text('Id of the last result before the change'),
  id: text('Id of the first result after the change'),
  before: number('Median performance score before the change'),
  after: number('Median performance score after the change'),
});

export const SitePage = component(
  'SitePage',
  'Stored results of one page, strategy and source, under the same conditions',
  {
    url: Type.String(),
    host: Type.String(),
    source: Type.Enum([...singleSources]),
    strategy: Type.Enum([...strategies]),
    conditions: nullable(text('Name of the conditions of the loads; null without any')),
    results: count('Stored results and failures', 1),
    last: nullable(
      group('The newest result; null if recent measurements failed', {
        id: Type.String(),
        time,
        performance: score,
        performance_range: performanceRange,
        metrics: Type.Object({
          largest_contentful_paint: metric,
          total_blocking_time: metric,
          cumulative_layout_shift: metric,
        }),
        disturbed: nullable(Type.Boolean()),
        label: nullable(Type.String()),
      }),
    ),
    last_failure: nullable(
      group('The newest failure among recent measurements', {
        id: Type.String(),
        time,
        error_code: nullable(Type.String()),
        page_status: nullable(Type.Integer()),
      }),
    ),
    trend: arrayOf(
      Type.Object({ time, performance: Type.Number() }),
      'Performance scores of the last 30 measurements and of the last of each of 30 days, oldest first, excluding disturbed ones',
    ),
    change: nullable(SiteChange),
  },
);
export type SitePage = Static<typeof SitePage>;

export const Sites = component('Sites', 'All pages with stored results; a URL that never answered is not one', {
  pages: arrayOf(SitePage, 'Most recently measured page first'),
  is_complete: flag('False if there are more pages than `limit`'),
});
export type Sites = Static<typeof Sites>;
