/** Sample answers of a service about all its pages, its schedules and itself. */
import type { Health } from '../../src/contract/health.ts';
import type { JobAnswer, JobFacts, JobPage } from '../../src/contract/jobs/job.ts';
import type { ScheduleFacts } from '../../src/contract/jobs/schedule.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { SitePage } from '../../src/contract/stored/sites.ts';
import { idOfSide } from '../support/builders/results-comparison.ts';
import { keptId } from './sample-answers.ts';
import type { StubCall } from './stub-service.ts';

const time = (day: number, hour = 10) => new Date(Date.UTC(2026, 10, day, hour)).toISOString();

export const sitePage = (fields: Partial<SitePage> = {}): SitePage => ({
  url: 'https://harbour.example/',
  host: 'harbour.example',
  source: 'lighthouse',
  strategy: 'mobile',
  conditions: null,
  results: 24,
  last: {
    id: keptId,
    time: time(20),
    performance: 72,
    performance_range: { min: 70, max: 74 },
    metrics: { largest_contentful_paint: 3120, total_blocking_time: 240, cumulative_layout_shift: 0.02 },
    disturbed: false,
    label: null,
  },
  last_failure: null,
  trend: [92, 93, 91, 94, 92, 74, 73, 72].map((performance, at) => ({ time: time(3 + 2 * at), performance })),
  change: {
    status: 'worse',
    time: time(14),
    previous_id: idOfSide('before'),
    id: idOfSide('after'),
    before: 92,
    after: 73,
  },
  ...fields,
});

const pages: readonly SitePage[] = [
  sitePage(),
  sitePage({
    url: 'https://harbour.example/a/page/with-a-rather-long-address/of-its-own?season=winter',
    source: 'psi',
    last: {
      id: keptId,
      time: time(19),
      performance: 61,
      performance_range: null,
      metrics: { largest_contentful_paint: 4100, total_blocking_time: 900, cumulative_layout_shift: null },
      disturbed: true,
      label: 'build-42',
    },
    last_failure: { id: idOfSide('before'), time: time(18), error_code: 'page_error', page_status: 503 },
    change: null,
  }),
  sitePage({
    url: 'https://down.example/',
    host: 'down.example',
    results: 3,
    last: null,
    trend: [],
    change: null,
    last_failure: { id: idOfSide('after'), time: time(17), error_code: 'page_unreachable', page_status: null },
  }),
];

/** A site with a template: two of its pages got worse, one got better. */
export const groupedPages: readonly SitePage[] = [
  sitePage({ change: null }),
  ...Array.from({ length: 7 }, (_, at) => {
    const page = sitePage({ url: `https://harbour.example/berths/${at}`, change: null });
    const { change } = sitePage();
    if (!change || at > 2) return page;
    return { ...page, change: at < 2 ? change : { ...change, status: 'better' as const, before: 73, after: 92 } };
  }),
];

const schedule: ScheduleFacts & { urls: string[] } = {
  id: idOfSide('before'),
  pages: 2,
  site: null,
  cron: null,
  timezone: null,
  interval: 'P1D',
  kind: 'lighthouse',
  strategy: 'mobile',
  runs: 3,
  categories: ['performance'],
  label: null,
  conditions: null,
  callback: null,
  callback_format: 'json',
  callback_when: 'always',
  paused: false,
  reason: null,
  created_at: time(1),
  next_at: time(21),
  last_at: time(20),
  links: { self: `/schedules/${idOfSide('before')}` },
  urls: ['https://harbour.example/', 'https://harbour.example/tides'],
};
const paused = {
  ...schedule,
  id: idOfSide('after'),
  paused: true,
  next_at: null,
  urls: ['https://down.example/'],
  pages: 1,
};

const job: JobFacts = {
  id: idOfSide('before'),
  kind: 'lighthouse',
  state: 'running',
  reason: null,
  position: null,
  progress: { total: 3, done: 2, succeeded: 1, failed: 1 },
  attempts: 1,
  label: 'night',
  site: null,
  schedule: schedule.id,
  created_at: time(20),
  started_at: time(20),
  ended_at: null,
  expires_at: null,
  error: null,
  callback: null,
  links: { self: `/jobs/${idOfSide('before')}`, events: `/jobs/${idOfSide('before')}/events` },
};

const problem: Problem = {
  type: 'about:blank',
  code: 'page_error',
  title: 'Page returned an error',
  detail: 'x',
  status: 502,
  retryable: false,
};
const jobPage = (index: number, fields: Partial<JobPage>): JobPage => ({
  index,
  url: `https://harbour.example/berths/${index}`,
  state: 'succeeded',
  attempts: 1,
  same_as: null,
  results: [],
  error: null,
  links: { self: '/' },
  ...fields,
});
const part: JobPage['results'][number] = {
  source: 'lighthouse',
  strategy: 'mobile',
  id: keptId,
  scores: { performance: 72 },
  disturbed: false,
  performance_range: null,
  error: null,
  links: { self: `/results/${keptId}` },
};
const jobAnswer: JobAnswer = {
  ...job,
  pages: [
    jobPage(0, { results: [part] }),
    jobPage(1, { state: 'failed', error: problem }),
    jobPage(2, { state: 'running' }),
  ],
  next: null,
};

/** Health of a single healthy service. */
const health: Health = {
  status: 'ok',
  version: '2.0.0',
  uptime_seconds: 86_400,
  lighthouse: {
    available: true,
    version: '13.5.0',
    browser: 'Chromium 151',
    sandbox: 'on',
    running: 1,
    queued: 4,
    parallel_limit: 2,
  },
  psi: { analyser: 'embedded', key_configured: false, state: 'throttled', until: time(21) },
  thread: { state: 'ok', queued: 0, replaced: 0 },
  cache: { store: 'sqlite', entries: 12, bytes: 3_400_000 },
  results: {
    store: 'sqlite',
    state: 'ok',
    entries: 10_000,
    bytes: 812_000_000,
    artifact_bytes: 2_000_000,
    waiting: 0,
    retention: { days: 90, bytes: 2_000_000_000, artifact_bytes: 1_000_000_000, refused: null },
  },
};

const member = { role: 'worker', version: '2.0.0', parallel_limit: 4, running: 4 } as const;

/** Health of a fleet during an upgrade, with many problems. */
export const fleetHealth: Health = {
  ...health,
  status: 'degraded',
  lighthouse: {
    ...health.lighthouse,
    available: false,
    browser: null,
    fault: 'No browser was found. Install one with: npx playwright-core install chromium-headless-shell',
  },
  psi: { analyser: 'google', key_configured: true, state: 'down', since: time(19) },
  fleet: {
    role: 'api',
    instance: idOfSide('before'),
    database: 'ok',
    instances: 3,
    parallel_limit: 8,
    running: 6,
    queued: 31,
    members: [
      { ...member, name: 'front-1', role: 'api', parallel_limit: 0, running: 0 },
      { ...member, name: 'worker-with-a-rather-long-name-7f9c4d5b8-x2x9q' },
      { ...member, name: null, version: '1.9.0', running: 2 },
    ],
  },
  results: {
    ...health.results,
    store: 'postgres',
    state: 'degraded',
    waiting: 214,
    fault: { code: 'unreachable', message: 'The database cannot be reached.', at: time(20) },
    retention: {
      days: 90,
      bytes: 2_000_000_000,
      artifact_bytes: 1_000_000_000,
      refused: 'The clock differs by more than a day from the last time that the store recorded.',
    },
  },
};

/** A job whose callback was never delivered. */
export const failedCallback: JobFacts = {
  ...job,
  state: 'succeeded',
  progress: { total: 3, done: 3, succeeded: 3, failed: 0 },
  callback: { state: 'given_up', attempts: 12, error: 'HTTP 500' },
};

/** Answers every request of the views of all pages; each change succeeds. */
export function answerHome(call: StubCall): void {
  const answers: Readonly<Record<string, unknown>> = {
    '/sites': {
      pages: pages.filter(({ url }) => url.includes(call.params.get('search') ?? '')),
      is_complete: call.params.has('limit') || call.params.has('search'),
    },
    '/schedules': { schedules: [schedule, paused] },
    '/jobs': { jobs: [job, { ...job, id: idOfSide('after'), state: 'succeeded', schedule: null }] },
    '/health': health,
    [`/schedules/${schedule.id}`]: schedule,
    [`/schedules/${paused.id}`]: paused,
    [`/jobs/${job.id}`]: jobAnswer,
    [`/jobs/${paused.id}`]: jobAnswer,
  };
  call.json(answers[call.path] ?? {});
}
