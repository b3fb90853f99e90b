/** Views of the page below its form, one case each, with the actions of the user. */

import { html, nothing } from 'lit-html';
import type { PageRequest } from '../../api-client/page-request.ts';
import type { FailureReason } from '../../presentation/errors-in-words.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import { failureView } from '../views/failure-view.ts';
import type { AnswerState } from './answer-state.ts';
import { answerView } from './answer-view.ts';
import type { BatchState } from './batch/batch-table.ts';
import { batchView } from './batch/batch-view.ts';
import { type ChangeState, changeView } from './change-view.ts';
import { type ExperimentState, experimentPage } from './experiment-page.ts';
import { type SitemapState, sitemapView } from './form/sitemap-view.ts';
import type { HistoryState } from './history/chart-view.ts';
import { historyView } from './history/history-view.ts';
import { type HomeState, homeView } from './home/home-view.ts';
import { type KeyFault, keyView } from './key-view.ts';
import { type LaneProgress, progressView } from './progress-view.ts';
import type { Actions } from './session/actions.ts';

/** @param names names of the sides in the service's configuration */
export function outcomeView(view: View, names: SideNames, actions: Actions) {
  switch (view.kind) {
    case 'running':
      return progressView({ ...view, url: view.request.urls[0] ?? '' }, names, actions.cancel);
    case 'loading':
      return html`<section class="sheet ended stack">
        <h2 tabindex="-1"><span class="quiet">Loading the result</span> <span class="url">${view.request.urls[0] ?? nothing}</span></h2>
        <p class="quiet">It was measured before. Nothing is measured now.</p>
      </section>`;
    case 'result':
      return answerView(view, names, actions);
    case 'batch':
      return batchView(view.state, names, actions);
    case 'failed':
      return html`<section class="sheet ended stack">
        <h2 tabindex="-1"><span class="quiet">No result</span> <span class="url">${view.request.urls[0] ?? nothing}</span></h2>
        ${failureView(view.failure, names, view.request.urls.length > 0 ? actions.again : undefined)}
      </section>`;
    case 'cancelled':
      return html`<section class="sheet ended stack">
        <h2 tabindex="-1"><span class="quiet">Cancelled:</span> <span class="url">${view.request.urls[0]}</span></h2>
        <p class="quiet">Nothing was measured. The audit is cancelled and its slot is free again.</p>
        <p><button type="button" @click=${actions.again}>Measure again</button></p>
      </section>`;
    case 'history':
      return historyView(view.state, names, actions);
    case 'change':
      return changeView(view.state, names);
    case 'experiment':
      return experimentPage(view.state, names, actions);
    case 'sitemap':
      return sitemapView(view.state, names, actions);
    case 'home':
      return homeView(view.state, names, actions);
    case 'key':
      return keyView(view.fault, actions.useKey);
  }
}

export type View =
  | ({ readonly kind: 'running'; readonly request: PageRequest } & Omit<LaneProgress, 'url'>)
  | ({ readonly kind: 'result' } & AnswerState)
  | { readonly kind: 'loading'; readonly request: PageRequest }
  | { readonly kind: 'batch'; readonly state: BatchState }
  | { readonly kind: 'failed'; readonly request: PageRequest; readonly failure: FailureReason }
  | { readonly kind: 'history'; readonly request: PageRequest; readonly state: HistoryState }
  | { readonly kind: 'change'; readonly request: PageRequest; readonly state: ChangeState }
  | { readonly kind: 'experiment'; readonly request: PageRequest; readonly state: ExperimentState }
  | { readonly kind: 'sitemap'; readonly request: PageRequest; readonly state: SitemapState }
  | { readonly kind: 'home'; readonly request: PageRequest; readonly state: HomeState }
  | { readonly kind: 'cancelled'; readonly request: PageRequest }
  | { readonly kind: 'key'; readonly request: PageRequest; readonly fault?: KeyFault | undefined };

export type ViewOf<K extends View['kind']> = Extract<View, { kind: K }>;
