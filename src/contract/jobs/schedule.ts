/** Requests of lists, and of schedules, which start jobs repeatedly. */

import type { Static } from 'typebox';
import Type from 'typebox';
import { absent, callbackFormat, nullable, pageUrlFormat, time } from '../fields.ts';
import { callbackFormats, maxSample, mostJobUrls, requestCategories, strategies } from '../names.ts';
import { optionProperties } from '../option-schemas.ts';
import { FoundSite } from './job.ts';

/** Pages of a list: named, or found on a site. */
const pagesFields = {
  urls: absent(Type.Array(Type.String({ format: pageUrlFormat }), { minItems: 1, maxItems: mostJobUrls }), {
    title: 'Urls',
    description: 'Pages to measure; specify this or `site`',
  }),
  site: absent(Type.String({ format: pageUrlFormat }), {
    title: 'Site',
    description: 'Site, sitemap or page with links, as in `GET /sitemap`: its pages are found once, with this request',
  }),
  sample: absent(Type.Integer({ minimum: 1, maximum: maxSample }), {
    title: 'Sample',
    description: 'Number of pages of each route template of `site`; without it, up to 1,000 pages',
  }),
};

const kindField = Type.Optional(
  Type.Enum(['psi', 'lighthouse', 'compare'], {
    type: 'string',
    default: 'psi',
    title: 'Kind',
    description: 'Analysis of each page: PageSpeed Insights, local Lighthouse, or a comparison of both',
  }),
);

const callbackField = (when: string) =>
  absent(Type.String(), { title: 'Callback', description: `Webhook called ${when} (https, or http on this machine)` });

export const ListRequest = Type.Object(
  {
    ...pagesFields,
    kind: kindField,
    ...optionProperties('schedule'),
    callback: callbackField('at its end'),
    callback_format: callbackFormat,
  },
  {
    $id: 'ListRequest',
    title: 'ListRequest',
    description: 'Requires exactly one of `urls` and `site`',
    examples: [{ site: 'https://example.com/', sample: 3, kind: 'lighthouse' }],
  },
);

export const ScheduleRequest = Type.Object(
  {
    ...pagesFields,
    cron: absent(Type.String(), {
      title: 'Cron',
      description: 'Cron expression with five fields, such as `0 3 * * *`; specify this or `interval`',
    }),
    timezone: absent(Type.String(), {
      title: 'Timezone',
      description: 'Time zone of `cron`, such as `Europe/Berlin`; defaults to UTC',
    }),
    interval: absent(Type.String(), {
      title: 'Interval',
      description: 'ISO 8601 duration, such as `PT1H` or `P1D`; at least one minute',
    }),
    kind: kindField,
    ...optionProperties('schedule'),
    callback: callbackField('after each run'),
    callback_format: callbackFormat,
    callback_when: Type.Optional(
      Type.Enum(['always', 'verdict_changes'], {
        type: 'string',
        default: 'always',
        title: 'Callback When',
        description:
          '`verdict_changes`: only when a page gets better or worse, or starts or stops failing. A message for people is sent for lasting changes only',
      }),
    ),
  },
  {
    $id: 'ScheduleRequest',
    title: 'ScheduleRequest',
    description: 'Requires exactly one of `cron` and `interval`, and exactly one of `urls` and `site`',
    examples: [{ urls: ['https://example.com/'], cron: '0 3 * * *', timezone: 'Europe/Berlin' }],
  },
);

export const CallbackTest = Type.Object(
  {
    callback: Type.String({
      maxLength: 2048,
      title: 'Callback',
      description: 'Webhook (https, or http on this machine)',
    }),
    callback_format: callbackFormat,
  },
  { $id: 'CallbackTest', title: 'CallbackTest' },
);

export const CallbackTested = Type.Object(
  { error: nullable(Type.String({ description: 'Why the webhook did not accept the message; null if it did' })) },
  { $id: 'CallbackTested', description: 'Outcome of a test message' },
);

export const SchedulePatch = Type.Object(
  { paused: Type.Boolean({ title: 'Paused', description: 'Whether the schedule skips its runs' }) },
  { $id: 'SchedulePatch', title: 'SchedulePatch' },
);

const scheduleFields = {
  id: Type.String(),
  pages: Type.Integer({ minimum: 1, description: 'Number of URLs' }),
  site: FoundSite,
  cron: nullable(Type.String()),
  timezone: nullable(Type.String()),
  interval: nullable(Type.String()),
  kind: Type.Enum(['psi', 'lighthouse', 'compare']),
  strategy: Type.Enum([...strategies, 'both']),
  categories: Type.Array(Type.Enum([...requestCategories])),
  label: nullable(Type.String()),
  conditions: nullable(Type.String({ description: 'Name of the conditions of its loads; null without any' })),
  callback: nullable(Type.String()),
  callback_format: Type.Enum([...callbackFormats]),
  callback_when: Type.Enum(['always', 'verdict_changes']),
  paused: Type.Boolean(),
  reason: nullable(Type.String({ description: 'Reason why no instance starts its runs' })),
  client: Type.Optional(
    Type.String({ description: 'Client that created the schedule; only in a list of all clients' }),
  ),
  created_at: time,
  next_at: nullable(
    Type.String({
      format: 'date-time',
      description: 'Time of the next run; null if the schedule is paused or has none',
    }),
  ),
  last_at: nullable(time),
  links: Type.Object({
    self: Type.String(),
    last_job: Type.Optional(Type.String({ description: 'Job of the latest run, until it is removed' })),
  }),
};

export const ScheduleFacts = Type.Object(scheduleFields, {
  $id: 'ScheduleFacts',
  description: 'A schedule without its URLs',
});
export type ScheduleFacts = Static<typeof ScheduleFacts>;

export const ScheduleAnswer = Type.Object(
  { ...scheduleFields, urls: Type.Array(Type.String()) },
  { $id: 'Schedule', description: 'Pages that are measured on a schedule' },
);

export const ScheduleList = Type.Object(
  { schedules: Type.Array(ScheduleFacts) },
  { $id: 'ScheduleList', description: 'Schedules of this client, newest first' },
);
export type ScheduleList = Static<typeof ScheduleList>;

export const ScheduleRemoved = Type.Object({ removed: Type.Literal(1) }, { $id: 'ScheduleRemoved' });
