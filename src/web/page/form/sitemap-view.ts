/** View of the pages in a sitemap, from which the user selects those of a list. */

import { html, nothing } from 'lit-html';
import type { PageRequest } from '../../../api-client/page-request.ts';
import { toSitemapAddress } from '../../../api-client/sitemap.ts';
import { toWatched } from '../../../api-client/stored/home.ts';
import type { Sitemap } from '../../../contract/sitemap.ts';
import { hostOf } from '../../../presentation/download-name.ts';
import type { FailureReason } from '../../../presentation/errors-in-words.ts';
import { counted, joinWords } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { failureView } from '../../views/failure-view.ts';
import { searchField } from '../../views/marks.ts';
import { toggled } from '../../views/toggled.ts';
import type { Actions } from '../session/actions.ts';

export type SitemapState = {
  /** URL as requested. */
  readonly url: string;
  readonly request: PageRequest;
  /** Number of pages of each route template; undefined for all pages. */
  readonly sample: number | undefined;
  readonly sitemap?: Sitemap;
  readonly failure?: FailureReason;
  /** Pages that are deselected. */
  readonly left: ReadonlySet<string>;
  readonly search: string;
};

const shownIn = ({ sitemap, search }: SitemapState): readonly string[] => {
  const wanted = search.trim().toLowerCase();
  return (sitemap?.urls ?? []).filter(url => url.toLowerCase().includes(wanted));
};

/** Describes which pages were skipped, and why. */
function sayLeftOut({ skipped: left }: Sitemap): string {
  const parts = [
    left.not_allowed > 0 ? `${counted(left.not_allowed, 'page')} that may not be measured here` : '',
    left.invalid > 0 ? `${counted(left.invalid, 'entry', 'entries')} without the URL of a page` : '',
    left.repeated > 0 ? `${counted(left.repeated, 'repeated entry', 'repeated entries')}` : '',
  ].filter(Boolean);
  return parts.length === 0 ? '' : `Skipped: ${joinWords(parts)}.`;
}

const failuresView = ({ failures }: Sitemap) =>
  failures.length === 0
    ? nothing
    : html`<details class="fold"><summary>${counted(failures.length, 'sitemap')} could not be read to the end</summary>
        <ul>${failures.map(({ url, detail }) => html`<li><span class="url">${url}</span>: ${detail}</li>`)}</ul></details>`;

const samples = [undefined, 1, 3, 5, 10] as const;

/** Displays the route templates, and a choice of pages of each. */
const templatesView = ({ request, sample, sitemap }: SitemapState) =>
  sitemap && sitemap.templates.length > 0
    ? html`<p class="actions row">Pages of each template: ${samples.map(count =>
        count === sample
          ? html`<strong>${count ?? 'all'}</strong>`
          : html`<a href=${toSitemapAddress({ request, sample: count })}>${count ?? 'all'}</a>`,
      )}</p>
      <details class="fold"><summary>${counted(sitemap.templates.length, 'template')}</summary>
        <ul>${sitemap.templates.map(({ template, pages }) => html`<li><span class="url">${template}</span> <span class="quiet number">${counted(pages, 'page')}</span></li>`)}</ul></details>`
    : nothing;

const pageView = (url: string, { left }: SitemapState, { changeSitemap }: Actions) => {
  const change = () => changeSitemap({ left: toggled(left, url) });
  return html`<li><label><input type="checkbox" .checked=${!left.has(url)} @change=${change}><span class="url">${url}</span></label></li>`;
};

function listView(state: SitemapState & { sitemap: Sitemap }, actions: Actions) {
  const { sitemap, left, search } = state;
  const shown = shownIn(state);
  const chosen = sitemap.urls.filter(url => !left.has(url));
  const leave = () => actions.changeSitemap({ left: new Set([...left, ...shown]) });
  const take = () => actions.changeSitemap({ left: new Set([...left].filter(url => !shown.includes(url))) });
  const watched = toWatched({ ...state.request, urls: chosen });
  // All pages that were found here are found again by the service, which stores how many there are.
  const isWhole = chosen.length === sitemap.urls.length;
  const site = { url: sitemap.url, sample: state.sample };
  const which = search.trim() === '' ? 'all' : 'these';
  return html`
    <p>${counted(sitemap.found, 'page')} found ${sitemap.links ? `by the links of ${counted(sitemap.links.read, 'page')}` : `in ${counted(sitemap.sitemaps.length, 'sitemap')}`}. ${sayLeftOut(sitemap)}
      ${sitemap.is_complete ? nothing : html`<strong>The site may have more.</strong>`}</p>
    ${templatesView(state)}
    ${failuresView(sitemap)}
    <p class="actions row"><button type="button" class="main" ?disabled=${chosen.length === 0} @click=${() => actions.measureList(chosen)}>Measure ${counted(chosen.length, 'page')}</button>
      <button type="button" ?disabled=${chosen.length === 0} @click=${() => actions.watchPages(isWhole ? { ...watched, site } : watched)}>Watch ${counted(chosen.length, 'page')}</button></p>
    <div class="request-filter row">
      <div class="actions row">
        <button type="button" @click=${take}>Select ${which}</button>
        <button type="button" @click=${leave}>Deselect ${which}</button>
      </div>
      ${searchField('Search in pages', search, text => actions.changeSitemap({ search: text }))}
    </div>
    ${
      shown.length === 0
        ? html`<p class="notice">No page matches. Shorten the search.</p>`
        : html`<ul class="plain sitemap-pages taller" tabindex="0" aria-label="Pages">${shown.map(url => pageView(url, state, actions))}</ul>`
    }`;
}

function bodyView(state: SitemapState, names: SideNames, actions: Actions) {
  const { sitemap, failure } = state;
  if (failure) return failureView(failure, names);
  if (sitemap) return listView({ ...state, sitemap }, actions);
  return html`<p class="quiet">Reading robots.txt and sitemaps … Nothing is measured yet.</p>`;
}

export const sitemapView = (state: SitemapState, names: SideNames, actions: Actions) => html`
  <section class="sheet sitemap stack">
    <h2 tabindex="-1"><span class="quiet">Pages of</span> <span class="url">${state.sitemap ? hostOf(state.url) : state.url}</span></h2>
    ${bodyView(state, names, actions)}
  </section>`;
