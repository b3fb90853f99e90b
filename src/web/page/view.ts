/** What the page shows below its form, one case each. */
import { html, nothing } from 'lit-html';
import type { Result } from '../answer.ts';
import type { PageRequest } from '../page-request.ts';
import { planReports } from '../plan.ts';
import type { LaneState } from '../progress.ts';
import type { Trouble } from '../trouble.ts';
import { readApiKey } from './api-key.ts';
import { type BatchActions, type BatchState, batchView } from './batch-view.ts';
import { pairingView } from './compare-view.ts';
import { download } from './download.ts';
import { type KeyFault, keyView } from './key-view.ts';
import { columnView } from './report-view.ts';
import { troubleView } from './trouble-view.ts';
import { waitingView } from './waiting-view.ts';

export type View =
  | {
      readonly kind: 'waiting';
      readonly request: PageRequest;
      readonly lanes: readonly LaneState[];
      readonly seconds: number;
    }
  | {
      readonly kind: 'result';
      readonly request: PageRequest;
      readonly result: Result;
      readonly bodies: readonly unknown[];
    }
  | { readonly kind: 'batch'; readonly state: BatchState }
  | { readonly kind: 'trouble'; readonly request: PageRequest; readonly trouble: Trouble }
  | { readonly kind: 'stopped'; readonly request: PageRequest }
  | { readonly kind: 'key'; readonly request: PageRequest; readonly fault?: KeyFault | undefined };

export type Actions = BatchActions & { readonly useKey: (key: string) => void };

const saveJson = (bodies: readonly unknown[]) => () =>
  download('rangelight.json', 'application/json', JSON.stringify(bodies.length === 1 ? bodies[0] : bodies, null, 2));

/** A link sends no key: where the service wants one, there is nothing behind it. */
const reportLinks = ({ urls: [url = ''], ...wanted }: PageRequest) =>
  readApiKey() === undefined
    ? planReports(url, wanted).map(
        ({ address, words }) => html`<a class="button" href=${address} target="_blank" rel="noopener">${words}</a>`,
      )
    : nothing;

const resultView = ({ result, bodies, request }: Extract<View, { kind: 'result' }>, { again }: Actions) => html`
  <div class="result-top">
    <h2 tabindex="-1"><span class="quiet">Result for</span> <span class="url">${request.urls[0]}</span></h2>
    <div class="actions">
      <button type="button" @click=${again}>Measure again</button>
      <button type="button" @click=${saveJson(bodies)}>Save as JSON</button>
      ${reportLinks(request)}
    </div>
  </div>
  ${result.kind === 'comparisons' ? result.pairings.map(pairingView) : html`<div class="columns">${result.columns.map(columnView)}</div>`}`;

export function outcomeView(view: View, actions: Actions) {
  switch (view.kind) {
    case 'waiting':
      return waitingView(view.request.urls[0] ?? '', view.lanes, view.seconds, actions.cancel);
    case 'result':
      return resultView(view, actions);
    case 'batch':
      return batchView(view.state, actions);
    case 'trouble':
      return html`<section class="sheet failure">
        <h2 tabindex="-1"><span class="quiet">No result for</span> <span class="url">${view.request.urls[0]}</span></h2>
        ${troubleView(view.trouble, actions.again)}
      </section>`;
    case 'stopped':
      return html`<section class="sheet stopped">
        <h2 tabindex="-1">Stopped</h2>
        <p class="quiet">The measurement was ended and its place is free again.</p>
        <p><button type="button" @click=${actions.again}>Measure again</button></p>
      </section>`;
    case 'key':
      return keyView(view.fault, actions.useKey);
  }
}
