/** Request and response of `/sites`: one entry for each page, device and side. */
import Type, { type Static } from 'typebox';
import { absent, nullable, timeFormat } from '../fields.ts';
import { strategies } from '../names.ts';
import { performanceRange } from '../result/runs.ts';
import { singleSources } from './history.ts';

const score = nullable(Type.Number({ minimum: 0, maximum: 100 }));
const metric = nullable(Type.Number({ minimum: 0 }));
const time = Type.String({ format: timeFormat });

export const SitesQuery = Type.Object({
  search: absent(Type.String({ maxLength: 200 }), {
    title: 'Search',
    description: 'Text in the URL of a page or the label of a result; case-insensitive',
  }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 100, title: 'Limit', description: 'Pages per response' }),
  ),
});

const SiteChange = Type.Object(
  {
    status: Type.Enum(['better', 'worse']),
    time,
    previous_id: Type.String({ description: 'Id of the last result before the change' }),
    id: Type.String({ description: 'Id of the first result after the change' }),
    before: Type.Number({ description: 'Median performance score before the change' }),
    after: Type.Number({ description: 'Median performance score after the change' }),
  },
  { description: 'Latest lasting change in the performance score' },
);

export const SitePage = Type.Object(
  {
    url: Type.String(),
    host: Type.String(),
    source: Type.Enum([...singleSources]),
    strategy: Type.Enum([...strategies]),
    conditions: nullable(Type.String({ description: 'Name of the conditions of the loads; null without any' })),
    results: Type.Integer({ minimum: 1, description: 'Stored results and failures' }),
    last: nullable(
      Type.Object(
        {
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
        },
        { description: 'The newest result; null if recent measurements failed' },
      ),
    ),
    last_failure: nullable(
      Type.Object(
        { id: Type.String(), time, error_code: nullable(Type.String()), page_status: nullable(Type.Integer()) },
        { description: 'The newest failure among recent measurements' },
      ),
    ),
    trend: Type.Array(Type.Object({ time, performance: Type.Number() }), {
      description:
        'Performance scores of the last 30 measurements and of the last of each of 30 days, oldest first, excluding disturbed ones',
    }),
    change: nullable(SiteChange),
  },
  { $id: 'SitePage', description: 'Stored results of one page, strategy and source, under the same conditions' },
);
export type SitePage = Static<typeof SitePage>;

export const Sites = Type.Object(
  {
    pages: Type.Array(SitePage, { description: 'Most recently measured page first' }),
    is_complete: Type.Boolean({ description: 'False if there are more pages than `limit`' }),
  },
  { $id: 'Sites', description: 'All pages with stored results; a URL that never answered is not one' },
);
export type Sites = Static<typeof Sites>;
