/** How a page developed: one value at a time, with what changed and why there is nothing. */
import { html, nothing, svg } from 'lit-html';
import { toChangeAddress } from '../../../client/change.ts';
import { type HistoryRequest, toHistoryAddress } from '../../../client/history.ts';
import { withIds } from '../../../client/kept-result.ts';
import { toAddress } from '../../../client/page-request.ts';
import type { History } from '../../../contract/history.ts';
import { categoryNames } from '../../../contract/names.ts';
import type { FailureReason } from '../../../presentation/failure-reason.ts';
import {
  type Chart,
  type ChartPoint,
  chartMetrics,
  type HistoryMetric,
  nameOfMetric,
  sayChange,
  sayDiffers,
  sayHistoryValue,
  toChart,
} from '../../../presentation/history-chart.ts';
import { counted } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { failureView } from '../../views/failure-view.ts';
import { sideClass, sideName } from '../../views/marks.ts';

export type HistoryState = {
  readonly asked: HistoryRequest;
  readonly histories?: readonly History[];
  readonly failure?: FailureReason;
  readonly metric: HistoryMetric;
  /** Ids of results to be compared: none, one or two. */
  readonly marked?: readonly string[];
};

/** Marks one, or takes its mark away. A third takes the place of the first. */
export const toMarked = (marked: readonly string[], id: string): readonly string[] =>
  marked.includes(id) ? marked.filter(known => known !== id) : [...marked, id].slice(-2);

export type HistoryActions = {
  readonly chooseMetric: (metric: HistoryMetric) => void;
  readonly mark: (id: string) => void;
};

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const sayTime = (iso: string): string => clock.format(new Date(iso));

const pointAddress = ({ url, source, strategy }: HistoryRequest, id: string): string =>
  withIds(
    toAddress({ urls: [url], backend: source === 'psi' ? 'remote' : 'local', strategy, categories: categoryNames }),
    [id],
  );

const sayPoint = ({ time, value, label, runs }: ChartPoint, { unit }: History): string =>
  [sayTime(time), sayHistoryValue(value, unit), runs > 1 ? `median of ${runs} runs` : '', label ?? '']
    .filter(Boolean)
    .join(', ');

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

type Marking = Pick<HistoryState, 'asked' | 'marked'> & Pick<HistoryActions, 'mark'>;

/** The second mark leads on: the focus goes to the link that compares the two. */
function markOne(event: Event, id: string, mark: HistoryActions['mark']): void {
  event.preventDefault();
  const section = (event.currentTarget as Element).closest('.history');
  mark(id);
  section?.querySelector<HTMLElement>('.marked a')?.focus();
}

/** Left and right move from one result to the next; Enter opens it, as with any link; with Shift it marks it. */
const moveFocus = (points: readonly ChartPoint[], mark: HistoryActions['mark']) => (event: KeyboardEvent) => {
  const links = [...(event.currentTarget as Element).querySelectorAll<SVGAElement>('a')];
  const at = links.indexOf(event.target as SVGAElement);
  const point = points[at];
  if (event.key === 'Enter' && event.shiftKey && point) return markOne(event, point.id, mark);
  const step = steps[event.key];
  if (step === undefined || at < 0) return;
  event.preventDefault();
  links[at + step]?.focus();
};

const pointView = (
  point: ChartPoint,
  history: History,
  { asked, marked = [], mark }: Marking,
) => svg`<a href=${pointAddress(asked, point.id)} data-marked=${marked.includes(point.id) ? 'true' : 'false'} aria-label="${sayPoint(point, history)}${marked.includes(point.id) ? ', marked' : ''}" @click=${(event: MouseEvent) => event.shiftKey && markOne(event, point.id, mark)}>
  <circle class="reach" cx="${point.x}%" cy="${point.y}%" r="11" />
  <circle class="point" cx="${point.x}%" cy="${point.y}%" r="4.5" />
  <title>${sayPoint(point, history)}</title>
</a>`;

const drawing = (chart: Chart, history: History, marking: Marking) => {
  const { source } = marking.asked;
  return html`<div class="chart-frame">
  <span class="chart-end small quiet number">${sayHistoryValue(chart.high, history.unit)}</span>
  <svg class="chart ${sideClass(source)}" role="group" aria-label="Results in time's order" @keydown=${moveFocus(chart.points, marking.mark)}>
    ${chart.gaps.map(({ from, to, words }) => svg`<rect class="gap" x="${from - 0.4}%" width="${to - from + 0.8}%" y="0" height="100%"><title>${words}</title></rect>`)}
    ${chart.changes.map(({ x, status }) => svg`<line class="change" data-status=${status} x1="${x}%" x2="${x}%" y1="0" y2="100%" />`)}
    ${chart.steps.map(({ from, to, y }) => svg`<line class="median" x1="${from - 0.6}%" x2="${to + 0.6}%" y1="${y}%" y2="${y}%" />`)}
    ${chart.labels.map(({ x, label }) => svg`<line class="tick" x1="${x}%" x2="${x}%" y1="94%" y2="100%"><title>${label}</title></line>`)}
    ${chart.points.map(point => pointView(point, history, marking))}
  </svg>
  <span class="chart-end small quiet number">${sayHistoryValue(chart.low, history.unit)}</span>
  <p class="chart-times small quiet"><span>${sayTime(chart.points[0]?.time ?? '')}</span><span>${chart.points.length > 1 ? sayTime(chart.points.at(-1)?.time ?? '') : nothing}</span></p>
</div>`;
};

const changesView = (history: History) => html`<section>
  <h3>What changed</h3>
  ${
    history.change_points.length === 0
      ? html`<p class="quiet">Nothing for longer than a moment. It takes at least four results to tell.</p>`
      : html`<ul class="plain changes">${history.change_points.map(change => {
          const differs = sayDiffers(change);
          return html`<li data-status=${change.status}><strong>${sayTime(change.time)}</strong>, ${sayChange(change, history)}
            <a href=${toChangeAddress({ before: change.previous_id, after: change.id })}>Compare the results on both sides<span class="unseen"> of ${sayTime(change.time)}</span></a>
            ${differs ? html`<p class="small quiet">Not the same on both sides, so a possible cause: ${differs}</p>` : nothing}</li>`;
        })}</ul>`
  }
  ${history.gaps.length > 0 ? html`<h3>Gaps</h3><ul>${history.gaps.map(({ explanation }) => html`<li>${explanation}</li>`)}</ul>` : nothing}
  ${history.is_complete ? nothing : html`<p class="small quiet">There are more results: these are the newest 10,000.</p>`}
</section>`;

const tableView = (chart: Chart, history: History, { asked, marked = [], mark }: Marking) => html`<details class="fold">
  <summary>All ${counted(chart.points.length, 'result')} as a table</summary>
  <div class="scroll tall" role="group" aria-label="All results" tabindex="0">
    <table class="details">
      <thead><tr><th scope="col">Measured</th><th scope="col">${nameOfMetric(history.metric)}</th><th scope="col">Label</th><th scope="col">Lighthouse</th><th scope="col">Mark</th></tr></thead>
      <tbody>${history.points.toReversed().map(
        ({ id, time, value, label, lighthouse_version: version }) => html`<tr>
          <th scope="row"><a href=${pointAddress(asked, id)}>${sayTime(time)}</a></th>
          <td class="number">${sayHistoryValue(value, history.unit)}</td>
          <td>${label ?? ''}</td>
          <td>${version ?? ''}</td>
          <td><label class="mark-box"><input type="checkbox" .checked=${marked.includes(id)} @change=${() => mark(id)}><span class="unseen">Mark the result of ${sayTime(time)} for a comparison</span></label></td>
        </tr>`,
      )}</tbody>
    </table>
  </div>
</details>`;

const labelsView = ({ labels }: Chart) =>
  labels.length === 0
    ? nothing
    : html`<p class="small quiet">Labels, each from its mark on the axis on: ${labels.map(({ label }, at) => html`${at > 0 ? ', ' : ''}<span class="label">${label}</span>`)}</p>`;

const emptyView = (history: History) => html`<p class="notice">No result of this page is kept here yet.
  Measure it, or look under the other device or the other side.</p>
  ${history.gaps.map(({ explanation }) => html`<p>${explanation}</p>`)}`;

/** What is marked, and the way to the comparison of two. */
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

function chartView(history: History, marking: Marking) {
  const chart = toChart(history);
  if (!chart) return emptyView(history);
  const last = chart.points.at(-1);
  return html`
    <p class="facts-line">${counted(chart.points.length, 'result')}, median ${sayHistoryValue(history.median, history.unit)}, last ${sayHistoryValue(last?.value ?? null, history.unit)}</p>
    ${drawing(chart, history, marking)} ${markedView(chart, history, marking)} ${labelsView(chart)}
    <p class="small quiet">A point is a result, or the median of several runs. The line is the median between two changes. Left and right move, Enter opens, Shift and Enter mark: two marked results can be compared.</p>
    ${changesView(history)} ${tableView(chart, history, marking)}`;
}

const metricChoice = (
  { metric, histories = [] }: HistoryState,
  { chooseMetric }: HistoryActions,
) => html`<div class="chips" role="group" aria-label="Value">
  ${chartMetrics.map(
    name =>
      html`<button type="button" class="chip" ?disabled=${histories.length === 0} aria-pressed=${metric === name ? 'true' : 'false'} @click=${() => chooseMetric(name)}>${nameOfMetric(name)}</button>`,
  )}
</div>`;

const other = (asked: HistoryRequest, names: SideNames) => {
  const device = asked.strategy === 'mobile' ? 'desktop' : 'mobile';
  const source = asked.source === 'psi' ? 'lighthouse' : 'psi';
  return html`<p class="small">The same of this page:
    <a href=${toHistoryAddress({ ...asked, strategy: device })}>${device}</a>,
    <a href=${toHistoryAddress({ ...asked, source })}>${names[source].short}</a>. <a href=${toChangeAddress({ before: '', after: '', url: asked.url })}>Compare two labels</a></p>`;
};

function bodyView(state: HistoryState, names: SideNames, { mark }: HistoryActions) {
  const { histories, failure, metric } = state;
  if (failure) return failureView(failure, names);
  const history = histories?.find(entry => entry.metric === metric);
  return history ? chartView(history, { ...state, mark }) : html`<p class="quiet">Loading the history …</p>`;
}

export const historyView = (state: HistoryState, names: SideNames, actions: HistoryActions) => html`
  <section class="sheet history">
    <h2 tabindex="-1"><span class="quiet">History of</span> <span class="url">${state.asked.url}</span></h2>
    <p>${sideName(state.asked.source, names)} <span class="quiet">${state.asked.strategy}</span></p>
    ${metricChoice(state, actions)} ${bodyView(state, names, actions)} ${other(state.asked, names)}
  </section>`;
