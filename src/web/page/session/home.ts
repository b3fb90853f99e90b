/** Loads and searches the overview of all pages, and changes schedules and jobs. */

import type { Read } from '../../../api-client/ask-json.ts';
import type { AskOptions } from '../../../api-client/ask-service.ts';
import type { PageRequest } from '../../../api-client/page-request.ts';
import {
  addSchedule,
  cancelJob,
  changeSchedule,
  type HomeRequest,
  readHealth,
  readJob,
  readJobs,
  readSchedules,
  readSites,
  withSearch,
} from '../../../api-client/stored/home.ts';
import type { JobFacts } from '../../../contract/jobs/job.ts';
import { categoryNames } from '../../../contract/names.ts';
import { type FailureReason, wantsKey } from '../../../presentation/failure-reason.ts';
import type { HomeActions, HomeState } from '../home/home-state.ts';
import { readApiKey } from '../key/api-key.ts';
import { type SessionStage, throwUnlessAborted } from './current-view.ts';

const noPage: PageRequest = { urls: [], backend: 'local', strategy: 'mobile', categories: categoryNames };

type Change = Partial<HomeState>;

const bodyOr = <T>(read: Read<T>, toChange: (body: T) => Change): Change | FailureReason =>
  read.ok ? toChange(read.body) : read.failure;

/** Loads a view. In the view of sites, schedules are optional. */
async function load(
  { page, search, limit }: HomeRequest,
  options: AskOptions,
  known?: HomeState['schedules'],
): Promise<Change | FailureReason> {
  if (page === 'status') return bodyOr(await readHealth(options), health => ({ health }));
  if (page === 'sites') {
    const [sites, schedules] = await Promise.all([readSites(search, options, limit), readSchedules(options, known)]);
    return bodyOr(sites, body => (schedules.ok ? { sites: body, schedules: schedules.body } : { sites: body }));
  }
  const [schedules, jobs] = await Promise.all([readSchedules(options, known), readJobs(options)]);
  return bodyOr(schedules, body => (jobs.ok ? { schedules: body, jobs: jobs.body } : { schedules: body, jobs: [] }));
}

const isFailure = (loaded: Change | FailureReason): loaded is FailureReason => 'kind' in loaded;

/** Number of pages listed below the form, so that the initial page stays short. */
const atStart = 40;

/** Interval for reloading views of running work. */
const againMs = 3000;
const searchMs = 250;

/** Number of pages that "Show more" adds, and the max number that the service returns. */
const morePages = { step: 100, most: 500 };

const optionsOf = (signal: AbortSignal): AskOptions => ({ signal, apiKey: readApiKey() });

const isLive = ({ state }: { state: JobFacts['state'] }): boolean => state === 'queued' || state === 'running';

/** An opened job is read separately, so it may reach its end later than the list. */
const isAtWork = ({ asked: { page }, jobs = [], opened }: HomeState): boolean =>
  page === 'status' || [...jobs, ...Object.values(opened)].some(isLive);

/** Reads the opened jobs again that were not at their end when they were read. */
async function readOpened(opened: HomeState['opened'], options: AskOptions): Promise<HomeState['opened']> {
  const read = await Promise.all(
    Object.values(opened)
      .filter(isLive)
      .map(({ id }) => readJob(id, options)),
  );
  return Object.fromEntries(read.flatMap(one => (one.ok ? [[one.body.id, one.body]] : [])));
}

/** Reloads the view once, unless a different one, or another search, is displayed by then. */
async function refresh(stage: SessionStage, signal: AbortSignal): Promise<void> {
  const first = stage.view();
  if (first?.kind !== 'home') return;
  const { asked, opened, schedules } = first.state;
  const options = optionsOf(signal);
  const [loaded, again] = await Promise.all([load(asked, options, schedules), readOpened(opened, options)]);
  const view = stage.view();
  if (signal.aborted || view?.kind !== 'home' || view.state.asked !== asked) return;
  stage.change('home', ({ state, ...rest }) => ({
    ...rest,
    state: isFailure(loaded)
      ? { ...state, stepFailure: loaded }
      : { ...state, ...loaded, opened: { ...state.opened, ...again } },
  }));
}

function follow(stage: SessionStage, signal: AbortSignal): void {
  const again = setInterval(() => {
    const view = stage.view();
    if (signal.aborted || view?.kind !== 'home') return clearInterval(again);
    if (!document.hidden && isAtWork(view.state)) refresh(stage, signal).catch(throwUnlessAborted(signal));
  }, againMs);
}

function settle(stage: SessionStage, first: HomeState, loaded: Change | FailureReason): void {
  const show = (state: HomeState, words: string) =>
    stage.settle(noPage, { kind: 'home', request: noPage, state }, words);
  if (!isFailure(loaded)) show({ ...first, ...loaded }, 'Loaded.');
  else if (wantsKey(loaded)) stage.settleFailure(noPage, loaded);
  else show({ ...first, failure: loaded }, 'Loading failed.');
}

export function openHome(stage: SessionStage, asked: HomeRequest): void {
  const signal = stage.begin(noPage, () => openHome(stage, asked));
  const first: HomeState = { asked, opened: {} };
  stage.show({ kind: 'home', request: noPage, state: first });
  load(asked, optionsOf(signal)).then(loaded => {
    if (signal.aborted) return;
    settle(stage, first, loaded);
    follow(stage, signal);
  }, throwUnlessAborted(signal));
}

/**
 * Opens the initial page. Without stored results, or if they cannot be read, it stays unchanged, including the focus.
 */
export function openStart(stage: SessionStage): void {
  const asked: HomeRequest = { page: 'sites', search: '', limit: atStart };
  const signal = stage.begin(noPage, () => openHome(stage, asked));
  load(asked, optionsOf(signal)).then(loaded => {
    if (signal.aborted || isFailure(loaded) || !loaded.sites || loaded.sites.pages.length === 0) return;
    stage.show({ kind: 'home', request: noPage, state: { asked, opened: {}, ...loaded } });
  }, throwUnlessAborted(signal));
}

export function createHomeActions(stage: SessionStage): HomeActions {
  let searching: AbortController | undefined;
  const { signal } = new AbortController();

  /** Runs an action, and reloads the view. */
  const act = (work: (options: AskOptions) => Promise<Read<unknown>>, words: string): void => {
    const view = stage.view();
    if (view?.kind !== 'home') return;
    work(optionsOf(signal)).then(async read => {
      stage.change('home', ({ state: { stepFailure: _, ...state }, ...rest }) => ({
        ...rest,
        state: read.ok ? state : { ...state, stepFailure: read.failure },
      }));
      stage.screen.announce(read.ok ? words : 'That failed.');
      if (read.ok) await refresh(stage, signal);
    });
  };

  return {
    showMoreSites() {
      const view = stage.view();
      if (view?.kind !== 'home') return;
      const { asked, sites } = view.state;
      const limit = Math.min((sites?.pages.length ?? 0) + morePages.step, morePages.most);
      const more: HomeRequest = { ...asked, limit };
      stage.change('home', ({ state, ...rest }) => ({ ...rest, state: { ...state, asked: more } }));
      refresh(stage, signal).catch(throwUnlessAborted(signal));
    },
    searchSites(search) {
      searching?.abort();
      const own = new AbortController();
      searching = own;
      stage.change('home', ({ state, ...rest }) => ({
        ...rest,
        state: { ...state, asked: { ...state.asked, search } },
      }));
      // A reload repeats the search.
      const address = withSearch(location.href, search);
      if (address !== undefined) history.replaceState(history.state, '', address);
      setTimeout(() => {
        if (!own.signal.aborted) refresh(stage, own.signal).catch(throwUnlessAborted(own.signal));
      }, searchMs);
    },
    watch: order => act(options => addSchedule(order, options), 'The page is watched.'),
    stepSchedule: (id, step) => act(options => changeSchedule(id, step, options), 'Done.'),
    cancelJob: id => act(options => cancelJob(id, options), 'The job is cancelled.'),
    openJob(id) {
      readJob(id, optionsOf(signal)).then(read => {
        if (read.ok)
          stage.change('home', ({ state, ...rest }) => ({
            ...rest,
            state: { ...state, opened: { ...state.opened, [id]: read.body } },
          }));
      });
    },
  };
}
