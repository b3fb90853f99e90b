/** View of one page with its results: its actions, and each side. */

import { html, nothing } from 'lit-html';
import { metricIn, withMetric } from '../../api-client/metric-choice.ts';
import { planReports, type ReportLink } from '../../api-client/plan.ts';
import { toChangeAddress } from '../../api-client/stored/change.ts';
import { toHistoryAddress } from '../../api-client/stored/history.ts';
import { toWatchAddress, toWatched } from '../../api-client/stored/home.ts';
import { idsOf, toFileLinks } from '../../api-client/stored/kept-result.ts';
import { isObject } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import type { HistoryChange } from '../../contract/stored/history.ts';
import { type Column, columnsOf, type Pairing } from '../../presentation/answer.ts';
import { statusWords } from '../../presentation/change-words.ts';
import { isMetricChoice } from '../../presentation/findings/metric-filter.ts';
import { wholeFilter } from '../../presentation/full-result/requests.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import { sayHistoryValue } from '../../presentation/words.ts';
import type { BothLooking } from '../views/comparison/both-view.ts';
import { pairingView } from '../views/comparison/compare-view.ts';
import { failureView } from '../views/failure-view.ts';
import { findingId, type Looking, type LookPart, noLook, requestId } from '../views/load-details/load-details-state.ts';
import { light, sayShortTime } from '../views/marks.ts';
import { columnView } from '../views/result/result-view.ts';
import { toggled } from '../views/toggled.ts';
import { type AnswerState, changeNoteView, lookKey } from './answer-state.ts';
import { readApiKey } from './api-key.ts';
import { downloadJson } from './download.ts';
import type { Actions } from './session/actions.ts';

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus between requests with the up and down keys, as in a list. */
function moveFocus(event: KeyboardEvent): void {
  const step = steps[event.key];
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('button.request')];
  const at = buttons.indexOf(event.target as HTMLElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  buttons[at + step]?.focus();
}

/** Changes the filter in the URL, without measuring or loading anything. */
function chooseMetric(event: unknown): void {
  const { value } = (event as Event).target as HTMLInputElement;
  if (isMetricChoice(value)) history.replaceState(history.state, '', withMetric(location.href, value));
}

function createLooking(parts: Omit<Looking, 'on' | 'showRequest' | 'showAudit' | 'choosing'>): Looking {
  const { look, change, load, askWhatIf, name } = parts;
  return {
    ...parts,
    showRequest(row) {
      const requests = toggled(look.requests, row, true);
      change({ opened: toggled(look.opened, 'requests', true), filter: wholeFilter, sorting: 'start', requests });
      // The section has just been expanded, so the row is in the document.
      document.getElementById(requestId(name, row))?.focus();
    },
    showAudit(list, id) {
      change({ audits: toggled(look.audits, id, true) });
      const row = document.getElementById(findingId(list, id));
      // A filter may hide it.
      row?.closest('.fixes')?.querySelector<HTMLInputElement>('[value="all"]:not(:checked)')?.click();
      row?.scrollIntoView({ block: 'center' });
      row?.querySelector<HTMLElement>('summary')?.focus({ preventScroll: true });
    },
    choosing: { metric: metricIn(location), choose: chooseMetric },
    on: {
      toggle: (part: LookPart) => event => {
        const { target, currentTarget } = event as Event;
        const { open } = currentTarget as HTMLDetailsElement;
        // Events of nested sections arrive here too.
        if (target !== currentTarget || open === look.opened.has(part)) return;
        change({ opened: toggled(look.opened, part, open) });
        if (open && part === 'what-if') askWhatIf();
        else if (open) load();
      },
      toggleAudit: id => event => {
        const { open } = (event as Event).currentTarget as HTMLDetailsElement;
        if (open === look.audits.has(id)) return;
        change({ audits: toggled(look.audits, id, open) });
        if (open) load();
      },
      moveFocus: event => moveFocus(event as KeyboardEvent),
    },
  };
}

const jsonButton = (json: unknown, { request }: AnswerState) =>
  html`<button type="button" @click=${() => downloadJson(request.urls, json)}>JSON</button>`;

/** Returns a link to a file. A link sends no key, so with a key the file is loaded and saved by script. */
function fileLink({ address, words }: ReportLink, { files = {} }: AnswerState, save: Actions['saveFile']) {
  if (readApiKey() === undefined)
    return html`<a class="button" href=${address} ?download=${address.startsWith('results/')} target="_blank" rel="noopener">${words}</a>`;
  const isLoading = files[address]?.state === 'loading';
  return html`<button type="button" aria-disabled=${isLoading ? 'true' : 'false'} @click=${() => save(address)}>${isLoading ? `Loading: ${words}` : `Save: ${words}`}</button>`;
}

type FileGroup = { readonly name: unknown; readonly links: readonly ReportLink[]; readonly json: unknown };

/** Lists the files to save: those of both sides first, then each side by its name. */
function fileGroups({ request, answer, bodies }: AnswerState, names: SideNames): FileGroup[] {
  const { urls, ...wanted } = request;
  const planned = planReports(urls[0] ?? '', wanted);
  const sides = columnsOf(answer).flatMap(({ source, strategy, part }): FileGroup[] => {
    if (!part.ok) return [];
    const stored = toFileLinks(part.result);
    const again =
      answer.kind === 'results' ? planned.filter(({ strategy: of }) => of === undefined || of === strategy) : [];
    const name = html`${light(source)}${names[source].short}, ${strategy}`;
    return [{ name, links: stored.length > 0 ? stored : again, json: part.result }];
  });
  if (answer.kind === 'results') return sides;
  const whole = bodies.map((body, at): FileGroup => {
    const id = isObject(body) && typeof body.id === 'string' ? body.id : undefined;
    const links =
      id === undefined ? planned.slice(at, at + 1) : [{ address: `results/${id}/report`, words: 'HTML report' }];
    return {
      name: bodies.length > 1 ? `Both sides, ${answer.pairings[at]?.strategy}` : 'Both sides',
      links,
      json: body,
    };
  });
  return [...whole, ...sides];
}

const downloadMenu = (state: AnswerState, names: SideNames, actions: Actions) => html`<details class="menu">
  <summary class="button">Download</summary>
  <div class="menu-body">
    ${fileGroups(state, names).map(
      ({ name, links, json }) => html`<section><h3 class="small">${name}</h3>
        <div class="actions row">${links.map(link => fileLink(link, state, actions.saveFile))} ${jsonButton(json, state)}</div></section>`,
    )}
  </div>
</details>`;

const fileFailures = ({ files = {} }: AnswerState, names: SideNames) =>
  Object.values(files).map(file => (file.state === 'failed' ? failureView(file.failure, names) : nothing));

/** Displays a link to the history of a stored result, or a menu of several. */
function historyLinks({ answer }: AnswerState, names: SideNames) {
  const stored = columnsOf(answer).flatMap(({ part, source, strategy }) =>
    part.ok && part.result.id
      ? [{ url: part.result.url, source, strategy, conditions: part.result.conditions?.id }]
      : [],
  );
  const [only] = stored;
  if (!only) return nothing;
  if (stored.length === 1) return html`<a class="button" href=${toHistoryAddress(only)}>History</a>`;
  return html`<details class="menu">
    <summary class="button">History</summary>
    <div class="menu-body actions row">${stored.map(asked => html`<a class="button" href=${toHistoryAddress(asked)}>${light(asked.source)}${names[asked.source].short}, ${asked.strategy}</a>`)}</div>
  </details>`;
}

/** Returns the shortest link to the displayed result: by its id, or the current URL. */
const linkOf = ({ bodies }: AnswerState): string => {
  const ids = idsOf(bodies);
  return ids.length === 1 ? `r/${ids[0]}` : location.href;
};

/** Warns about a copied link that only a browser on this machine can open. */
const linkNote = ({ isCopied }: AnswerState) =>
  isCopied && /^(?:(?:.*\.)?localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname)
    ? html`<span class="quiet small link-note">The link opens on this machine only.</span>`
    : nothing;

/** Links to the schedule form with its fields filled in. */
function watchLink({ answer, request }: AnswerState) {
  const [first] = columnsOf(answer).flatMap(({ part }) => (part.ok && part.result.id ? [part.result] : []));
  return first
    ? html`<a href=${toWatchAddress({ ...toWatched(request), urls: [first.url], like: first.conditions && first.id })}>Watch<span class="unseen"> this page</span></a>`
    : nothing;
}

const sayChange = ({ status, fetched_at: at, before, after }: HistoryChange): string =>
  `${statusWords[status]} since ${sayShortTime(at)}: ${sayHistoryValue(before, 'point')} → ${sayHistoryValue(after, 'point')}`;

/** Links to the last change of the page or, without one, to the changes since the previous result. */
const previousLinks = ({ answer, notes, previous = {} }: AnswerState, names: SideNames) =>
  notes
    ? nothing
    : columnsOf(answer).flatMap(({ part, source, strategy }, _, columns) => {
        const id = part.ok ? part.result.id : undefined;
        const earlier = id && previous[id];
        if (!earlier) return [];
        const which = columns.length > 1 ? ` (${names[source].short}, ${strategy})` : '';
        const words = earlier.change ? sayChange(earlier.change) : 'Compare with the previous result';
        return [html`<a href=${toChangeAddress(earlier.sides)}>${words}${which}</a> `];
      });

/** Returns the state and actions of one side's details. */
const toLooking = (state: AnswerState, { part }: Pick<Column, 'part'>, actions: Actions): Looking | undefined =>
  part.ok ? lookAt(state, part.result, actions) : undefined;

const lookAt = ({ looks }: AnswerState, result: Result, { look, load, ...actions }: Actions): Looking => {
  const key = lookKey(result);
  return createLooking({
    name: key,
    look: looks[key] ?? noLook,
    change: change => look(key, change),
    load: () => load(result),
    askWhatIf: () => actions.askWhatIf(result),
    measureWhatIf: () => actions.measureWhatIf(result),
  });
};

/** Returns the state and actions of two measured sides: opening a part loads it for both. */
function toBothLooking(state: AnswerState, { psi, lighthouse }: Pairing, actions: Actions): BothLooking | undefined {
  if (!psi.ok || !lighthouse.ok) return undefined;
  const remote = lookAt(state, psi.result, actions);
  const load = () => {
    actions.load(psi.result);
    actions.load(lighthouse.result);
  };
  const local = lookAt(state, lighthouse.result, { ...actions, load });
  return { psi: { ...remote, load }, lighthouse: local };
}

export function answerView(state: AnswerState, names: SideNames, actions: Actions) {
  const { answer, request } = state;
  return html`
  <div class="result-top row">
    <h2 class="unseen" tabindex="-1">Result for <span class="url">${request.urls[0]}</span></h2>
    <div class="actions row">
      <button type="button" class="copy" @click=${() => actions.copyLink(linkOf(state))}>${state.isCopied === undefined ? 'Copy link' : state.isCopied ? 'Copied' : 'Not copied'}</button>
      ${historyLinks(state, names)} ${downloadMenu(state, names, actions)} ${linkNote(state)}
    </div>
    ${idsOf(state.bodies).length > 0 ? html`<p class="small previous row">${previousLinks(state, names)} ${watchLink(state)}</p>` : nothing}
  </div>
  ${fileFailures(state, names)}
  ${state.notes?.map(note => changeNoteView(note, names)) ?? nothing}
  ${
    answer.kind === 'comparisons'
      ? answer.pairings.map(pairing => pairingView(pairing, names, toBothLooking(state, pairing, actions)))
      : html`<div class="columns">${answer.columns.map(column => columnView(column, names, toLooking(state, column, actions)))}</div>`
  }`;
}
