/** Loads and searches the overview of all pages, and changes schedules and jobs. */
import type { ReadBody } from '../../../api-client/ask-json.ts';
import type { AskOptions } from '../../../api-client/ask-service.ts';
import { toMeasured } from '../../../api-client/stored/change.ts';
import {
  addSchedule,
  cancelJob,
  changeSchedule,
  type HomeRequest,
  readConditions,
  readHealth,
  readJob,
  readJobs,
  readSchedules,
  readSites,
  removeResults,
  type ScheduleChoices,
  type ScheduleStep,
  testCallback,
  toWatchAddress,
  type Watched,
  type Webhook,
  withSearch,
} from '../../../api-client/stored/home.ts';
import { toWords } from '../../../presentation/errors-in-words.ts';
import { isLive } from '../../../presentation/experiment-words.ts';
import type { HomeState } from '../home/home-view.ts';
import { openView, optionsOf, type SessionStage, throwUnlessAborted } from './current-view.ts';

const noPage = toMeasured({});

const toLoaded = <T>(read: ReadBody<T>, toChange: (body: T) => Partial<HomeState>): ReadBody<Partial<HomeState>> =>
  read.ok ? { ok: true, body: toChange(read.body) } : read;

/** Loads a view. In the view of sites, schedules are optional. */
async function load(
  { page, search, limit, watched }: HomeRequest,
  options: AskOptions,
  { schedules: known, jobs: knownJobs }: Pick<HomeState, 'schedules' | 'jobs'> = {},
): Promise<ReadBody<Partial<HomeState>>> {
  if (page === 'status') return toLoaded(await readHealth(options), health => ({ health }));
  if (page === 'sites') {
    const [sites, schedules] = await Promise.all([readSites(search, options, limit), readSchedules(options, known)]);
    return toLoaded(sites, body => (schedules.ok ? { sites: body, schedules: schedules.body } : { sites: body }));
  }
  const [schedules, jobs, like] = await Promise.all([
    readSchedules(options, known),
    readJobs(options, knownJobs),
    watched?.like && !known ? readConditions(watched.like, options) : undefined,
  ]);
  // Without its conditions, another page would be watched.
  if (like && !like.ok) return like;
  const found = like?.body.conditions ? { conditions: like.body.conditions } : {};
  return toLoaded(schedules, body => ({ schedules: body, jobs: jobs.ok ? jobs.body : [], ...found }));
}

/** Number of pages listed below the form, so that the initial page stays short. */
const atStart = 20;

/** Interval for reloading views of running work. */
const againMs = 3000;
const searchMs = 250;

/** Number of pages that "Show more" adds, and the max number that the service returns. */
const morePages = { step: 100, most: 500 };

/** A due schedule starts its job soon. An opened job is read separately, so it may reach its end later than the list. */
const isAtWork = ({ asked: { page }, jobs = [], schedules = [], opened }: HomeState): boolean =>
  page === 'status' ||
  [...jobs, ...Object.values(opened)].some(isLive) ||
  (page === 'schedules' && schedules.some(({ next_at: at }) => at !== null && Date.parse(at) <= Date.now()));

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
  const first = stage.viewOf('home')?.state;
  if (!first) return;
  const { asked, opened } = first;
  const options = optionsOf(signal);
  const [loaded, again] = await Promise.all([load(asked, options, first), readOpened(opened, options)]);
  if (signal.aborted || stage.viewOf('home')?.state.asked !== asked) return;
  stage.changeState('home', state =>
    loaded.ok
      ? { ...loaded.body, opened: { ...state.opened, ...again }, failure: undefined, reloadFailure: undefined }
      : { reloadFailure: loaded.failure },
  );
}

function follow(stage: SessionStage, signal: AbortSignal): void {
  const again = setInterval(() => {
    const state = stage.viewOf('home')?.state;
    if (signal.aborted || !state) return clearInterval(again);
    if (!document.hidden && isAtWork(state)) refresh(stage, signal).catch(throwUnlessAborted(signal));
  }, againMs);
}

export function openHome(stage: SessionStage, asked: HomeRequest): void {
  const first: HomeState = { asked, opened: {} };
  openView(stage, {
    request: noPage,
    first: { kind: 'home', request: noPage, state: first },
    read: options => load(asked, options),
    settle(loaded, { signal }) {
      const state = { ...first, ...(loaded.ok ? loaded.body : { failure: loaded.failure }) };
      stage.settle(noPage, { kind: 'home', request: noPage, state }, loaded.ok ? 'Loaded.' : 'Loading failed.');
      follow(stage, signal);
    },
  });
}

/**
 * Opens the initial page. Without stored results, or if they cannot be read, it stays unchanged, including the focus.
 */
export function openStart(stage: SessionStage): void {
  const asked: HomeRequest = { page: 'sites', search: '', limit: atStart };
  const signal = stage.begin(noPage, () => openHome(stage, asked));
  load(asked, optionsOf(signal)).then(loaded => {
    if (signal.aborted || !loaded.ok || !loaded.body.sites?.pages.length) return;
    stage.show({ kind: 'home', request: noPage, state: { asked, opened: {}, ...loaded.body } });
  }, throwUnlessAborted(signal));
}

export function createHomeActions(stage: SessionStage) {
  let searching: AbortController | undefined;
  const { signal } = new AbortController();

  /** Runs an action, and reloads the view. */
  const act = (work: (options: AskOptions) => Promise<ReadBody<unknown>>, words: string, done = () => {}): void => {
    if (!stage.viewOf('home')) return;
    work(optionsOf(signal)).then(async read => {
      stage.changeState('home', () => ({ stepFailure: read.ok ? undefined : read.failure, isAdding: false }));
      stage.screen.announce(read.ok ? words : 'That failed.');
      if (!read.ok) return;
      done();
      await refresh(stage, signal);
    });
  };

  return {
    showMoreSites() {
      const state = stage.viewOf('home')?.state;
      if (!state) return;
      const { asked, sites } = state;
      const limit = Math.min((sites?.pages.length ?? 0) + morePages.step, morePages.most);
      const more: HomeRequest = { ...asked, limit };
      stage.changeState('home', () => ({ asked: more }));
      refresh(stage, signal).catch(throwUnlessAborted(signal));
    },
    searchSites(search: string) {
      searching?.abort();
      const own = new AbortController();
      searching = own;
      stage.changeState('home', state => ({ asked: { ...state.asked, search } }));
      // A reload repeats the search.
      const address = withSearch(location.href, search);
      if (address !== undefined) history.replaceState(history.state, '', address);
      setTimeout(() => {
        if (!own.signal.aborted) refresh(stage, own.signal).catch(throwUnlessAborted(own.signal));
      }, searchMs);
    },
    changeSites: (change: Pick<HomeState, 'sorting' | 'unfolded'>) => stage.changeState('home', () => change),
    /** Removes all stored results of a page. */
    removePage: (url: string) => act(options => removeResults(url, options), 'The results are deleted.'),
    /** Opens the form of a schedule for these pages. */
    watchPages(watched: Watched) {
      history.pushState(null, '');
      const address = toWatchAddress(watched);
      // A long list does not fit into a URL, so a reload shows the schedules only.
      stage.screen.lead(address.length > 4000 ? '?view=schedules' : address, noPage);
      openHome(stage, { page: 'schedules', search: '', watched });
    },
    /** @param done called once the schedule is added */
    watch(order: ScheduleChoices, done: () => void) {
      stage.changeState('home', () => ({ isAdding: true }));
      const said = order.urls?.length === 1 ? 'The page is watched.' : 'The pages are watched.';
      act(options => addSchedule(order, options), said, done);
    },
    testCallback(webhook: Webhook) {
      stage.changeState('home', () => ({ tested: 'Sending …' }));
      testCallback(webhook, optionsOf(signal)).then(read => {
        const fault = read.ok ? read.body.error : undefined;
        const said = fault === null ? 'The webhook accepted the test.' : `The test failed: ${fault}.`;
        stage.changeState('home', () => ({ tested: read.ok ? said : toWords(read.failure).what.join(' ') }));
      });
    },
    stepSchedule: (id: string, step: ScheduleStep) => act(options => changeSchedule(id, step, options), 'Done.'),
    cancelJob: (id: string) => act(options => cancelJob(id, options), 'The job is cancelled.'),
    openJob(id: string) {
      readJob(id, optionsOf(signal)).then(read => {
        stage.changeState('home', ({ opened }) =>
          read.ok ? { opened: { ...opened, [id]: read.body } } : { stepFailure: read.failure },
        );
      });
    },
  };
}
