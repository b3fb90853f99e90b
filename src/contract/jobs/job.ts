/** Requests and responses of jobs: work that outlives its request. */
import Type, { type Static } from 'typebox';
import { absent, nullable, time } from '../fields.ts';
import { strategies } from '../names.ts';
import { Problem } from '../problem.ts';
import { Scores } from '../result/metrics.ts';
import { performanceRange } from '../result/runs.ts';

const count = Type.Integer({ minimum: 0 });

export const FoundSite = nullable(
  Type.Object(
    {
      url: Type.String({ description: 'Site, sitemap or page as requested' }),
      sample: nullable(Type.Integer({ minimum: 1, description: 'Pages of each route template; null for all pages' })),
      found: Type.Integer({ minimum: 1, description: 'Number of pages found, of which the list may have a sample' }),
    },
    { description: 'Where the pages of the list were found; null if they were named' },
  ),
);
export type FoundSite = NonNullable<Static<typeof FoundSite>>;

const JobPart = Type.Object({
  source: Type.Enum(['psi', 'lighthouse']),
  strategy: Type.Enum([...strategies]),
  id: nullable(Type.String({ description: 'Id of the stored result' })),
  scores: nullable(Scores),
  disturbed: nullable(
    Type.Boolean({
      description: 'Whether something other than the page affected the timings of its load; null if unknown',
    }),
  ),
  performance_range: performanceRange,
  error: nullable(Problem),
  links: Type.Object({
    self: Type.Optional(Type.String({ description: 'Stored result; add `detailed=true` for its full data' })),
  }),
});

export const JobPage = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Index in `urls`' }),
    url: Type.String(),
    state: Type.Enum(['waiting', 'running', 'succeeded', 'failed', 'cancelled']),
    attempts: Type.Integer({ minimum: 0, maximum: 2 }),
    same_as: nullable(
      Type.Integer({ description: 'Index of an earlier entry with the same URL, which is measured only once' }),
    ),
    results: Type.Array(JobPart, { description: 'One for each analyser and strategy' }),
    error: nullable(Problem),
    links: Type.Object({
      self: Type.String({ description: 'Response for this page' }),
      comparison: Type.Optional(Type.String({ description: 'Stored comparison' })),
    }),
  },
  { $id: 'JobPage', description: 'One page of a job' },
);
export type JobPage = Static<typeof JobPage>;

const jobFields = {
  id: Type.String(),
  kind: Type.Enum(['psi', 'lighthouse', 'compare', 'experiment'], {
    description: 'Analysis of the pages; `experiment`: each page is one load of the experiment',
  }),
  state: Type.Enum(['queued', 'running', 'succeeded', 'failed', 'cancelled'], {
    description: '`succeeded`: at least one page has a result',
  }),
  reason: nullable(Type.String({ description: 'Reason why no instance runs the job' })),
  client: Type.Optional(Type.String({ description: 'Client that created the job; only in a list of all clients' })),
  position: nullable(Type.Integer({ minimum: 1, description: 'Approximate position of a queued job' })),
  progress: Type.Object({ total: count, done: count, succeeded: count, failed: count }),
  attempts: Type.Integer({ minimum: 0, description: 'Number of times the job was started' }),
  label: nullable(Type.String()),
  site: FoundSite,
  schedule: nullable(Type.String({ description: 'Id of the schedule that started the job' })),
  created_at: time,
  started_at: nullable(time),
  ended_at: nullable(time),
  expires_at: nullable(
    Type.String({ format: 'date-time', description: 'Time at which the job is removed; null until it ends' }),
  ),
  error: nullable(Problem),
  callback: nullable(
    Type.Object({
      state: Type.Enum(['waiting', 'delivered', 'given_up', 'none'], {
        description: '`none`: not due yet, or not needed',
      }),
      attempts: count,
      error: nullable(Type.String({ description: 'Why the last attempt failed' })),
    }),
  ),
  links: Type.Object({ self: Type.String(), events: Type.String() }),
};

export const JobFacts = Type.Object(jobFields, { $id: 'JobFacts', description: 'A job without its pages' });
export type JobFacts = Static<typeof JobFacts>;

export const JobAnswer = Type.Object(
  {
    ...jobFields,
    pages: Type.Array(JobPage, { description: 'In the order of the request' }),
    next: nullable(Type.String({ description: 'Value for `cursor`; null at the end' })),
  },
  { $id: 'Job', description: 'Measurements that run in the background' },
);
export type JobAnswer = Static<typeof JobAnswer>;

export const JobList = Type.Object(
  { jobs: Type.Array(JobFacts) },
  { $id: 'JobList', description: 'Jobs of this client, newest first' },
);
export type JobList = Static<typeof JobList>;

export const JobQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1000, default: 50, title: 'Limit', description: 'Pages per response' }),
  ),
  cursor: absent(Type.String(), { title: 'Cursor', description: '`next` of the previous response' }),
});

export const JobsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 50, title: 'Limit', description: 'Jobs per response' }),
  ),
  before: absent(Type.String(), { title: 'Before', description: 'Last id of the previous response' }),
  all: Type.Optional(
    Type.Boolean({ default: false, title: 'All', description: 'Include every client (operators only)' }),
  ),
});
