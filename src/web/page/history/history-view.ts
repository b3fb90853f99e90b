/** View of the history of a page: one value at a time, its changes, and its gaps. */

import { html, nothing, svg } from 'lit-html';
import { toChangeAddress } from '../../../api-client/stored/change.ts';
import { type HistoryRequest, toHistoryAddress } from '../../../api-client/stored/history.ts';
import { toWatchAddress } from '../../../api-client/stored/home.ts';
import type { History } from '../../../contract/stored/history.ts';
import { type FieldPoint, fieldValuesOf } from '../../../presentation/charts/field-points.ts';
import {
  type Chart,
  chartMetrics,
  type HistoryEvent,
  mostPoints,
  sayDiffers,
  sayEvent,
  sayMachineChange,
  sayNotes,
  sidesOf,
  toChart,
  toEvents,
} from '../../../presentation/charts/history-chart.ts';
import { counted } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { nameOfMetric, sayHistoryValue, sayNoPoints, sayOutside } from '../../../presentation/words.ts';
import { failureView } from '../../views/failure-view.ts';
import { detailsTable, disturbedMark, ratedValue, sayTime, sideName, valuesRow } from '../../views/marks.ts';
import type { Actions } from '../session/actions.ts';
import { drawing, type HistoryState, type Marking, pointAddress, polyline, sayPoint } from './chart-view.ts';

/** Returns the histories that are loaded, the most important value first. */
const inOrder = (histories: readonly History[]): readonly History[] =>
  chartMetrics.flatMap(name => histories.find(({ metric }) => metric === name) ?? []);

/** Displays the notes at a change. */
const notesView = ({ notes }: Pick<History, 'notes'>) =>
  notes.length === 0
    ? nothing
    : html`<p class="small">Noted at this time: ${notes.map((note, at) => {
        const words = sayNotes({ notes: [note] }, sayTime);
        return html`${at > 0 ? ', ' : ''}${note.link === null ? words : html`<a href=${note.link} rel="noreferrer">${words}</a>`}`;
      })}</p>`;

function changesView(history: History, events: readonly HistoryEvent[], causes: HistoryState['causes'] = {}) {
  const { possible_change: possible, points } = history;
  return html`<section>
  <h3>What changed</h3>
  ${possible ? html`<p><strong>Possible change since ${sayTime(possible.fetched_at)}</strong>, ${possible.status}: ${sayOutside(history, possible.value)} More results will settle it.</p>` : nothing}
  ${
    events.length === 0
      ? possible
        ? nothing
        : html`<p class="quiet">No lasting change.${points.length < 5 ? ' Detecting one takes at least five results.' : ''}</p>`
      : html`<ul class="plain changes">${events.map(event => {
          const { change } = event;
          const differs = sayDiffers(change);
          return html`<li data-status=${change.status}><strong>${sayTime(change.fetched_at)}</strong>, ${sayEvent(event, history)}. ${causes[change.id] ? html`<strong>${causes[change.id]}</strong> ` : nothing}<a href=${toChangeAddress(sidesOf(history, change))}>Compare the results on both sides<span class="unseen"> of ${sayTime(change.fetched_at)}</span></a>
            ${differs ? html`<p class="small quiet">Not the same on both sides, so a possible cause: ${differs}</p>` : nothing}${notesView(change)}</li>`;
        })}</ul>`
  }
  ${history.machine_changes.map(change => html`<p class="small quiet">${sayTime(change.fetched_at)}: ${sayMachineChange(change, history)}</p>`)}
  ${history.gaps.length > 0 ? html`<h3>Gaps</h3><ul>${history.gaps.map(({ explanation }) => html`<li>${explanation}</li>`)}</ul>` : nothing}
  ${history.is_complete ? nothing : html`<p class="small quiet">There are more results: these are the newest 10,000.</p>`}
</section>`;
}

const tableView = (chart: Chart, history: History, { asked, marked = [], mark }: Marking) => html`<details class="fold">
  <summary>${chart.points.length > mostPoints ? 'The newest' : 'All'} ${counted(Math.min(mostPoints, chart.points.length), 'result')} as a table</summary>
  ${detailsTable(
    'All results',
    ['Measured', nameOfMetric(history.metric), 'Label', 'Lighthouse', 'Mark'],
    history.points
      .slice(-mostPoints)
      .toReversed()
      .map(({ id, ids, fetched_at: time, value, label, disturbed, lighthouse_version: version }) =>
        valuesRow(html`<a href=${pointAddress(asked, id, ids.length)}>${sayTime(time)}</a>`, [
          html`${sayHistoryValue(value, history.unit)}${disturbed === true ? disturbedMark : nothing}`,
          ...[label ?? '', version ?? ''],
          html`<label class="mark-box"><input type="checkbox" .checked=${marked.includes(id)} @change=${() => mark(id)}><span class="unseen">Mark the result of ${sayTime(time)} for a comparison</span></label>`,
        ]),
      ),
    'tall',
  )}
</details>`;

const emptyView = (history: History) => html`<p class="notice">${sayNoPoints(history)}
  Measure it, or select the other device or source.</p>
  ${history.gaps.map(({ explanation }) => html`<p>${explanation}</p>`)}`;

/** Displays the marked results, and the link to their comparison. */
function markedView(chart: Chart, history: History, { marked = [] }: Marking) {
  const points = chart.points.filter(({ id }) => marked.includes(id));
  const [before, after] = points;
  if (!before) return nothing;
  const words = points.map(point => sayPoint(point, history)).join('; ');
  return html`<p class="notice marked">Marked: ${words}. ${
    after
      ? html`<a href=${toChangeAddress({ before: before.id, after: after.id })}>Compare the two marked results</a>`
      : 'Mark another one to compare the two.'
  }</p>`;
}

/** Describes the newest and the oldest field value. */
function fieldView(history: History, points: readonly FieldPoint[]) {
  const values = fieldValuesOf(history, points);
  const { unit } = history;
  const [first, last] = [values[0], values.at(-1)];
  if (!first || !last) return nothing;
  const say = (value: number) => sayHistoryValue(value, unit);
  const visits =
    last.scope === 'url' ? 'Three out of four visits to this page' : 'Three out of four visits to the whole site';
  return html`<p class="field-line"><svg width="24" height="8" aria-hidden="true"><line class="field" x1="0" x2="100%" y1="4" y2="4" /></svg>
    Field: ${ratedValue(say(last.p75), last.rating)} <span class="quiet">${visits} had this value or better, as Google reported on ${sayTime(last.time)}${first === last ? '' : `; ${say(first.p75)} on ${sayTime(first.time)}`}.</span></p>`;
}

function chartView(
  history: History,
  marking: Marking,
  { field = [], histories = [], causes }: Pick<HistoryState, 'field' | 'histories' | 'causes'>,
) {
  const events = toEvents([history, ...inOrder(histories)]);
  const chart = toChart(history, events, field);
  if (!chart) return emptyView(history);
  const [last, now] = [chart.points.at(-1), chart.steps.at(-1)];
  const isMoved = chart.steps.length > 1;
  return html`
    <p class="facts-line">${counted(chart.points.length, 'result')}, median ${isMoved ? 'since the last change ' : ''}${sayHistoryValue(isMoved && now ? now.median : history.median, history.unit)}, last ${sayHistoryValue(last?.value ?? null, history.unit)}${last?.isDisturbed === true ? disturbedMark : nothing}</p>
    ${drawing(chart, history, marking)} ${fieldView(history, field)} ${markedView(chart, history, marking)}
    <p class="small quiet">${chart.points.length > mostPoints ? html`The line has every result; about ${mostPoints.toLocaleString('en')} of them are points. ` : nothing}Click or Enter opens a result. Shift with either marks it: two marked results can be compared.</p>
    ${changesView(history, events, causes)} ${tableView(chart, history, marking)}`;
}

/**
 * Draws all values of a history as one line, so that thousands of results are as fast as few.
 * @param events changes of every value
 */
const miniView = (history: History | undefined, events: readonly HistoryEvent[]) => {
  const chart = history && toChart(history, events);
  if (!chart) return html`<svg class="mini-chart" aria-hidden="true"></svg>`;
  return html`<svg class="mini-chart" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
    ${svg`${polyline(chart.points)}${chart.changes.map(({ x, status }) => svg`<line class="change" data-status=${status} x1=${x} x2=${x} y1="0" y2="100" />`)}${chart.notes.map(({ x }) => svg`<line class="note" x1=${x} x2=${x} y1="0" y2="100" />`)}`}
  </svg>`;
};

/**
 * Displays every value as a small chart with its last value and its changes; each selects the large chart. Without a
 * history they stay focusable: at narrow widths the row scrolls, and must be reachable by keyboard.
 */
const metricChoice = ({ metric, histories = [] }: HistoryState, { chooseMetric }: Actions) => {
  const known = inOrder(histories);
  const events = toEvents(known);
  return html`<div class="chips row minis" role="group" aria-label="Value">
  ${chartMetrics.map(name => {
    const own = known.find(history => history.metric === name);
    const last = own?.points.at(-1);
    return html`<button type="button" class="chip mini" aria-disabled=${histories.length === 0 ? 'true' : nothing} aria-pressed=${metric === name ? 'true' : 'false'} @click=${() => histories.length > 0 && chooseMetric(name)}><span>${nameOfMetric(name)}</span><strong class="number">${own && last ? sayHistoryValue(last.value, own.unit) : ''}</strong>${miniView(own, events)}</button>`;
  })}
</div>`;
};

const other = ({ asked: shown, metric, histories }: HistoryState, names: SideNames) => {
  const asked: HistoryRequest = { ...shown, metric };
  const like = asked.conditions ? histories?.[0]?.points.at(-1)?.id : undefined;
  const device = asked.strategy === 'mobile' ? 'desktop' : 'mobile';
  const source = asked.source === 'psi' ? 'lighthouse' : 'psi';
  return html`<p class="small">Other histories of this page:
    <a href=${toHistoryAddress({ ...asked, strategy: device })}>${device}</a>,
    <a href=${toHistoryAddress({ ...asked, source })}>${names[source].short}</a>. <a href=${toChangeAddress({ before: '', after: '', url: asked.url })}>Compare two labels</a>. <a href=${toWatchAddress({ ...asked, urls: [asked.url], like })}>Watch this page</a></p>`;
};

function bodyView(state: HistoryState, names: SideNames, { mark }: Actions) {
  const { histories, failure, metric } = state;
  if (failure) return failureView(failure, names);
  const history = histories?.find(entry => entry.metric === metric);
  return history ? chartView(history, { ...state, mark }, state) : html`<p class="quiet">Loading the history …</p>`;
}

const isEmpty = ({ failure, histories }: HistoryState): boolean =>
  histories ? histories.every(({ points }) => points.length === 0) : failure !== undefined;

export const historyView = (state: HistoryState, names: SideNames, actions: Actions) => html`
  <section class="sheet history stack">
    <h2 tabindex="-1"><span class="quiet">History of</span> <span class="url">${state.asked.url}</span></h2>
    <p>${sideName(state.asked.source, names)} <span class="quiet">${state.asked.strategy}</span></p>
    ${isEmpty(state) ? nothing : metricChoice(state, actions)} ${bodyView(state, names, actions)}
    ${state.histories || state.failure ? other(state, names) : nothing}
  </section>`;
