/** One page with its results: what can be done with them, and each side of them. */
import { html, nothing } from 'lit-html';
import { metricIn, withMetric } from '../../../api-client/metric-choice.ts';
import { planReports } from '../../../api-client/plan.ts';
import { toChangeAddress } from '../../../api-client/stored/change.ts';
import { toHistoryAddress } from '../../../api-client/stored/history.ts';
import { toArtifactLinks, toReportLinks } from '../../../api-client/stored/kept-result.ts';
import type { Result } from '../../../contract/result/result.ts';
import { type Column, columnsOf, type Pairing } from '../../../presentation/answer.ts';
import { toDownloadName } from '../../../presentation/download-name.ts';
import { isMetricChoice } from '../../../presentation/findings/metric-filter.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { wholeFilter } from '../../../presentation/whole/requests.ts';
import type { BothLooking } from '../../views/comparison/both-view.ts';
import { pairingView } from '../../views/comparison/compare-view.ts';
import { failureView } from '../../views/failure-view.ts';
import { type Choosing, type Looking, type LookPart, noLook, requestId, toggled } from '../../views/looking/look.ts';
import { columnView } from '../../views/result/result-view.ts';
import { download } from '../files/download.ts';
import { keptPicture } from '../files/kept-picture.ts';
import { readApiKey } from '../key/api-key.ts';
import { type AnswerActions, type AnswerState, changeNoteView, lookKey } from './answer-state.ts';

/* What a person does while looking closer at a result. */

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Up and down move from one request to the next, as in a list. */
function moveFocus(event: KeyboardEvent): void {
  const step = steps[event.key];
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('button.request')];
  const at = buttons.indexOf(event.target as HTMLElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  buttons[at + step]?.focus();
}

type Parts = Omit<Looking, 'on' | 'showRequest' | 'choosing'> & {
  /** Of the findings: what the address holds. */
  readonly metric: Choosing['metric'];
  readonly chooseMetric: (value: string) => void;
};

function createLooking({ metric, chooseMetric, ...parts }: Parts): Looking {
  const { look, change, load, name } = parts;
  return {
    ...parts,
    showRequest(row) {
      const requests = toggled(look.requests, row, true);
      change({ opened: toggled(look.opened, 'requests', true), filter: wholeFilter, requests });
      // Drawn by now: it is in a fold that has just been opened.
      document.getElementById(requestId(name, row))?.focus();
    },
    choosing: { metric, choose: event => chooseMetric(((event as Event).target as HTMLInputElement).value) },
    on: {
      toggle: (part: LookPart) => event => {
        const { target, currentTarget } = event as Event;
        const { open } = currentTarget as HTMLDetailsElement;
        // Folds in it tell of theirs, too.
        if (target !== currentTarget || open === look.opened.has(part)) return;
        change({ opened: toggled(look.opened, part, open) });
        if (open) load();
      },
      toggleAudit: id => event => {
        const { open } = (event as Event).currentTarget as HTMLDetailsElement;
        if (open === look.audits.has(id)) return;
        change({ audits: toggled(look.audits, id, open) });
        if (open) load();
      },
      search: event =>
        change({ filter: { ...look.filter, search: ((event as Event).target as HTMLInputElement).value } }),
      moveFocus: event => moveFocus(event as KeyboardEvent),
    },
  };
}

const saveJson =
  ({ bodies, request }: AnswerState) =>
  () =>
    download(
      toDownloadName(request.urls, new Date(), 'json'),
      'application/json',
      JSON.stringify(bodies.length === 1 ? bodies[0] : bodies, null, 2),
    );

/** A link sends no key: where one was entered, the file is loaded with it, and saved. */
function fileLinks(
  { request: { urls, ...wanted }, answer, bodies, files = {} }: AnswerState,
  save: AnswerActions['saveFile'],
) {
  const kept = toReportLinks(bodies);
  const reports = kept.length > 0 ? kept : planReports(urls[0] ?? '', wanted);
  const hasKey = readApiKey() !== undefined;
  return [...reports, ...toArtifactLinks(answer)].map(({ address, words }) => {
    if (!hasKey) return html`<a class="button" href=${address} target="_blank" rel="noopener">${words}</a>`;
    const isLoading = files[address]?.state === 'loading';
    return html`<button type="button" aria-disabled=${isLoading ? 'true' : 'false'} @click=${() => save(address)}>${isLoading ? `Loading: ${words}` : `Save: ${words}`}</button>`;
  });
}

const fileFailures = ({ files = {} }: AnswerState, names: SideNames) =>
  Object.values(files).map(file => (file.state === 'failed' ? failureView(file.failure, names) : nothing));

const sideWords = { psi: 'remote', lighthouse: 'local' } as const;

/** To the histories of what was kept, and to what changed since the result before. */
const keptLinks = ({ answer }: AnswerState) => {
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
  if (isMetricChoice(value)) history.replaceState(history.state, '', withMetric(location.href, value));
};

/** How one side of it is looked at closer. */
const toLooking = (state: AnswerState, { part }: Pick<Column, 'part'>, actions: AnswerActions): Looking | undefined =>
  part.ok ? lookAt(state, part.result, actions) : undefined;

const lookAt = ({ looks }: AnswerState, result: Result, { look, load }: AnswerActions): Looking => {
  const key = lookKey(result);
  return createLooking({
    name: key,
    look: looks[key] ?? noLook,
    change: change => look(key, change),
    load: () => load(result),
    picture: keptPicture,
    metric: metricIn(location),
    chooseMetric,
  });
};

/** Of two sides that were both measured: what is opened is loaded for both. */
function toBothLooking(
  state: AnswerState,
  { psi, lighthouse }: Pairing,
  actions: AnswerActions,
): BothLooking | undefined {
  if (!psi.ok || !lighthouse.ok) return undefined;
  const remote = lookAt(state, psi.result, actions);
  const load = () => {
    actions.load(psi.result);
    actions.load(lighthouse.result);
  };
  const local = lookAt(state, lighthouse.result, { ...actions, load });
  return { psi: { ...remote, load }, lighthouse: local };
}

export function answerView(state: AnswerState, names: SideNames, actions: AnswerActions) {
  const { answer, request } = state;
  return html`
  <div class="result-top">
    <h2 tabindex="-1"><span class="quiet">Result for</span> <span class="url">${request.urls[0]}</span></h2>
    <div class="actions scroll">
      <button type="button" @click=${actions.again}>Measure again</button>
      <button type="button" @click=${saveJson(state)}>Save as JSON</button>
      ${fileLinks(state, actions.saveFile)} ${keptLinks(state)}
    </div>
  </div>
  ${fileFailures(state, names)}
  ${state.notes?.map(note => changeNoteView(note, names)) ?? nothing}
  ${
    answer.kind === 'comparisons'
      ? answer.pairings.map(pairing => pairingView(pairing, names, toBothLooking(state, pairing, actions)))
      : html`<div class="columns">${answer.columns.map(column => columnView(column, names, toLooking(state, column, actions)))}</div>`
  }`;
}
