/** Reads the overview of the service: sites, schedules, jobs, and health. */
import type { Conditions } from '../../contract/conditions/conditions.ts';
import type { Health } from '../../contract/health.ts';
import type { JobAnswer, JobFacts, JobList } from '../../contract/jobs/job.ts';
import type { ScheduleFacts, ScheduleList } from '../../contract/jobs/schedule.ts';
import type { CallbackFormat, Strategy } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import type { Sites } from '../../contract/stored/sites.ts';
import { addresses, ask, get, type ReadBody, sourceIn, strategyIn } from '../ask-json.ts';
import type { AskOptions } from '../ask-service.ts';
import type { PageRequest } from '../page-request.ts';

const homePages = ['sites', 'schedules', 'status'] as const;
export type HomePage = (typeof homePages)[number];

/** Pages for a new schedule: some URLs, or all pages of a site or a sample of them, as in `POST /schedules`. */
export type Watched = {
  readonly urls: readonly string[];
  readonly site?: { readonly url: string; readonly sample: number | undefined };
  readonly source: 'psi' | 'lighthouse' | 'compare';
  readonly strategy: PageRequest['strategy'];
  /** Id of a result whose conditions the loads have, too. */
  readonly like?: string | undefined;
};

export type HomeRequest = {
  readonly page: HomePage;
  readonly search: string;
  readonly watched?: Watched;
  /** Number of sites to show; undefined for the default of the service. */
  readonly limit?: number;
};

/** Returns the pages of a request for a schedule. */
export const toWatched = ({ urls, backend, strategy }: PageRequest): Watched => ({
  urls,
  source: ({ remote: 'psi', local: 'lighthouse', compare: 'compare' } as const)[backend],
  strategy,
});

export function toWatchAddress({ urls, site, source, strategy, like }: Watched): string {
  const params = new URLSearchParams({ view: 'schedules', source, strategy, ...(like ? { like } : {}) });
  if (site) params.set('site', site.url);
  else for (const url of urls) params.append('watch', url);
  if (site?.sample) params.set('sample', `${site.sample}`);
  return `?${params}`;
}

export function homeIn({ search }: { search: string }): HomeRequest | undefined {
  const params = new URLSearchParams(search.slice(1));
  const page = homePages.find(name => name === params.get('view'));
  if (!page) return undefined;
  const urls = params.getAll('watch');
  const request = { page, search: params.get('search') ?? '' };
  const siteUrl = params.get('site');
  if (urls.length === 0 && !siteUrl) return request;
  const site = siteUrl ? { site: { url: siteUrl, sample: Number(params.get('sample')) || undefined } } : {};
  const like = params.get('like') ?? undefined;
  const source = params.get('source') === 'compare' ? 'compare' : sourceIn(params);
  const strategy = params.get('strategy') === 'both' ? 'both' : strategyIn(params);
  return { ...request, watched: { urls, ...site, source, strategy, like } };
}

/** Returns the URL of the sites with this search; undefined if another URL displays them, such as the initial page. */
export function withSearch(address: string, search: string): string | undefined {
  const url = new URL(address);
  if (homeIn(url)?.page !== 'sites') return undefined;
  if (search === '') url.searchParams.delete('search');
  else url.searchParams.set('search', search);
  return url.href;
}

/** @param limit maximum number of pages; undefined for the default of the service */
export const readSites = (search: string, options: AskOptions, limit?: number): Promise<ReadBody<Sites>> =>
  get(addresses.sites({ search, limit }), ['pages'], options);

export type Schedule = ScheduleFacts & { readonly urls?: readonly string[] };

const mostJobs = 20;

const mostSchedules = 100;

/**
 * Returns all schedules of this client, newest first, with their URLs.
 * @param known schedules that were read before: their URLs never change, so they are not read again
 */
export async function readSchedules(
  options: AskOptions,
  known: readonly Schedule[] = [],
): Promise<ReadBody<readonly Schedule[]>> {
  const listed = await get<ScheduleList>(addresses.schedules({ limit: mostSchedules }), ['schedules'], options);
  if (!listed.ok) return listed;
  const knownUrls = new Map(known.map(({ id, urls }) => [id, urls]));
  const complete = async (schedule: ScheduleFacts): Promise<Schedule> => {
    const urls = knownUrls.get(schedule.id);
    if (urls) return { ...schedule, urls };
    const whole = await get<Schedule>(addresses.schedule(schedule.id), ['urls'], options);
    return whole.ok ? whole.body : schedule;
  };
  return { ok: true, body: await Promise.all(listed.body.schedules.map(complete)) };
}

export type NamedJob = JobFacts & { readonly firstUrl?: string | undefined };

/**
 * Returns the newest jobs that a user looks after, with their first URL: lists, schedules and experiments. A single
 * measurement is displayed where it was started.
 * @param known jobs that were read before: their URLs never change
 */
export async function readJobs(
  options: AskOptions,
  known: readonly NamedJob[] = [],
): Promise<ReadBody<readonly NamedJob[]>> {
  const read = await get<JobList>(addresses.jobs({ limit: 50 }), ['jobs'], options);
  if (!read.ok) return read;
  const knownUrls = new Map(known.map(({ id, firstUrl }) => [id, firstUrl]));
  const complete = async (job: JobFacts): Promise<NamedJob> => {
    const firstUrl = knownUrls.get(job.id);
    if (firstUrl !== undefined) return { ...job, firstUrl };
    const first = await get<JobAnswer>(`${addresses.job(job.id)}?limit=1`, ['pages'], options);
    return { ...job, firstUrl: first.ok ? first.body.pages[0]?.url : undefined };
  };
  const shown = read.body.jobs.filter(
    ({ schedule, kind, progress }) => schedule !== null || kind === 'experiment' || progress.total > 1,
  );
  return { ok: true, body: await Promise.all(shown.slice(0, mostJobs).map(complete)) };
}

export const readJob = (id: string, options: AskOptions): Promise<ReadBody<JobAnswer>> =>
  get(`${addresses.job(id)}?limit=100`, ['pages'], options);

export const readHealth = (options: AskOptions): Promise<ReadBody<Health>> =>
  get(addresses.health, ['lighthouse'], options);

export type ScheduleChoices = {
  readonly urls?: readonly string[];
  readonly site?: string;
  readonly sample?: number;
  readonly interval?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly kind: 'psi' | 'lighthouse' | 'compare';
  readonly strategy: Strategy;
  readonly runs: number | 'auto';
  readonly callback_when?: 'always' | 'verdict_changes';
} & Partial<Webhook & Conditions>;

/** Reads the conditions of a stored result. */
export const readConditions = (
  id: string,
  options: AskOptions,
): Promise<ReadBody<Pick<Result, 'url' | 'conditions'>>> => get(addresses.result(id), ['url'], options);

export type Webhook = { readonly callback: string; readonly callback_format: CallbackFormat };

export const addSchedule = (order: ScheduleChoices, options: AskOptions): Promise<ReadBody<Schedule>> =>
  ask({ method: 'POST', path: addresses.schedules({}), body: JSON.stringify(order) }, options);

/** @returns the reason why the webhook did not accept a test message, or null */
export const testCallback = (webhook: Webhook, options: AskOptions): Promise<ReadBody<{ error: string | null }>> =>
  ask({ method: 'POST', path: 'callbacks/test', body: JSON.stringify(webhook) }, options);

export type ScheduleStep = 'pause' | 'resume' | 'run' | 'remove';

export const changeSchedule = (id: string, step: ScheduleStep, options: AskOptions): Promise<ReadBody<unknown>> => {
  const path = addresses.schedule(id);
  if (step === 'remove') return ask({ method: 'DELETE', path }, options);
  if (step === 'run') return ask({ method: 'POST', path: `${path}/run` }, options);
  return ask({ method: 'PATCH', path, body: JSON.stringify({ paused: step === 'pause' }) }, options);
};

export const removeResults = (url: string, options: AskOptions): Promise<ReadBody<unknown>> =>
  ask({ method: 'DELETE', path: addresses.results({ url }) }, options);

export const cancelJob = (id: string, options: AskOptions): Promise<ReadBody<unknown>> =>
  ask({ method: 'DELETE', path: addresses.job(id) }, options);
