/** Requests of lists, and of schedules, which start jobs repeatedly. */

import Type, { type Static } from 'typebox';
import { component, count, moment, nullable, text, time } from '../fields.ts';
import { callbackFormats, maxSample, mostJobUrls, requestCategories, strategies } from '../names.ts';
import { optionProperties } from '../option-schemas.ts';
import { absent, body, callbackFormat, choice, pageUrl } from '../parameters.ts';
import { FoundSite } from './job.ts';

/** Pages of a list: named, or found on a site. */
const pagesFields = {
  urls: absent(
    Type.Array(pageUrl(), { minItems: 1, maxItems: mostJobUrls }),
    'Pages to measure; specify this or `site`',
  ),
  site: absent(
    pageUrl(),
    'Site, sitemap or page with links, as in `GET /sitemap`: its pages are found once, with this request',
  ),
  sample: absent(
    Type.Integer({ minimum: 1, maximum: maxSample }),
    'Number of pages of each route template of `site`; without it, up to 1,000 pages',
  ),
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

export const ListRequest = body(
  'ListRequest',
  {
    ...pagesFields,
    kind: kindField,
    ...optionProperties('schedule'),
    callback: callbackField('at its end'),
    callback_format: callbackFormat,
  },
  {
    description: 'Requires exactly one of `urls` and `site`',
    examples: [{ site: 'https://example.com/', sample: 3, kind: 'lighthouse' }],
  },
);

export const ScheduleRequest = body(
  'ScheduleRequest',
  {
    ...pagesFields,
    cron: absent(Type.String(), 'Cron expression with five fields, such as `0 3 * * *`; specify this or `interval`'),
    timezone: absent(Type.String(), 'Time zone of `cron`, such as `Europe/Berlin`; defaults to UTC'),
    interval: absent(Type.String(), 'ISO 8601 duration, such as `PT1H` or `P1D`; at least one minute'),
    kind: kindField,
    ...optionProperties('schedule'),
    callback: callbackField('after each run'),
    callback_format: callbackFormat,
    callback_when: choice(
      ['always', 'verdict_changes'],
      'always',
      '`verdict_changes`: only when a page gets better or worse, or starts or stops failing. A message for people is sent for lasting changes only',
    ),
  },
  {
    description: 'Requires exactly one of `cron` and `interval`, and exactly one of `urls` and `site`',
    examples: [{ urls: ['https://example.com/'], cron: '0 3 * * *', timezone: 'Europe/Berlin' }],
  },
);

export const CallbackTest = body('CallbackTest', {
  callback: Type.String({
    maxLength: 2048,
    title: 'Callback',
    description: 'Webhook (https, or http on this machine)',
  }),
  callback_format: callbackFormat,
});

export const CallbackTested = component('CallbackTested', 'Outcome of a test message', {
  error: nullable(text('Why the webhook did not accept the message; null if it did')),
});

export const SchedulePatch = body('SchedulePatch', {
  paused: Type.Boolean({ title: 'Paused', description: 'Whether the schedule skips its runs' }),
});

const scheduleFields = {
  id: Type.String(),
  pages: count('Number of URLs', 1),
  site: FoundSite,
  cron: nullable(Type.String()),
  timezone: nullable(Type.String()),
  interval: nullable(Type.String()),
  kind: Type.Enum(['psi', 'lighthouse', 'compare']),
  strategy: Type.Enum([...strategies, 'both']),
  runs: nullable(
    Type.Union([Type.Integer(), Type.Literal('auto')], {
      description: 'Local runs of each page; null without local runs',
    }),
  ),
  categories: Type.Array(Type.Enum([...requestCategories])),
  label: nullable(Type.String()),
  conditions: nullable(text('Name of the conditions of its loads; null without any')),
  callback: nullable(Type.String()),
  callback_format: Type.Enum([...callbackFormats]),
  callback_when: Type.Enum(['always', 'verdict_changes']),
  paused: Type.Boolean(),
  reason: nullable(text('Reason why no instance starts its runs')),
  client: Type.Optional(text('Client that created the schedule; only in a list of all clients')),
  created_at: time,
  next_at: nullable(moment('Time of the next run; null if the schedule is paused or has none')),
  last_at: nullable(time),
  links: Type.Object({
    self: Type.String(),
    last_job: Type.Optional(text('Job of the latest run, until it is removed')),
  }),
};

export const ScheduleFacts = component('ScheduleFacts', 'A schedule without its URLs', scheduleFields);
export type ScheduleFacts = Static<typeof ScheduleFacts>;

export const ScheduleAnswer = component('Schedule', 'Pages that are measured on a schedule', {
  ...scheduleFields,
  urls: Type.Array(Type.String()),
});

export const ScheduleList = component('ScheduleList', 'Schedules of this client, newest first', {
  schedules: Type.Array(ScheduleFacts),
});
export type ScheduleList = Static<typeof ScheduleList>;

export const ScheduleRemoved = Type.Object({ removed: Type.Literal(1) }, { $id: 'ScheduleRemoved' });
