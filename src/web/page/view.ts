/** What the page shows below its form, one case each. */
import { html, nothing } from 'lit-html';
import { idsOf, toReportLinks } from '../../client/kept-result.ts';
import type { PageRequest } from '../../client/page-request.ts';
import { planReports } from '../../client/plan.ts';
import type { LaneState } from '../../client/progress.ts';
import type { Answer } from '../../presentation/answer.ts';
import type { FailureReason } from '../../presentation/failure-reason.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import { pairingView } from '../views/compare-view.ts';
import { failureView } from '../views/failure-view.ts';
import { columnView } from '../views/result-view.ts';
import { readApiKey } from './api-key.ts';
import { type BatchActions, type BatchState, batchView } from './batch-view.ts';
import { download } from './download.ts';
import { type KeyFault, keyView } from './key-view.ts';
import { progressView } from './progress-view.ts';

export type View =
  | {
      readonly kind: 'running';
      readonly request: PageRequest;
      readonly lanes: readonly LaneState[];
      readonly seconds: number;
    }
  | {
      readonly kind: 'result';
      readonly request: PageRequest;
      readonly answer: Answer;
      readonly bodies: readonly unknown[];
    }
  | { readonly kind: 'loading'; readonly request: PageRequest }
  | { readonly kind: 'batch'; readonly state: BatchState }
  | { readonly kind: 'failed'; readonly request: PageRequest; readonly failure: FailureReason }
  | { readonly kind: 'cancelled'; readonly request: PageRequest }
  | { readonly kind: 'key'; readonly request: PageRequest; readonly fault?: KeyFault | undefined };

export type Actions = BatchActions & { readonly useKey: (key: string) => void };

const saveJson = (bodies: readonly unknown[]) => () =>
  download('rangelight.json', 'application/json', JSON.stringify(bodies.length === 1 ? bodies[0] : bodies, null, 2));

/** A link sends no key: where the service wants one, the link would lead to an error. */
const reportLinks = ({ request: { urls, ...wanted }, answer, bodies }: Extract<View, { kind: 'result' }>) => {
  if (readApiKey() !== undefined) return nothing;
  const ids = idsOf(bodies);
  const links = ids.length > 0 ? toReportLinks(ids, answer) : planReports(urls[0] ?? '', wanted);
  return links.map(
    ({ address, words }) => html`<a class="button" href=${address} target="_blank" rel="noopener">${words}</a>`,
  );
};

const resultView = (view: Extract<View, { kind: 'result' }>, names: SideNames, { again }: Actions) => {
  const { answer, bodies, request } = view;
  return html`
  <div class="result-top">
    <h2 tabindex="-1"><span class="quiet">Result for</span> <span class="url">${request.urls[0]}</span></h2>
    <div class="actions">
      <button type="button" @click=${again}>Measure again</button>
      <button type="button" @click=${saveJson(bodies)}>Save as JSON</button>
      ${reportLinks(view)}
    </div>
  </div>
  ${
    answer.kind === 'comparisons'
      ? answer.pairings.map(pairing => pairingView(pairing, names))
      : html`<div class="columns">${answer.columns.map(column => columnView(column, names))}</div>`
  }`;
};

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
      return resultView(view, names, actions);
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
    case 'key':
      return keyView(view.fault, actions.useKey);
  }
}
