/** Requests and responses of jobs: work that outlives its request. */
import Type, { type Static } from 'typebox';
import { absent, nullable, time } from '../fields.ts';
import { strategies } from '../names.ts';
import { Problem } from '../problem.ts';
import { Scores } from '../result/metrics.ts';

const count = Type.Integer({ minimum: 0 });

const JobPart = Type.Object({
  source: Type.Enum(['psi', 'lighthouse']),
  strategy: Type.Enum([...strategies]),
  id: nullable(Type.String({ description: 'Id of the stored result' })),
  scores: nullable(Scores),
  disturbed: nullable(
    Type.Boolean({
      description: 'Whether something other than the page changed the times of its load; null if unknown',
    }),
  ),
  error: nullable(Problem),
  links: Type.Object({
    self: Type.Optional(Type.String({ description: 'Stored result; with `detailed=true` its full data' })),
  }),
});

export const JobPage = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Place in `urls`' }),
    url: Type.String(),
    state: Type.Enum(['waiting', 'running', 'succeeded', 'failed', 'cancelled']),
    attempts: Type.Integer({ minimum: 0, maximum: 2 }),
    same_as: nullable(
      Type.Integer({ description: 'Index of the same URL earlier in the list, which is measured once' }),
    ),
    results: Type.Array(JobPart, { description: 'One for each analyser and strategy' }),
    error: nullable(Problem),
    links: Type.Object({
      self: Type.String({ description: 'The answer of this page' }),
      comparison: Type.Optional(Type.String({ description: 'Stored comparison' })),
    }),
  },
  { $id: 'JobPage', description: 'One page of a job' },
);
export type JobPage = Static<typeof JobPage>;

const jobFields = {
  id: Type.String(),
  kind: Type.Enum(['psi', 'lighthouse', 'compare', 'experiment'], {
    description: 'Analysis of its pages; `experiment`: each page is one load of it',
  }),
  state: Type.Enum(['queued', 'running', 'succeeded', 'failed', 'cancelled'], {
    description: '`succeeded`: at least one page has a result',
  }),
  reason: nullable(Type.String({ description: 'Reason why no instance runs the job' })),
  client: Type.Optional(Type.String({ description: 'Its client; only in a list of all clients' })),
  position: nullable(Type.Integer({ minimum: 1, description: 'Approximate place of a queued job' })),
  progress: Type.Object({ total: count, done: count, succeeded: count, failed: count }),
  attempts: Type.Integer({ minimum: 0, description: 'Number of starts' }),
  label: nullable(Type.String()),
  schedule: nullable(Type.String({ description: 'Id of the schedule that started the job' })),
  created_at: time,
  started_at: nullable(time),
  ended_at: nullable(time),
  expires_at: nullable(
    Type.String({ format: 'date-time', description: 'Time of its removal; null until it has ended' }),
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
  { $id: 'JobList', description: 'Entries of this client, newest first' },
);

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
