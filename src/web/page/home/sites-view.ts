/** View of all stored pages as one table, grouped by site: scores, trends, last changes, failures, and next runs. */

import { html, nothing, svg } from 'lit-html';
import { toAddress } from '../../../api-client/page-request.ts';
import { toChangeAddress } from '../../../api-client/stored/change.ts';
import { toHistoryAddress } from '../../../api-client/stored/history.ts';
import { type Schedule, toWatchAddress } from '../../../api-client/stored/home.ts';
import { withIds } from '../../../api-client/stored/kept-result.ts';
import { categoryNames } from '../../../contract/names.ts';
import { toLabRating } from '../../../contract/result/thresholds.ts';
import type { SitePage } from '../../../contract/stored/sites.ts';
import { pathOf } from '../../../presentation/download-name.ts';
import { rateScore } from '../../../presentation/metric-range.ts';
import { counted, formatValue } from '../../../presentation/numbers.ts';
import { sayWas } from '../../../presentation/range.ts';
import { type SideNames, sideOf } from '../../../presentation/side-names.ts';
import { isDisturbed } from '../../../presentation/undisturbed.ts';
import {
  headOf,
  isTableMetric,
  metricWords,
  sayHistoryValue,
  shortCategoryWords,
  type TableMetric,
  tableMetrics,
} from '../../../presentation/words.ts';
import { light, ratedValue, sayShortTime, searchField } from '../../views/marks.ts';
import { toggled } from '../../views/toggled.ts';
import type { Actions } from '../session/actions.ts';
import type { HomeState } from './home-view.ts';
import { sayTimeOf } from './schedules-view.ts';
import {
  newestFirst,
  nextSorting,
  type SiteGroup,
  type SiteKey,
  type SiteSorting,
  summarise,
  toSiteGroups,
} from './sites-table.ts';

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const shortDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

const width = 96;
const height = 24;
const dayMs = 86_400_000;

/** First and last time of the table's trends, and their lowest score in tens, so that all have the same axes. */
type Span = { readonly from: number; readonly to: number; readonly low: number };

function toSpan(pages: readonly SitePage[]): Span {
  const times = pages.flatMap(({ trend }) => trend.map(({ time }) => Date.parse(time)));
  const to = times.reduce((latest, time) => Math.max(latest, time), 0);
  const earliest = times.reduce((first, time) => Math.min(first, time), to);
  const lowest = pages.reduce((low, { trend }) => trend.reduce((min, one) => Math.min(min, one.performance), low), 90);
  return { from: Math.max(earliest, to - 30 * dayMs), to, low: 10 * Math.floor(lowest / 10) };
}

function sayDays({ from, to }: Span): string {
  const days = Math.ceil((to - from) / dayMs);
  return days > 1 ? `Last ${days} days` : 'Last day';
}

/** Draws scores over time; the text next to the line contains the last one. */
const trendLine = ({ trend }: SitePage, { from, to, low }: Span) => {
  const shown = trend.filter(({ time }) => Date.parse(time) >= from);
  if (shown.length < 2) return nothing;
  const points = shown.map(({ time, performance }) => {
    const x = 2 + ((width - 4) * (Date.parse(time) - from)) / (to - from || 1);
    return `${x.toFixed(1)},${(height - 2 - ((height - 4) * (performance - low)) / (100 - low)).toFixed(1)}`;
  });
  const scores = shown.map(({ performance }) => performance);
  const said = `${counted(shown.length, 'score')}, from ${Math.min(...scores)} to ${Math.max(...scores)}`;
  return html`<svg class="trend" viewBox="0 0 ${width} ${height}" role="img" aria-label=${said}>
    ${svg`<polyline points=${points.join(' ')} />`}
  </svg>`;
};

/** A single run may be outside of the range of earlier results. */
const rangeWords = ({ performance_range: range, performance }: NonNullable<SitePage['last']>) => {
  if (!range || performance === null) return nothing;
  const was = sayWas(performance, range);
  if (range.min === range.max && !was) return nothing;
  return html` <span class="small quiet range-words">${was}${range.min === range.max ? range.min : `${range.min}–${range.max}`}</span>`;
};

/** Displays the last value; of a disturbed load without a rating, and the score with a mark. */
const lastValue = (page: SitePage, key: 'performance' | TableMetric) => {
  const { last } = page;
  if (!last) return nothing;
  const value = rated(key, key === 'performance' ? last[key] : last.metrics[key], page, isDisturbed(last));
  if (key !== 'performance' || value === nothing) return value;
  return html`<a href=${addressOf(page)}>${value}</a>${rangeWords(last)}`;
};

const rated = (key: SiteKey, value: number | null, { strategy }: SitePage, isUnrated = false) => {
  if (value === null) return nothing;
  const [text, rating] = isTableMetric(key)
    ? [formatValue(value, metricWords[key].unit), toLabRating(key, value, strategy)]
    : [`${Math.round(value)}`, rateScore(value)];
  return ratedValue(text, isUnrated ? null : rating, isUnrated && key === 'performance');
};

const addressOf = ({ url, source, strategy, last }: SitePage): string =>
  withIds(
    toAddress({ urls: [url], backend: sideOf(source), strategy, categories: categoryNames }),
    last ? [last.id] : [],
  );

const schedulesOf = ({ url, source, strategy, conditions }: SitePage, schedules: readonly Schedule[]) =>
  schedules.filter(
    schedule =>
      schedule.urls?.includes(url) &&
      schedule.conditions === conditions &&
      [source, 'compare'].includes(schedule.kind) &&
      [strategy, 'both'].includes(schedule.strategy),
  );

/** Describes when a page is measured next; undefined if no schedule contains it. */
function sayNext(page: SitePage, schedules: readonly Schedule[]): string | undefined {
  const own = schedulesOf(page, schedules);
  const [next] = own
    .filter(({ next_at: at }) => at)
    .toSorted((a, b) => Date.parse(a.next_at ?? '') - Date.parse(b.next_at ?? ''));
  if (next) return `next ${sayTimeOf(next, next.next_at ?? '')}`;
  if (own.length === 0) return undefined;
  return own.every(({ paused }) => paused) ? 'paused' : 'no next time';
}

/** Displays the last failure if it is newer than the last result; earlier ones are in the history. */
const runWords = ({ last, last_failure: failure }: SitePage) => {
  if (!failure || (last && failure.time <= last.time))
    return last ? html`<time datetime=${last.time}>${sayShortTime(last.time)}</time>` : nothing;
  const status = failure.page_status === null ? '' : ` (${failure.page_status})`;
  const words = `${shortDay.format(new Date(failure.time))}: ${(failure.error_code ?? 'unknown').replaceAll('_', ' ')}${status}`;
  return html`<span class="line-failure" title=${words}><span class="unseen">Failed </span>${words}</span>`;
};

const changeWords = ({ change }: SitePage) =>
  change
    ? html`<a href=${toChangeAddress({ before: change.previous_id, after: change.id })}>${change.status === 'worse' ? 'Worse' : 'Better'} since ${shortDay.format(new Date(change.time))}: ${sayHistoryValue(change.before, 'point')} → ${sayHistoryValue(change.after, 'point')}</a>`
    : nothing;

/** Places an opened menu below its button, or above the edge of the window. */
const placeMenu = (event: Event): void => {
  const menu = event.currentTarget as HTMLElement;
  const button = menu.previousElementSibling?.getBoundingClientRect();
  if (!button || (event as ToggleEvent).newState !== 'open') return;
  menu.style.top = `${Math.min(button.bottom, innerHeight - 160)}px`;
  menu.style.right = `${document.documentElement.clientWidth - button.right}px`;
};

const menuView = (page: SitePage, { schedules, menus, names }: Look, { removePage }: Actions) => {
  const { url, source, strategy, conditions, last } = page;
  const next = schedules && sayNext(page, schedules);
  const id = `menu-${menus.indexOf(page)}`;
  const again = toAddress({ urls: [url], backend: sideOf(source), strategy, categories: categoryNames });
  const remove = (): void => {
    const counts = menus.flatMap(other =>
      other.url === url ? `${names[other.source].short}, ${other.strategy}: ${counted(other.results, 'result')}` : [],
    );
    if (confirm(`Delete everything stored of ${url}?\n${counts.join('\n')}`)) removePage(url);
  };
  return html`<button type="button" class="menu-button" popovertarget=${id}><span aria-hidden="true">⋯</span><span class="unseen">Actions for ${url}, ${strategy}</span></button>
    <div class="row-menu" id=${id} popover @beforetoggle=${placeMenu}>
      <a href=${next ? '?view=schedules' : toWatchAddress({ urls: [url], source, strategy, like: conditions ? last?.id : undefined })}>${next ? `Watched: ${next}` : 'Watch'}</a>
      ${
        // The form has no conditions, so it would measure another page.
        conditions === null ? html`<a href=${again}>Measure again</a>` : nothing
      }
      <button type="button" popovertarget=${id} popovertargetaction="hide" @click=${remove}>Delete results</button>
    </div>`;
};

type Look = {
  readonly span: Span;
  readonly schedules: readonly Schedule[] | undefined;
  /** Pages in a fixed order, which numbers their menus. */
  readonly menus: readonly SitePage[];
  readonly names: SideNames;
};

const kindOf = (key: SiteKey) => (key === 'performance' || isTableMetric(key) ? 'number' : nothing);

const cell = (key: SiteKey, content: unknown, kind = kindOf(key)) =>
  html`<td role="cell" data-key=${key} class=${kind}><span class="cell-label">${key === 'performance' ? shortCategoryWords[key] : labelOf(key)}</span>${content}</td>`;

const laneView = ({ source, strategy }: SitePage, names: SideNames) =>
  html`<span class="small quiet lane">${light(source)}${names[source].short}, ${strategy}</span>`;

const pageRow = (page: SitePage, isInGroup: boolean, look: Look, actions: Actions) => {
  const { url, source, strategy, conditions } = page;
  return html`<tr role="row" class="site-page" data-inner=${isInGroup ? 'true' : nothing}>
    <th role="rowheader" scope="row"><a class="url" href=${toHistoryAddress({ url, source, strategy, conditions })} title=${url}>${pathOf(url)}<span class="unseen"> history</span></a>${laneView(page, look.names)}${conditions === null ? nothing : html`<span class="small quiet lane">under ${conditions}</span>`}</th>
    ${(['performance', ...tableMetrics] as const).map(key => cell(key, lastValue(page, key)))}
    <td role="cell" class="trend-cell">${trendLine(page, look.span)}</td>
    ${cell('change', changeWords(page))}
    ${cell('time', runWords(page))}
    <td role="cell" class="menu-cell">${menuView(page, look, actions)}</td>
  </tr>`;
};

/** Displays how many pages of a group changed, so that a folded group hides none. */
const changesOf = (pages: readonly SitePage[]) => {
  const changed = (['worse', 'better'] as const)
    .map(status => ({ status, number: pages.filter(({ change }) => change?.status === status).length }))
    .filter(({ number }) => number > 0)
    .map(({ status, number }) => `${counted(number, 'page')} ${status}`);
  return changed.length > 0 ? html`<span>${changed.join(', ')}</span>` : nothing;
};

const groupRow = (template: string, pages: readonly SitePage[], isOpen: boolean, look: Look, toggle: () => void) => {
  const [first] = pages;
  if (!first) return nothing;
  const median = (key: 'performance' | TableMetric) => {
    const found = summarise(pages, key);
    return (
      found &&
      html`${rated(key, found.median, first)}${key === 'performance' ? html` <span class="small quiet range-words">worst ${Math.round(found.worst)}</span>` : nothing}`
    );
  };
  return html`<tr role="row" class="site-page template">
    <th role="rowheader" scope="row"><button type="button" class="fold-button" aria-expanded=${isOpen ? 'true' : 'false'} @click=${toggle}><span class="url">${pathOf(template)}</span></button>${laneView(first, look.names)}<span class="small quiet lane">${counted(pages.length, 'page')}, median</span></th>
    ${cell('performance', median('performance'))}${tableMetrics.map(key => cell(key, median(key)))}
    <td role="cell" class="trend-cell"></td>${cell('change', changesOf(pages))}<td role="cell" colspan="2"></td>
  </tr>`;
};

function groupView({ template, pages }: SiteGroup, host: string, state: HomeState, look: Look, actions: Actions) {
  if (template === undefined) return pages.map(page => pageRow(page, false, look, actions));
  const [{ source, strategy } = { source: '', strategy: '' }] = pages;
  const name = `${host} ${template} ${source} ${strategy}`;
  const unfolded = state.unfolded ?? new Set<string>();
  const toggle = () => actions.changeSites({ unfolded: toggled(unfolded, name) });
  const isOpen = unfolded.has(name);
  return html`${groupRow(template, pages, isOpen, look, toggle)}${isOpen ? pages.map(page => pageRow(page, true, look, actions)) : nothing}`;
}

/** Offers to watch the pages of a site that no schedule contains, with the device and source of its last measurement. */
function watchButton(
  host: string,
  pages: readonly SitePage[],
  schedules: readonly Schedule[],
  { watchPages }: Actions,
) {
  const [{ source, strategy } = { source: 'lighthouse', strategy: 'mobile' } as const] = pages;
  const urls = pages
    .filter(page => page.source === source && page.strategy === strategy && page.conditions === null)
    .filter(page => schedulesOf(page, schedules).length === 0)
    .map(({ url }) => url);
  if (urls.length === 0) return nothing;
  return html`<button type="button" class="plain-button" @click=${() => watchPages({ urls, source, strategy })}>Watch ${counted(urls.length, 'page')}<span class="unseen"> of ${host}</span></button>`;
}

/** Returns how many pages were found on a site, by the newest list of it. */
const foundOn = (host: string, schedules: readonly Schedule[] = []): number | undefined =>
  schedules.find(({ site }) => site && URL.parse(site.url)?.host === host)?.site?.found;

const siteView = (host: string, groups: readonly SiteGroup[], state: HomeState, look: Look, actions: Actions) => {
  const pages = groups.flatMap(group => group.pages);
  const measured = new Set(pages.map(({ url }) => url)).size;
  const found = foundOn(host, state.schedules) ?? 0;
  const known = found > measured ? `${measured} of ${counted(found, 'page')} measured` : counted(measured, 'page');
  // Of an incomplete list, or one that was searched, it is unknown how many pages there are.
  const said = state.sites?.is_complete && state.asked.search === '' ? known : `${counted(measured, 'page')} shown`;
  return html`<tbody role="rowgroup">
    <tr role="row" class="site"><th role="rowheader" scope="rowgroup" colspan="9"><span class="host">${host} <span class="quiet small">${said}</span></span>
      ${watchButton(host, pages, state.schedules ?? [], actions)}</th></tr>
    ${groups.map(group => groupView(group, host, state, look, actions))}
  </tbody>`;
};

const labelOf = (key: SiteKey): string => {
  if (key === 'page') return 'Page';
  if (key === 'change') return 'Last change';
  return key === 'time' ? 'Last run' : headOf(key);
};

const headCell = (key: SiteKey, sorting: SiteSorting, { changeSites }: Actions) => {
  const isSorted = sorting.by === key;
  const isHighFirst = (key === 'time' || isTableMetric(key)) !== sorting.isReversed;
  const order = isHighFirst ? 'descending' : 'ascending';
  const kind = kindOf(key);
  return html`<th role="columnheader" scope="col" data-key=${key} class=${kind} aria-sort=${isSorted ? order : nothing}>
    <button type="button" class="sort" @click=${() => changeSites({ sorting: nextSorting(sorting, key) })}>${labelOf(key)}<span aria-hidden="true" class="arrow">${isSorted ? (order === 'ascending' ? '↑' : '↓') : ''}</span></button>
  </th>`;
};

function tableView(state: HomeState & { sites: { pages: readonly SitePage[] } }, names: SideNames, actions: Actions) {
  const { sites, schedules, sorting = newestFirst } = state;
  const look: Look = { span: toSpan(sites.pages), schedules, menus: sites.pages, names };
  const head = (key: SiteKey) => headCell(key, sorting, actions);
  return html`<table class="sites" role="table">
    <caption class="unseen">Pages with their last results</caption>
    <thead role="rowgroup"><tr role="row">${head('page')}${head('performance')}${tableMetrics.map(head)}
      <th role="columnheader" scope="col" class="trend-cell">${sayDays(look.span)}</th>${head('change')}${head('time')}
      <th role="columnheader" scope="col" class="menu-cell"><span class="unseen">Actions</span></th></tr></thead>
    ${toSiteGroups(sites.pages, sorting).map(([host, groups]) => siteView(host, groups, state, look, actions))}
  </table>`;
}

const mostShown = 8;

/** Displays changes that the statistics found, newest first. */
function feedView(pages: readonly SitePage[], names: SideNames) {
  const changed = pages
    .flatMap(page => (page.change ? [{ ...page, change: page.change }] : []))
    .toSorted((a, b) => b.change.time.localeCompare(a.change.time));
  if (changed.length === 0) return nothing;
  const changeItem = ({ url, source, strategy, change }: (typeof changed)[number]) =>
    html`<li data-status=${change.status}><strong>${day.format(new Date(change.time))}</strong>
        <span class="url">${url}</span> <span class="quiet small">${light(source)}${names[source].short}, ${strategy}</span><br>
        ${change.status}: ${sayHistoryValue(change.before, 'point')} → ${sayHistoryValue(change.after, 'point')}.
        <a href=${toChangeAddress({ before: change.previous_id, after: change.id })}>Compare before and after<span class="unseen"> on ${url}, ${strategy}</span></a></li>`;
  return html`<section class="feed"><h3>Changes in the performance score</h3>
    <ul class="plain changes">${changed.slice(0, mostShown).map(changeItem)}</ul></section>`;
}

/** Max number of pages in a response of the service. */
const mostPages = 500;

const moreView = (shown: number, { showMoreSites }: Actions) =>
  shown < mostPages
    ? html`<p class="actions row"><button type="button" @click=${showMoreSites}>Show more pages</button> <span class="quiet small number">the ${shown} measured last</span></p>`
    : html`<p class="small quiet">Search for a URL or a label to find more pages.</p>`;

export function sitesView(state: HomeState, names: SideNames, actions: Actions) {
  const { sites, asked } = state;
  if (!sites) return html`<p class="quiet">Loading the sites …</p>`;
  return html`
    ${sites.pages.length === 0 ? html`<p class="notice">${asked.search === '' ? 'No results are stored yet. Measure a page to start.' : 'No stored page has this in its URL or label.'}</p>` : tableView({ ...state, sites }, names, actions)}
    ${sites.is_complete ? nothing : moreView(sites.pages.length, actions)}
    ${asked.search === '' ? feedView(sites.pages, names) : nothing}`;
}

/** Displays the search next to the heading. */
export const searchView = ({ asked: { search } }: HomeState, { searchSites }: Actions) => html`
  <a href=${toChangeAddress({ before: '', after: '' })}>Compare two labels</a>
  ${searchField('Search all results', search, searchSites, 'Search URLs and labels')}`;
