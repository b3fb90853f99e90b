/** Reads the overview of the service: sites, schedules, jobs, and health. */
import type { Health } from '../../contract/health.ts';
import type { JobAnswer, JobFacts } from '../../contract/jobs/job.ts';
import type { ScheduleFacts } from '../../contract/jobs/schedule.ts';
import type { Strategy } from '../../contract/names.ts';
import type { Sites } from '../../contract/stored/sites.ts';
import type { AskOptions } from '../ask-service.ts';
import { ask, type Read } from './ask-json.ts';

const homePages = ['sites', 'schedules', 'status'] as const;
export type HomePage = (typeof homePages)[number];

/** Page for a new schedule. */
type Watched = { readonly url: string; readonly source: 'psi' | 'lighthouse'; readonly strategy: Strategy };

export type HomeRequest = {
  readonly page: HomePage;
  readonly search: string;
  readonly watched?: Watched;
  /** Number of sites to show; undefined for the default of the service. */
  readonly limit?: number;
};

export const toWatchAddress = ({ url, source, strategy }: Watched): string =>
  `?${new URLSearchParams({ view: 'schedules', watch: url, source, strategy })}`;

/** Returns the view in a URL; undefined for any other URL. */
export function homeIn({ search }: { search: string }): HomeRequest | undefined {
  const params = new URLSearchParams(search.slice(1));
  const page = homePages.find(name => name === params.get('view'));
  if (!page) return undefined;
  const url = params.get('watch');
  const source = params.get('source') === 'psi' ? 'psi' : 'lighthouse';
  const strategy = params.get('strategy') === 'desktop' ? 'desktop' : 'mobile';
  const request = { page, search: params.get('search') ?? '' };
  return url ? { ...request, watched: { url, source, strategy } } : request;
}

/** Returns the URL of the sites with this search; undefined if another URL displays them, such as the initial page. */
export function withSearch(address: string, search: string): string | undefined {
  const url = new URL(address);
  if (homeIn(url)?.page !== 'sites') return undefined;
  if (search === '') url.searchParams.delete('search');
  else url.searchParams.set('search', search);
  return url.href;
}

const get = <T>(path: string, options: AskOptions): Promise<Read<T>> => ask({ method: 'GET', path }, options);

/** @param limit maximum number of pages; undefined for the default of the service */
export function readSites(search: string, options: AskOptions, limit?: number): Promise<Read<Sites>> {
  const query = new URLSearchParams(search === '' ? {} : { search });
  if (limit !== undefined) query.set('limit', `${limit}`);
  return get(query.size === 0 ? 'sites' : `sites?${query}`, options);
}

export type Schedule = ScheduleFacts & { readonly urls?: readonly string[] };

/** Max number of schedules of a client. */
const mostSchedules = 100;

/**
 * Returns all schedules of this client, newest first, with their URLs.
 * @param known schedules that were read before: their URLs never change, so they are not read again
 */
export async function readSchedules(
  options: AskOptions,
  known: readonly Schedule[] = [],
): Promise<Read<readonly Schedule[]>> {
  const listed = await get<{ schedules: ScheduleFacts[] }>(`schedules?limit=${mostSchedules}`, options);
  if (!listed.ok) return listed;
  const knownUrls = new Map(known.map(({ id, urls }) => [id, urls]));
  const complete = async (schedule: ScheduleFacts): Promise<Schedule> => {
    const urls = knownUrls.get(schedule.id);
    if (urls) return { ...schedule, urls };
    const whole = await get<Schedule>(`schedules/${schedule.id}`, options);
    return whole.ok ? whole.body : schedule;
  };
  return { ok: true, body: await Promise.all(listed.body.schedules.map(complete)) };
}

export async function readJobs(options: AskOptions): Promise<Read<readonly JobFacts[]>> {
  const read = await get<{ jobs: JobFacts[] }>('jobs?limit=20', options);
  return read.ok ? { ok: true, body: read.body.jobs } : read;
}

export const readJob = (id: string, options: AskOptions): Promise<Read<JobAnswer>> =>
  get(`jobs/${id}?limit=100`, options);

export const readHealth = (options: AskOptions): Promise<Read<Health>> => get('health', options);

export type NewSchedule = {
  readonly urls: readonly string[];
  readonly interval: string;
  readonly kind: 'psi' | 'lighthouse' | 'compare';
  readonly strategy: Strategy;
  readonly runs: number | 'auto';
  readonly callback?: string;
  readonly callback_when?: 'always' | 'verdict_changes';
};

export const addSchedule = (order: NewSchedule, options: AskOptions): Promise<Read<Schedule>> =>
  ask({ method: 'POST', path: 'schedules', body: JSON.stringify(order) }, options);

export type ScheduleStep = 'pause' | 'resume' | 'run' | 'remove';

export const changeSchedule = (id: string, step: ScheduleStep, options: AskOptions): Promise<Read<unknown>> => {
  const path = `schedules/${id}`;
  if (step === 'remove') return ask({ method: 'DELETE', path }, options);
  if (step === 'run') return ask({ method: 'POST', path: `${path}/run` }, options);
  return ask({ method: 'PATCH', path, body: JSON.stringify({ paused: step === 'pause' }) }, options);
};

export const cancelJob = (id: string, options: AskOptions): Promise<Read<unknown>> =>
  ask({ method: 'DELETE', path: `jobs/${id}` }, options);
