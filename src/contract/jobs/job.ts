/** What goes in and out about jobs: work that outlives its request. */
import Type, { type Static, type TSchema } from 'typebox';
import { labelFormat, maxLabelCharacters, pageUrlFormat } from '../analysis/requests.ts';
import { nullable } from '../fields.ts';
import { mostJobUrls } from '../limits.ts';
import { categoryNames, cpuChoices, profiles, strategies } from '../names.ts';
import { Problem } from '../problem.ts';
import { Scores } from '../result/result.ts';

const absent = <T extends TSchema>(schema: T, words: { title: string; description: string }) =>
  Type.Optional(Type.Union([schema, Type.Null()], words));
const time = Type.String({ format: 'date-time' });
const count = Type.Integer({ minimum: 0 });

const JobPart = Type.Object({
  source: Type.Enum(['psi', 'lighthouse']),
  strategy: Type.Enum([...strategies]),
  id: nullable(Type.String({ description: 'Of the kept result' })),
  scores: nullable(Scores),
  error: nullable(Problem),
  links: Type.Object({
    self: Type.Optional(Type.String({ description: 'The kept result; with `detailed=true` its full data' })),
  }),
});

export const JobPage = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Place in `urls`' }),
    url: Type.String(),
    state: Type.Enum(['waiting', 'running', 'succeeded', 'failed']),
    tries: Type.Integer({ minimum: 0, maximum: 2 }),
    same_as: nullable(Type.Integer({ description: 'Where the same URL came first: it is measured once' })),
    results: Type.Array(JobPart, { description: 'One for each analyser and strategy' }),
    error: nullable(Problem),
    links: Type.Object({
      self: Type.String({ description: 'The answer of this page' }),
      comparison: Type.Optional(Type.String({ description: 'The kept comparison' })),
    }),
  },
  { $id: 'JobPage', description: 'One page of a job' },
);
export type JobPage = Static<typeof JobPage>;

const jobFields = {
  id: Type.String(),
  kind: Type.Enum(['psi', 'lighthouse', 'compare'], { description: 'What measures its pages' }),
  state: Type.Enum(['queued', 'running', 'succeeded', 'failed', 'cancelled'], {
    description: '`succeeded`: at least one page has a result',
  }),
  position: nullable(Type.Integer({ minimum: 1, description: 'Of a queued job: about how many jobs begin before it' })),
  progress: Type.Object({ total: count, done: count, succeeded: count, failed: count }),
  attempt: Type.Integer({ minimum: 0, description: 'How often an instance of the service took it up' }),
  label: nullable(Type.String()),
  schedule: nullable(Type.String({ description: 'The id of the schedule that it is a run of' })),
  created_at: time,
  started_at: nullable(time),
  ended_at: nullable(time),
  expires_at: nullable(Type.String({ format: 'date-time', description: 'When it is removed; null until it ended' })),
  error: nullable(Problem),
  callback: nullable(
    Type.Object({
      state: Type.Enum(['waiting', 'delivered', 'given_up', 'none'], {
        description: '`none`: not due yet, or nothing to tell',
      }),
      tries: count,
      error: nullable(Type.String({ description: 'Why the last try failed' })),
    }),
  ),
  links: Type.Object({ self: Type.String(), events: Type.String() }),
};

export const JobFacts = Type.Object(jobFields, { $id: 'JobFacts', description: 'A job without its pages' });
export type JobFacts = Static<typeof JobFacts>;

export const JobAnswer = Type.Object(
  {
    ...jobFields,
    pages: Type.Array(JobPage, { description: 'In the order asked' }),
    next: nullable(Type.String({ description: 'For the parameter `cursor`; null at the end' })),
  },
  { $id: 'Job', description: 'Work that goes on without its client' },
);
export type JobAnswer = Static<typeof JobAnswer>;

export const JobList = Type.Object(
  { jobs: Type.Array(JobFacts) },
  { $id: 'JobList', description: 'Of this client, newest first' },
);

export const JobQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1000, default: 50, title: 'Limit', description: 'Pages of one answer' }),
  ),
  cursor: absent(Type.String(), { title: 'Cursor', description: '`next` of the answer before' }),
});

export const JobsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 50, title: 'Limit', description: 'Jobs of one answer' }),
  ),
});

const url = Type.String({ format: pageUrlFormat });

export const ScheduleRequest = Type.Object(
  {
    urls: Type.Array(url, {
      ...{ minItems: 1, maxItems: mostJobUrls, title: 'Urls' },
      description: 'Pages that each run measures',
    }),
    cron: absent(Type.String(), {
      title: 'Cron',
      description: 'When to run: five fields, such as `0 3 * * *`; this or `interval`',
    }),
    timezone: absent(Type.String(), {
      title: 'Timezone',
      description: 'Name of the time zone of `cron`, such as `Europe/Berlin`; UTC when absent',
    }),
    interval: absent(Type.String(), {
      title: 'Interval',
      description: 'How often to run, as ISO 8601 has it, such as `PT1H` or `P1D`: a minute or more',
    }),
    side: Type.Optional(
      Type.Enum(['remote', 'local', 'both'], {
        ...{ type: 'string', default: 'remote', title: 'Side' },
        description: 'What measures: the remote analyser, Lighthouse on this machine, or both, compared',
      }),
    ),
    strategy: Type.Optional(
      Type.Enum([...strategies, 'both'], {
        ...{ type: 'string', default: 'mobile', title: 'Strategy' },
        description: 'Device strategy; `both` for the remote side only',
      }),
    ),
    categories: absent(Type.Array(Type.Enum([...categoryNames], { type: 'string' })), {
      title: 'Categories',
      description: 'Categories to analyse; all when absent, null or empty',
    }),
    runs: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 5 }), Type.Literal('auto')], {
        ...{ default: 1, title: 'Runs' },
        description: 'Local runs of each page; several are needed for a verdict',
      }),
    ),
    profile: Type.Optional(
      Type.Enum([...profiles], {
        ...{ type: 'string', default: 'lighthouse', title: 'Profile' },
        description: 'Settings of the local side',
      }),
    ),
    cpu: Type.Optional(
      Type.Enum([...cpuChoices], {
        ...{ type: 'string', default: 'usual', title: 'Cpu' },
        description: 'How much the processor of the local phone is slowed down',
      }),
    ),
    label: absent(Type.String({ maxLength: maxLabelCharacters, format: labelFormat }), {
      title: 'Label',
      description: 'Kept with the results',
    }),
    callback: absent(Type.String(), {
      title: 'Callback',
      description: 'An https URL that is told when a run is through',
    }),
    callback_when: Type.Optional(
      Type.Enum(['always', 'verdict_changes'], {
        ...{ type: 'string', default: 'always', title: 'Callback When' },
        description: '`verdict_changes`: only when a page got better or worse, or began or ceased to fail',
      }),
    ),
  },
  {
    $id: 'ScheduleRequest',
    title: 'ScheduleRequest',
    description: 'Exactly one of `cron` and `interval`',
    examples: [{ urls: ['https://example.com/'], cron: '0 3 * * *', timezone: 'Europe/Berlin' }],
  },
);

export const SchedulePatch = Type.Object(
  { paused: Type.Boolean({ title: 'Paused', description: 'Whether its times pass without a run' }) },
  { $id: 'SchedulePatch', title: 'SchedulePatch' },
);

const scheduleFields = {
  id: Type.String(),
  pages: Type.Integer({ minimum: 1, description: 'How many URLs it has' }),
  cron: nullable(Type.String()),
  timezone: nullable(Type.String()),
  interval: nullable(Type.String()),
  side: Type.Enum(['remote', 'local', 'both']),
  strategy: Type.Enum([...strategies, 'both']),
  categories: Type.Array(Type.Enum([...categoryNames])),
  label: nullable(Type.String()),
  callback: nullable(Type.String()),
  callback_when: Type.Enum(['always', 'verdict_changes']),
  paused: Type.Boolean(),
  created_at: time,
  next_at: nullable(Type.String({ format: 'date-time', description: 'Null where it is paused, or has no next time' })),
  last_at: nullable(time),
  links: Type.Object({
    self: Type.String(),
    last_job: Type.Optional(Type.String({ description: 'The last run, for as long as it is kept' })),
  }),
};

export const ScheduleFacts = Type.Object(scheduleFields, {
  $id: 'ScheduleFacts',
  description: 'A schedule without its URLs',
});
export type ScheduleFacts = Static<typeof ScheduleFacts>;

export const ScheduleAnswer = Type.Object(
  { ...scheduleFields, urls: Type.Array(Type.String()) },
  { $id: 'Schedule', description: 'Pages that are measured again and again' },
);

export const ScheduleList = Type.Object(
  { schedules: Type.Array(ScheduleFacts) },
  { $id: 'ScheduleList', description: 'Of this client, newest first' },
);

export const ScheduleRemoved = Type.Object({ removed: Type.Literal(1) }, { $id: 'ScheduleRemoved' });
