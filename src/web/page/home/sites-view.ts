/** View of all stored pages by host: scores, trends, last changes, failures, and next runs. */

import { html, nothing, svg } from 'lit-html';
import { toAddress } from '../../../api-client/page-request.ts';
import { toChangeAddress } from '../../../api-client/stored/change.ts';
import { toHistoryAddress } from '../../../api-client/stored/history.ts';
import type { Schedule } from '../../../api-client/stored/home.ts';
import { withIds } from '../../../api-client/stored/kept-result.ts';
import { categoryNames } from '../../../contract/names.ts';
import type { SitePage } from '../../../contract/stored/sites.ts';
import { pathOf } from '../../../presentation/download-name.ts';
import { rateScore } from '../../../presentation/metric-range.ts';
import { absent, counted } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { sideOf } from '../../../presentation/side-names.ts';
import { deniedValue, light, ratedValue } from '../../views/marks.ts';
import type { HomeActions, HomeState } from './home-state.ts';

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
export const sayTime = (iso: string): string => clock.format(new Date(iso));
const sayDay = (iso: string): string => day.format(new Date(iso));

const width = 96;
const height = 28;

/** Draws scores from 0 to 100; the text next to the line contains the last one. */
const trendLine = (trend: readonly number[], address: string) => {
  if (trend.length < 2) return html`<span class="trend small quiet">${trend.length === 1 ? 'one score' : ''}</span>`;
  const points = trend.map(
    (score, at) =>
      `${(2 + ((width - 4) * at) / (trend.length - 1)).toFixed(1)},${(height - 2 - ((height - 4) * score) / 100).toFixed(1)}`,
  );
  const said = `History of ${counted(trend.length, 'score')}, from ${Math.min(...trend)} to ${Math.max(...trend)}`;
  return html`<a class="trend" href=${address}><svg viewBox="0 0 ${width} ${height}" role="img" aria-label=${said}>
    ${svg`<polyline points=${points.join(' ')} />`}
  </svg></a>`;
};

const rangeWords = ({ performance_range: range }: NonNullable<SitePage['last']>) =>
  range && range.min !== range.max
    ? html` <span class="small quiet range-words">${range.min}–${range.max}</span>`
    : nothing;

const lastScore = ({ last }: SitePage) => {
  if (!last || last.performance === null) return html`<span>${absent}<span class="unseen">no score</span></span>`;
  return last.disturbed === true
    ? html`${deniedValue(`${last.performance}`)}${rangeWords(last)}`
    : html`${ratedValue(`${last.performance}`, rateScore(last.performance))}${rangeWords(last)}`;
};

const addressOf = ({ url, source, strategy, last }: SitePage): string =>
  withIds(
    toAddress({ urls: [url], backend: sideOf(source), strategy, categories: categoryNames }),
    last ? [last.id] : [],
  );

const schedulesOf = ({ url, source, strategy }: SitePage, schedules: readonly Schedule[]) =>
  schedules.filter(
    schedule =>
      schedule.urls?.includes(url) &&
      [source, 'compare'].includes(schedule.kind) &&
      [strategy, 'both'].includes(schedule.strategy),
  );

/** Describes when a page is measured next; undefined if no schedule contains it. */
function sayNext(page: SitePage, schedules: readonly Schedule[]): string | undefined {
  const own = schedulesOf(page, schedules);
  const [next] = own.flatMap(({ next_at: at }) => at ?? []).toSorted();
  if (next !== undefined) return `next ${sayTime(next)}`;
  if (own.length === 0) return undefined;
  return own.every(({ paused }) => paused) ? 'paused' : 'no next time';
}

/** Describes the last failure; it is emphasised if it is newer than the last result. */
const failureWords = ({ last, last_failure: failure }: SitePage) => {
  if (!failure) return nothing;
  const status = failure.page_status === null ? '' : ` (status ${failure.page_status})`;
  const isLatest = !last || failure.time > last.time;
  return html`<span class=${isLatest ? 'line-failure' : ''}>${isLatest ? 'Failed' : 'Last failure'} ${sayTime(failure.time)}: ${(failure.error_code ?? 'unknown').replaceAll('_', ' ')}${status}</span>`;
};

const changeWords = ({ change }: SitePage) =>
  change
    ? html`<a href=${toChangeAddress({ before: change.previous_id, after: change.id })}>${change.status === 'worse' ? 'Worse' : 'Better'} since ${sayDay(change.time)}: ${Math.round(change.before)} → ${Math.round(change.after)}</a>`
    : nothing;

const watchOrder = ({ url, source, strategy }: SitePage) =>
  ({
    urls: [url],
    interval: 'P1D',
    kind: source,
    strategy,
    runs: source === 'psi' ? 1 : 3,
  }) as const;

function pageView(
  page: SitePage,
  names: SideNames,
  schedules: readonly Schedule[] | undefined,
  { watch }: HomeActions,
) {
  const { url, source, strategy, conditions, last, trend, results } = page;
  const next = schedules && sayNext(page, schedules);
  const which = `of ${url}, ${strategy}, ${names[source].short}${conditions === null ? '' : `, ${conditions}`}`;
  return html`<li class="recent">
    <a class="url" href=${addressOf(page)}>${pathOf(url)}</a>
    <span class="recent-facts small quiet"><span>${light(source)}${names[source].short}, ${strategy}</span>
      ${conditions === null ? nothing : html`<span>under ${conditions}</span>`}
      ${last ? html`<time datetime=${last.time}>${sayTime(last.time)}</time>` : nothing} <span>${counted(results, 'result')}</span>
      ${changeWords(page)} ${failureWords(page)} ${next ? html`<span>${next}</span>` : nothing}</span>
    <span class="recent-score">${lastScore(page)}</span>
    ${trendLine(trend, toHistoryAddress({ url, source, strategy, conditions }))}
    <span class="actions"><a class="button" href=${toHistoryAddress({ url, source, strategy, conditions })}>History<span class="unseen"> ${which}</span></a>
      ${schedules && !next && conditions === null ? html`<button type="button" @click=${() => watch(watchOrder(page))}>Watch<span class="unseen"> ${which} every day</span></button>` : nothing}</span>
  </li>`;
}

const mostShown = 8;

/** Displays changes that the statistics found, newest first. */
function feedView(pages: readonly SitePage[], names: SideNames) {
  const changed = pages
    .flatMap(page => (page.change ? [{ ...page, change: page.change }] : []))
    .toSorted((a, b) => b.change.time.localeCompare(a.change.time));
  if (changed.length === 0) return nothing;
  return html`<section class="feed"><h3>Changes in the performance score</h3>
    <ul class="plain changes">${changed.slice(0, mostShown).map(
      ({
        url,
        source,
        strategy,
        change,
      }) => html`<li data-status=${change.status}><strong>${sayDay(change.time)}</strong>
        <span class="url">${url}</span> <span class="quiet small">${light(source)}${names[source].short}, ${strategy}</span><br>
        ${change.status}: ${Math.round(change.before)} → ${Math.round(change.after)}.
        <a href=${toChangeAddress({ before: change.previous_id, after: change.id })}>Compare before and after<span class="unseen"> on ${url}, ${strategy}</span></a></li>`,
    )}</ul></section>`;
}

const byHost = (pages: readonly SitePage[]): [string, SitePage[]][] => {
  const hosts = new Map<string, SitePage[]>();
  for (const page of pages) hosts.set(page.host, [...(hosts.get(page.host) ?? []), page]);
  return [...hosts];
};

/** Max number of pages in a response of the service. */
const mostPages = 500;

const moreView = (shown: number, { showMoreSites }: HomeActions) =>
  shown < mostPages
    ? html`<p class="actions"><button type="button" @click=${showMoreSites}>Show more pages</button> <span class="quiet small number">${shown} are shown</span></p>`
    : html`<p class="small quiet">Search for a URL or a label to find more pages.</p>`;

export function sitesView(state: HomeState, names: SideNames, actions: HomeActions) {
  const { sites, schedules, asked } = state;
  if (!sites) return html`<p class="quiet">Loading the sites …</p>`;
  return html`
    <div class="request-filter">
      <p class="quiet small">Pages with stored results, the most recently measured first. A range next to a score is that of its runs, or of earlier results. <a href=${toChangeAddress({ before: '', after: '' })}>Compare two labels</a></p>
      <label><span class="unseen">Search all results</span>
        <input type="search" placeholder="Search URLs and labels" autocomplete="off" spellcheck="false" .value=${asked.search} @input=${(event: Event) => actions.searchSites((event.target as HTMLInputElement).value)}></label>
    </div>
    ${asked.search === '' ? feedView(sites.pages, names) : nothing}
    ${sites.pages.length === 0 ? html`<p class="notice">${asked.search === '' ? 'No results are stored yet. Measure a page to start.' : 'No stored page has this in its URL or label.'}</p>` : nothing}
    ${byHost(sites.pages).map(
      ([host, pages]) => html`<section class="site"><h3>${host} <span class="count">${pages.length}</span></h3>
        <ul class="plain recents">${pages.map(page => pageView(page, names, schedules, actions))}</ul></section>`,
    )}
    ${sites.is_complete ? nothing : moreView(sites.pages.length, actions)}`;
}
