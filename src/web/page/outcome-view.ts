/** Draws what is below the form. */
import { html } from 'lit-html';
import type { SideNames } from '../../presentation/side-names.ts';
import { failureView } from '../views/failure-view.ts';
import { batchView } from './batch/batch-view.ts';
import { changeView } from './change/change-view.ts';
import { sitemapView } from './form/sitemap-view.ts';
import { historyView } from './history/history-view.ts';
import { keyView } from './key/key-view.ts';
import { progressView } from './progress/progress-view.ts';
import { answerView } from './result/answer-view.ts';
import type { Actions, View } from './view.ts';

/** @param names of the sides, as the service is configured */
export function outcomeView(view: View, names: SideNames, actions: Actions) {
  switch (view.kind) {
    case 'running':
      return progressView({ ...view, url: view.request.urls[0] ?? '' }, names, actions.cancel);
    case 'loading':
      return html`<section class="sheet ended">
        <h2 tabindex="-1"><span class="quiet">Loading the result for</span> <span class="url">${view.request.urls[0]}</span></h2>
        <p class="quiet">It was measured before. Nothing is measured now.</p>
      </section>`;
    case 'result':
      return answerView(view, names, actions);
    case 'batch':
      return batchView(view.state, names, actions);
    case 'failed':
      return html`<section class="sheet ended">
        <h2 tabindex="-1"><span class="quiet">No result for</span> <span class="url">${view.request.urls[0]}</span></h2>
        ${failureView(view.failure, names, actions.again)}
      </section>`;
    case 'cancelled':
      return html`<section class="sheet ended">
        <h2 tabindex="-1"><span class="quiet">Cancelled:</span> <span class="url">${view.request.urls[0]}</span></h2>
        <p class="quiet">Nothing was measured. The audit is cancelled and its slot is free again.</p>
        <p><button type="button" @click=${actions.again}>Measure again</button></p>
      </section>`;
    case 'history':
      return historyView(view.state, names, actions);
    case 'change':
      return changeView(view.state, names);
    case 'sitemap':
      return sitemapView(view.state, names, actions);
    case 'key':
      return keyView(view.fault, actions.useKey);
  }
}
