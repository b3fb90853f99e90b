/** Requests and responses of jobs: work that outlives its request. */
import Type, { type Static } from 'typebox';
import { arrayOf, component, count, flag, group, moment, nullable, oneOf, text, time } from '../fields.ts';
import { strategies } from '../names.ts';
import { absent, parameters, range, toggle } from '../parameters.ts';
import { Problem } from '../problem.ts';
import { Scores } from '../result/metrics.ts';
import { performanceRange } from '../result/runs.ts';

const amount = Type.Integer({ minimum: 0 });

export const FoundSite = nullable(
  group('Sitemap or site on which the service found the URLs; null if the request named them', {
    url: text('Site, sitemap or page as requested'),
    sample: nullable(count('Pages of each route template; null for all pages', 1)),
    found: count('Number of pages found, of which the list may have a sample', 1),
  }),
);
export type FoundSite = NonNullable<Static<typeof FoundSite>>;

const JobPart = Type.Object({
  source: Type.Enum(['psi', 'lighthouse']),
  strategy: Type.Enum([...strategies]),
  id: nullable(text('Id of the stored result')),
  scores: nullable(Scores),
  disturbed: nullable(flag('Whether something other than the page affected the timings of its load; null if unknown')),
  performance_range: performanceRange,
  error: nullable(Problem),
  links: Type.Object({ self: Type.Optional(text('Stored result; add `detailed=true` for its full data')) }),
});

export const JobPage = component('JobPage', 'One page of a job', {
  index: count('Index in `urls`'),
  url: Type.String(),
  state: Type.Enum(['waiting', 'running', 'succeeded', 'failed', 'cancelled']),
  attempts: Type.Integer({ minimum: 0, maximum: 2 }),
  same_as: nullable(
    Type.Integer({ description: 'Index of an earlier entry with the same URL, which is measured only once' }),
  ),
  results: arrayOf(JobPart, 'One for each analyser and strategy'),
  error: nullable(Problem),
  links: Type.Object({ self: text('Response for this page'), comparison: Type.Optional(text('Stored comparison')) }),
});
export type JobPage = Static<typeof JobPage>;

const jobFields = {
  id: Type.String(),
  kind: oneOf(
    ['psi', 'lighthouse', 'compare', 'experiment'],
    'Analysis of the pages; `experiment`: each page is one load of the experiment',
  ),
  state: oneOf(
    ['queued', 'running', 'succeeded', 'failed', 'cancelled'],
    '`succeeded`: at least one page has a result',
  ),
  reason: nullable(text('Reason why no instance runs the job')),
  client: Type.Optional(text('Client that created the job; only in a list of all clients')),
  position: nullable(count('Approximate position of a queued job', 1)),
  progress: Type.Object({ total: amount, done: amount, succeeded: amount, failed: amount }),
  attempts: count('Number of times the job was started'),
  label: nullable(Type.String()),
  site: FoundSite,
  schedule: nullable(text('Id of the schedule that started the job')),
  created_at: time,
  started_at: nullable(time),
  ended_at: nullable(time),
  expires_at: nullable(moment('Time at which the job is removed; null until it ends')),
  error: nullable(Problem),
  callback: nullable(
    Type.Object({
      state: oneOf(['waiting', 'delivered', 'given_up', 'none'], '`none`: not due yet, or not needed'),
      attempts: amount,
      error: nullable(text('Why the last attempt failed')),
    }),
  ),
  links: Type.Object({ self: Type.String(), events: Type.String() }),
};

export const JobFacts = component('JobFacts', 'A job without its pages', jobFields);
export type JobFacts = Static<typeof JobFacts>;

export const JobAnswer = component('Job', 'Measurements that run in the background', {
  ...jobFields,
  pages: arrayOf(JobPage, 'In the order of the request'),
  next: nullable(text('Value for `cursor`; null at the end')),
});
export type JobAnswer = Static<typeof JobAnswer>;

export const JobList = component('JobList', 'Jobs of this client, newest first', { jobs: Type.Array(JobFacts) });
export type JobList = Static<typeof JobList>;

export const JobQuery = parameters({
  limit: range(0, 1000, 50, 'Pages per response'),
  cursor: absent(Type.String(), '`next` of the previous response'),
});

export const JobsQuery = parameters({
  limit: range(1, 1000, 50, 'Jobs per response'),
  before: absent(Type.String(), 'Last id of the previous response'),
  all: toggle('Include every client (operators only)'),
});
