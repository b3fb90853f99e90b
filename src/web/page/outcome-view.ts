/** What the page shows below its form, one case each. */
import { html, nothing } from 'lit-html';
import { toChangeAddress } from '../../client/change.ts';
import { toHistoryAddress } from '../../client/history.ts';
import { idsOf, toArtifactLinks, toReportLinks } from '../../client/kept-result.ts';
import { metricIn, withMetric } from '../../client/metric-choice.ts';
import type { PageRequest } from '../../client/page-request.ts';
import { planReports } from '../../client/plan.ts';
import type { LaneState } from '../../client/progress.ts';
import type { Result } from '../../contract/result.ts';
import { type Answer, type Column, columnsOf, type Pairing } from '../../presentation/answer.ts';
import { toDownloadName } from '../../presentation/download-name.ts';
import type { FailureReason } from '../../presentation/failure-reason.ts';
import { isMetricChoice } from '../../presentation/metric-filter.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import type { BothLooking } from '../views/comparison/both-view.ts';
import { pairingView } from '../views/comparison/compare-view.ts';
import { failureView } from '../views/failure-view.ts';
import { type Look, type Looking, noLook } from '../views/looking/look.ts';
import { columnView } from '../views/result/result-view.ts';
import { type BatchActions, type BatchState, batchView } from './batch/batch-view.ts';
import { type ChangeNote, changeNoteView } from './change/change-note.ts';
import { type ChangeState, changeView } from './change/change-view.ts';
import { download } from './files/download.ts';
import { type SitemapActions, type SitemapState, sitemapView } from './form/sitemap-view.ts';
import { type HistoryActions, type HistoryState, historyView } from './history/history-view.ts';
import { readApiKey } from './key/api-key.ts';
import { type KeyFault, keyView } from './key/key-view.ts';
import { progressView } from './progress/progress-view.ts';
import { createLooking } from './result/looking.ts';

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
      /** By side and strategy. */
      readonly looks: Looks;
      /** Measured again: what changed since the result before, for each side and strategy. */
      readonly notes?: readonly ChangeNote[];
    }
  | { readonly kind: 'loading'; readonly request: PageRequest }
  | { readonly kind: 'batch'; readonly state: BatchState }
  | { readonly kind: 'failed'; readonly request: PageRequest; readonly failure: FailureReason }
  | { readonly kind: 'history'; readonly request: PageRequest; readonly state: HistoryState }
  | { readonly kind: 'change'; readonly request: PageRequest; readonly state: ChangeState }
  | { readonly kind: 'sitemap'; readonly request: PageRequest; readonly state: SitemapState }
  | { readonly kind: 'cancelled'; readonly request: PageRequest }
  | { readonly kind: 'key'; readonly request: PageRequest; readonly fault?: KeyFault | undefined };

export type Looks = Readonly<Record<string, Look>>;

/** One side of what is shown. */
export const lookKey = ({ source, strategy }: Pick<Result, 'source' | 'strategy'>): string => `${source}-${strategy}`;

export type Actions = BatchActions &
  HistoryActions &
  SitemapActions & {
    readonly useKey: (key: string) => void;
    readonly look: (key: string, change: Partial<Look>) => void;
    /** Loads the whole of a result, where nobody has. */
    readonly load: (result: Result) => void;
  };

const saveJson =
  ({ bodies, request }: ResultShown) =>
  () =>
    download(
      toDownloadName(request.urls, new Date(), 'json'),
      'application/json',
      JSON.stringify(bodies.length === 1 ? bodies[0] : bodies, null, 2),
    );

type ResultShown = Extract<View, { kind: 'result' }>;

/** A link sends no key: where the service wants one, the link would lead to an error. */
const canLink = (): boolean => readApiKey() === undefined;

const fileLinks = ({ request: { urls, ...wanted }, answer, bodies }: ResultShown) => {
  if (!canLink()) return nothing;
  const ids = idsOf(bodies);
  const links = ids.length > 0 ? toReportLinks(ids, answer) : planReports(urls[0] ?? '', wanted);
  return [...links, ...toArtifactLinks(answer)].map(
    ({ address, words }) => html`<a class="button" href=${address} target="_blank" rel="noopener">${words}</a>`,
  );
};

const sideWords = { psi: 'remote', lighthouse: 'local' } as const;

/** To the histories of what was kept, and to what changed since the result before. */
const keptLinks = ({ answer }: ResultShown) => {
  const columns = columnsOf(answer);
  return columns.map(({ part, strategy, source }) => {
    if (!part.ok || !part.result.id) return nothing;
    const { id, url } = part.result;
    const which =
      columns.length > 1 ? html`, ${answer.kind === 'comparisons' ? sideWords[source] : ''} ${strategy}` : nothing;
    return html`<a class="button" href=${toHistoryAddress({ url, source, strategy })}>History${which}</a>
      <a class="button" href=${toChangeAddress({ before: '', after: id })}>Compare with the previous result${which}</a>`;
  });
};

/** Nothing is measured or loaded for it: the address changes in place. */
const chooseMetric = (value: string): void => {
  if (isMetricChoice(value)) history.replaceState(null, '', withMetric(location.href, value));
};

/** How one side of it is looked at closer. */
const toLooking = (view: ResultShown, { part }: Pick<Column, 'part'>, actions: Actions): Looking | undefined =>
  part.ok ? lookAt(view, part.result, actions) : undefined;

const lookAt = ({ looks }: ResultShown, result: Result, { look, load }: Actions): Looking => {
  const key = lookKey(result);
  return createLooking({
    name: key,
    look: looks[key] ?? noLook,
    change: change => look(key, change),
    load: () => load(result),
    canLink: canLink(),
    metric: metricIn(location),
    chooseMetric,
  });
};

/** Of two sides that were both measured: what is opened is loaded for both. */
function toBothLooking(view: ResultShown, { psi, lighthouse }: Pairing, actions: Actions): BothLooking | undefined {
  if (!psi.ok || !lighthouse.ok) return undefined;
  const remote = lookAt(view, psi.result, actions);
  const load = () => {
    actions.load(psi.result);
    actions.load(lighthouse.result);
  };
  const local = lookAt(view, lighthouse.result, { ...actions, load });
  return { psi: { ...remote, load }, lighthouse: local };
}

const resultView = (view: ResultShown, names: SideNames, actions: Actions) => {
  const { answer, request } = view;
  return html`
  <div class="result-top">
    <h2 tabindex="-1"><span class="quiet">Result for</span> <span class="url">${request.urls[0]}</span></h2>
    <div class="actions">
      <button type="button" @click=${actions.again}>Measure again</button>
      <button type="button" @click=${saveJson(view)}>Save as JSON</button>
      ${fileLinks(view)} ${keptLinks(view)}
    </div>
  </div>
  ${view.notes?.map(note => changeNoteView(note, names)) ?? nothing}
  ${
    answer.kind === 'comparisons'
      ? answer.pairings.map(pairing => pairingView(pairing, names, toBothLooking(view, pairing, actions)))
      : html`<div class="columns">${answer.columns.map(column => columnView(column, names, toLooking(view, column, actions)))}</div>`
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
