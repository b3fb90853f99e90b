/** Entry point of the page: connects the form, the URL, and the view. */
import { html, render } from 'lit-html';
import { metricIn, withMetric } from '../../api-client/metric-choice.ts';
import { fromAddress, type PageRequest, toAddress } from '../../api-client/page-request.ts';
import { type SitemapRequest, sitemapIn, toSitemapAddress, toSource } from '../../api-client/sitemap.ts';
import { changeIn, toMeasured } from '../../api-client/stored/change.ts';
import { experimentIn } from '../../api-client/stored/experiment.ts';
import { historyIn, toPageRequest } from '../../api-client/stored/history.ts';
import { homeIn } from '../../api-client/stored/home.ts';
import { memoryIn } from '../../api-client/stored/kept-batch.ts';
import { idsIn, resultIn, withIds } from '../../api-client/stored/kept-result.ts';
import type { Analyser } from '../../contract/result/result.ts';
import { columnsOf } from '../../presentation/answer.ts';
import { hostOf, pathOf } from '../../presentation/download-name.ts';
import { absent } from '../../presentation/numbers.ts';
import { toSideNames } from '../../presentation/side-names.ts';
import { toShownScores } from '../../presentation/undisturbed.ts';
import { readApiKey } from './api-key.ts';
import { connectForm } from './form/form.ts';
import { homeView } from './home/home-view.ts';
import type { Actions } from './session/actions.ts';
import type { PageScreen } from './session/current-view.ts';
import type { RecalledList } from './session/recall.ts';
import { runIn } from './session/run.ts';
import { createSession } from './session/session.ts';
import type { View } from './view.ts';

const find = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}`);
  return element;
};

const outcome = find('outcome');
const status = find('status');
const form = find('form');

/** The analyser of the PSI side, which the service has written into the page. */
const { analyser, analyserHost, keeping } = document.documentElement.dataset;
const names = toSideNames({
  kind: analyser as Analyser['kind'],
  ...(analyserHost ? { host: analyserHost } : {}),
});

const titles: Readonly<Partial<Record<View['kind'], string>>> = {
  running: 'Measuring ',
  failed: 'Failed: ',
  history: 'History of ',
  sitemap: 'Pages of ',
  change: 'What changed on ',
  experiment: 'Experiment on ',
};

const homeTitles = { sites: 'Sites', schedules: 'Schedules and jobs', status: 'Status' } as const;

const shortOf = (url: string): string => (pathOf(url) === '/' ? hostOf(url) : pathOf(url));

/** Returns the tab title: path and scores of a result, so that users find it among many tabs. */
const toTitle = (view: View): string => {
  if (view.kind === 'batch') return `${view.state.request.urls.length} pages · Rangelight`;
  const [url] = view.request.urls;
  if (view.kind === 'home') return `${homeTitles[view.state.asked.page]} · Rangelight`;
  if (view.kind === 'experiment' && url === undefined) return 'Experiment · Rangelight';
  if (url === undefined) return view.kind === 'change' ? 'What changed · Rangelight' : 'Rangelight';
  if (view.kind !== 'result') return `${titles[view.kind] ?? ''}${hostOf(url)} · Rangelight`;
  const scores = columnsOf(view.answer).map(({ part }) =>
    part.ok ? (Object.values(toShownScores(part.result))[0] ?? absent) : absent,
  );
  return `${shortOf(url)} · ${scores.join(' / ')} · Rangelight`;
};

/** Returns whether the page can be measured again as it was: a request in the URL has no conditions. */
const isRepeatable = (view: View): boolean => {
  if (view.kind === 'history') return !view.state.asked.conditions;
  if (view.kind !== 'result' || view.request.conditions) return view.kind === 'result';
  return !columnsOf(view.answer).some(({ part }) => part.ok && part.result.conditions);
};

/** Marks the link of the navigation whose view is displayed. */
function markPlace(page: string): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.top nav a')) {
    if (page !== '' && link.search === `?view=${page}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

/** Closes the open menus, except one that contains an element. */
function closeMenus(except: EventTarget | null): void {
  for (const menu of document.querySelectorAll('.menu[open]'))
    if (!(except instanceof Node && menu.contains(except))) menu.removeAttribute('open');
}
addEventListener('click', ({ target }) => closeMenus(target));
addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  document.querySelector<HTMLElement>('.menu[open] > summary')?.focus();
  closeMenus(null);
});

/** Whether only the introduction was displayed so far, which stays until the first run. */
let isEmpty = true;

let draw: typeof import('./view.ts').outcomeView | undefined;
let isLoading = false;
/** Displayed as soon as the views are loaded. */
let waiting: { view: View; actions: Actions } | undefined;
let isSettling = false;

/** From the first view on, the script controls the displayed content. */
const revealOutcome = (): void => void delete document.documentElement.dataset.asked;

function toOutcome(content: unknown): void {
  if (isEmpty) outcome.replaceChildren();
  isEmpty = false;
  revealOutcome();
  render(content, outcome);
}

/** Loads the views that a first visit does not need: all but the list of pages. */
function loadViews(): void {
  if (isLoading) return;
  isLoading = true;
  import('./view.ts').then(
    ({ outcomeView }) => {
      draw = outcomeView;
      if (waiting) screen.show(waiting.view, waiting.actions);
      if (isSettling) screen.settle();
    },
    () => {
      isLoading = false;
      if (waiting) toOutcome(missingView);
    },
  );
}

/** A script does not load if the service has stopped, or if an upgrade has replaced its files. */
const missingView = html`<section class="sheet ended stack" role="alert">
  <h2>A part of this page did not load</h2>
  <p>The service was upgraded, or is not reachable. A reload continues with this URL; a measurement that runs is found again.</p>
  <p><button type="button" @click=${() => location.reload()}>Reload</button></p>
</section>`;

form.addEventListener('focusin', loadViews, { once: true });
if (location.search !== '' || location.hash !== '') loadViews();

const screen: PageScreen = {
  show(view, actions) {
    document.title = toTitle(view);
    markPlace(view.kind === 'home' && location.search !== '' ? view.state.asked.page : '');
    // The URL of a history leads to no result, so the measurement gets its own.
    const again = view.kind === 'history' ? () => ask(view.request, true) : actions.again;
    fields.offerAgain(isRepeatable(view) ? again : undefined);
    if (view.kind === 'failed' && view.request.conditions) fields.refuse(view.failure);
    waiting = draw || view.kind === 'home' ? undefined : { view, actions };
    if (waiting) loadViews();
    else toOutcome(view.kind === 'home' ? homeView(view.state, names, actions) : draw?.(view, names, actions));
  },
  keep(request, ids) {
    // Without an id, only a new measurement has the conditions.
    if (asked !== JSON.stringify(request) || (request.conditions && ids.length === 0)) return;
    shownIds = ids.join();
    const address = new URL(withIds(toAddress(request), ids), new URL('.', location.href));
    history.replaceState(null, '', withMetric(address.href, metricIn(location)));
  },
  remember(request, entry) {
    if (asked === JSON.stringify(request)) history.replaceState(entry, '');
  },
  stay(request) {
    if (asked === JSON.stringify(request)) history.replaceState({ isCancelled: true }, '');
  },
  lead(address, request, ids = []) {
    asked = JSON.stringify(request);
    shownIds = ids.join();
    history.replaceState(null, '', new URL(address, new URL('.', location.href)));
    fields.show(request);
  },
  announce(words) {
    if (status.textContent !== words) status.textContent = words;
  },
  measureList(urls) {
    const request = { ...fields.read(), urls };
    if (fields.check(request)) ask(request);
  },
  settle() {
    isSettling = waiting !== undefined;
    if (isSettling) return;
    // The focus moves only if its element is gone, so that it does not interrupt the user.
    const { activeElement } = document;
    if (activeElement && activeElement !== document.body && activeElement !== outcome) return;
    const next = outcome.querySelector<HTMLElement>('#key') ?? outcome.querySelector<HTMLElement>('[tabindex="-1"]');
    (next ?? outcome).focus();
  },
};

const session = createSession(screen, names, keeping !== 'nothing');

/** Request in the URL, or undefined for the empty page. */
let asked: string | undefined;
/** Ids in the URL. They distinguish two measurements of the same page. */
let shownIds = '';

const ask = (request: PageRequest, fresh = false): void => {
  asked = JSON.stringify(request);
  shownIds = '';
  // Without its conditions, a reload would measure another page.
  history.pushState(null, '', new URL(request.conditions ? '?' : toAddress(request), new URL('.', location.href)));
  fields.show(request);
  session.run(request, { fresh });
};

const askSitemap = (wanted: SitemapRequest): void => {
  asked = toSitemapAddress(wanted);
  history.pushState(null, '', new URL(asked, new URL('.', location.href)));
  fields.show(wanted.request);
  session.sitemap(wanted);
};

const fields = connectForm(
  form as HTMLFormElement,
  request => ask(request),
  request => askSitemap({ request: { ...request, urls: request.urls.map(toSource) } }),
);

/** Displays what the URL requests: for an opened link, or after going back or forward. */
function followAddress(follow: (request: PageRequest, kept: RecalledList) => void): void {
  const request = fromAddress(location, fields.usual);
  asked = request && JSON.stringify(request);
  if (!request) return;
  fields.show(request);
  const ids = idsIn(location);
  shownIds = ids.join();
  if (!fields.check(request)) return;
  // A reload does not start a cancelled request again.
  const { isCancelled = false } = (history.state ?? {}) as { isCancelled?: boolean };
  if (isCancelled) session.cancelled(request);
  else follow(request, { ids, memory: memoryIn(history.state, request), run: runIn(history.state) });
}

addEventListener('popstate', () => {
  const request = fromAddress(location, fields.usual);
  // Only a request is followed here. Every other view is opened by a reload.
  if (!request) return location.reload();
  const isList = request.urls.length > 1;
  const isShown = asked === JSON.stringify(request) && shownIds === idsIn(location).join();
  // The ids of a list are not in its URL. Its history entry has changed, so it is followed again.
  if (isShown && !isList) return;
  // Going back to an invalid request opens the initial page.
  if (!fields.check(request)) return location.reload();
  followAddress(session.recall);
});

// The fragment may contain a request, which this link must not replace.
document.querySelector('.skip')?.addEventListener('click', event => {
  event.preventDefault();
  outcome.focus();
});

const wantedHistory = historyIn(location);
const wantedResult = resultIn(location);
const wantedChange = changeIn(location);
const wantedSitemap = sitemapIn(location, fields.usual);
const wantedExperiment = experimentIn(location);
const wantedHome = homeIn(location);
if (wantedHome || wantedExperiment || wantedResult !== undefined) fields.show({ ...fields.read(), urls: [] });
if (wantedHome) {
  session.home(wantedHome);
} else if (wantedExperiment) {
  session.experiment(wantedExperiment);
} else if (wantedChange) {
  fields.show(toMeasured(wantedChange));
  session.change(wantedChange);
} else if (wantedSitemap) {
  fields.show(wantedSitemap.request);
  session.sitemap(wantedSitemap);
} else if (wantedHistory) {
  fields.show(toPageRequest(wantedHistory));
  session.history(wantedHistory);
} else if (fromAddress(location, fields.usual)) {
  followAddress(session.open);
} else if (wantedResult !== undefined) {
  session.result(wantedResult);
} else if (keeping === 'open' || (keeping === 'locked' && readApiKey() !== undefined)) {
  session.start();
}
if (!waiting) revealOutcome();
