import { html, nothing, svg } from 'lit-html';
import { keyed } from 'lit-html/directives/keyed.js';
import { withIds } from '../../../client/kept-result.ts';
import { type PageRequest, toAddress } from '../../../client/page-request.ts';
import { hasEnded, isFailedRow, type Row } from '../../../client/run-batch.ts';
import type { Column } from '../../../presentation/answer.ts';
import { toDownloadName } from '../../../presentation/download-name.ts';
import { toWords } from '../../../presentation/errors-in-words.ts';
import type { FailureReason } from '../../../presentation/failure-reason.ts';
import { rateScore } from '../../../presentation/metric-range.ts';
import { absent, counted } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { pairingView } from '../../views/comparison/compare-view.ts';
import { failureView } from '../../views/failure-view.ts';
import { ratedValue, sideLight } from '../../views/marks.ts';
import { columnView } from '../../views/result/result-view.ts';
import { download } from '../files/download.ts';
import { cancelButton, elapsedView } from '../progress/progress-view.ts';
import { isMetric, keysOf, labelOf, sayValue, type ValueKey } from './batch-keys.ts';
import {
  countKind,
  filterLines,
  type Line,
  type ListFilter,
  nextSorting,
  orderLines,
  readValue,
  type ShownKind,
  type Sorting,
  type SortKey,
  shownKinds,
  toBatchCsv,
  toBatchJson,
  toLines,
} from './batch-table.ts';
import { commonView, totalsView } from './batch-totals-view.ts';

export type BatchState = {
  readonly request: PageRequest;
  readonly rows: readonly Row[];
  readonly isRunning: boolean;
  readonly isCancelled: boolean;
  readonly failure?: FailureReason;
  readonly sorting: Sorting;
  readonly filter: ListFilter;
  /** Lines whose details are open. */
  readonly opened: ReadonlySet<string>;
  readonly seconds: number;
  /** How many lines are drawn. */
  readonly shown: number;
  /** Pictures of the pages are kept, and reached without a key. */
  readonly hasPictures: boolean;
};

export type BatchActions = {
  readonly cancel: () => void;
  readonly again: () => void;
  readonly sort: (sorting: Sorting) => void;
  readonly filter: (filter: ListFilter) => void;
  readonly toggle: (line: string) => void;
  readonly showMore: (lines: number) => void;
};

/** Lines that are drawn at first, and how many come with each press. */
export const linesAtOnce = 100;

const lineName = ({ row, strategy }: Line): string => `${row.index}-${strategy}`;

/** @param names where a cell holds both sides and has to tell which is which */
const sideValue = ({ source, part }: Column, key: ValueKey, names: SideNames | undefined) => {
  const value = readValue(part, key);
  const side = names ? sideLight(source, names) : nothing;
  if (value === null)
    return html`<span>${side}${absent}<span class="unseen">${part.ok ? 'not measured' : 'failed'}</span></span>`;
  const rating = isMetric(key) ? (part.ok ? part.result.metrics[key].rating : null) : rateScore(value);
  return html`<span>${side}${ratedValue(sayValue(value, key), rating)}</span>`;
};

const headCell = (key: SortKey, sorting: Sorting, sort: BatchActions['sort']) => {
  const isSorted = sorting.by === key;
  // Worst first is upwards for a score and downwards for a time.
  const isUpwards = isMetric(key) || key === 'page' ? !sorting.isDescending : sorting.isDescending;
  const order = isUpwards ? 'ascending' : 'descending';
  return html`<th role="columnheader" scope="col" aria-sort=${isSorted ? order : nothing}>
    <button type="button" class="sort" @click=${() => sort(nextSorting(sorting, key))}>
      ${labelOf(key)}<span aria-hidden="true" class="arrow">${isSorted ? (order === 'ascending' ? '↑' : '↓') : ''}</span>
    </button>
  </th>`;
};

const failureOf = ({ row, columns }: Line): FailureReason | undefined =>
  row.failure ?? columns.flatMap(({ part }) => (part.ok ? [] : [part.failure]))[0];

const stateView = (line: Line) => {
  const failure = line.hasFailed ? failureOf(line) : undefined;
  if (failure) return html`<strong class="line-failure">${toWords(failure).heading}</strong>`;
  if (line.row.state === 'running') return html`<span class="quiet">${line.row.said ?? ''}</span>`;
  if (line.row.state === 'queued') return html`<span class="quiet">Queued</span>`;
  return line.row.state === 'unmeasured' ? html`<span class="quiet">Not measured</span>` : nothing;
};

const openedView = ({ row, strategy, columns }: Line, names: SideNames) => {
  if (row.failure) return failureView(row.failure, names);
  if (row.answer?.kind === 'comparisons')
    return row.answer.pairings
      .filter(pairing => pairing.strategy === strategy)
      .map(pairing => pairingView(pairing, names));
  return columns.map(column => columnView(column, names));
};

/** To its kept result where there is one; else it is measured. */
const addressOf = ({ row, strategy, columns }: Line, request: PageRequest): string => {
  const ids = request.backend === 'compare' ? [] : columns.flatMap(({ part }) => (part.ok && part.result.id) || []);
  return withIds(toAddress({ ...request, urls: [row.url], strategy }), ids);
};

/** The page at the end of its load, small. Its room is there before it is. */
const thumbView = ({ columns }: Line) => {
  const [picture] = columns.flatMap(({ part }) => (part.ok && part.result.links?.screenshot) || []);
  return html`<span class="thumb">${
    picture === undefined
      ? nothing
      : // Lines change places by changing what they show: no picture of another page may stay until the next is there.
        keyed(
          picture,
          html`<img src=${picture.replace(/^\//, '')} alt="" width="56" height="56" loading="lazy" decoding="async">`,
        )
  }</span>`;
};

const lineView = (line: Line, state: BatchState, names: SideNames, { toggle }: BatchActions) => {
  const { request, opened } = state;
  const keys = keysOf(request);
  const name = lineName(line);
  const isOpen = opened.has(name);
  const hasDetails = line.row.state === 'done';
  const pairNames = request.backend === 'compare' ? names : undefined;
  return html`<tr role="row" data-state=${line.hasFailed ? 'failed' : line.row.state}>
      <th role="rowheader" scope="row"><div class="line-page">
        ${state.hasPictures ? thumbView(line) : nothing}
        <div class="line-words">
          <a class="url" href=${addressOf(line, request)}>${line.row.url}</a>
          ${request.strategy === 'both' ? html`<span class="quiet small">${line.strategy}</span>` : nothing}
          <span class="line-state small">${stateView(line)}</span>
        </div>
      </div></th>
      ${keys.map(
        key =>
          html`<td role="cell"><span class="cell-label" aria-hidden="true">${labelOf(key)}</span>${
            line.columns.length > 0 && !line.hasFailed
              ? line.columns.map(column => sideValue(column, key, pairNames))
              : absent
          }</td>`,
      )}
      <td role="cell">
        <button type="button" class="more" ?disabled=${!hasDetails} aria-expanded=${isOpen ? 'true' : 'false'} @click=${() => toggle(name)}>
          ${isOpen ? 'Close' : 'Details'}<span class="unseen"> of ${line.row.url} ${line.strategy}</span>
        </button>
      </td>
    </tr>
    ${isOpen ? html`<tr role="row" class="opened"><td role="cell" colspan=${keys.length + 2}>${openedView(line, names)}</td></tr>` : nothing}`;
};

const barView = (rows: readonly Row[]) => {
  const ended = rows.filter(hasEnded);
  const failed = ended.filter(isFailedRow).length;
  const percent = (count: number) => `${(100 * count) / rows.length}%`;
  const done = ended.filter(row => row.state === 'done' && !isFailedRow(row)).length;
  return html`<svg class="bar" role="progressbar" aria-label="Pages measured" aria-valuemin="0" aria-valuemax=${rows.length} aria-valuenow=${done + failed}>
    ${svg`<rect class="moving" data-state="done" width=${percent(done)} height="10" /><rect class="moving" data-state="failed" x=${percent(done)} width=${percent(failed)} height="10" />`}
  </svg>`;
};

export const sayBatch = (rows: readonly Row[]): string => {
  const failed = rows.filter(isFailedRow).length;
  const done = rows.filter(row => row.state === 'done').length;
  return `${done} of ${counted(rows.length, 'page')}${failed > 0 ? `, ${failed} failed` : ''}`;
};

const files = ({ rows, request }: BatchState) => {
  const save = (extension: string, type: string, text: () => string) => () =>
    download(toDownloadName(request.urls, new Date(), extension), type, text());
  return html`
    <button type="button" @click=${save('csv', 'text/csv;charset=utf-8', () => toBatchCsv(rows, request))}>Save as CSV</button>
    <button type="button" @click=${save('json', 'application/json', () => toBatchJson(rows, request))}>Save as JSON</button>`;
};

const kindWords: Readonly<Record<ShownKind, string>> = { all: 'All', poor: 'With a poor score', failed: 'Failed' };

const filterView = (
  lines: readonly Line[],
  { filter }: BatchState,
  actions: BatchActions,
) => html`<div class="request-filter">
  <div class="chips" role="group" aria-label="Which pages">
    ${shownKinds.map(
      kind =>
        html`<button type="button" class="chip" aria-pressed=${filter.kind === kind ? 'true' : 'false'} @click=${() => actions.filter({ ...filter, kind })}>${kindWords[kind]} <span class="quiet number">${countKind(lines, kind)}</span></button>`,
    )}
  </div>
  <label><span class="unseen">Search in pages</span>
    <input type="search" placeholder="Search in addresses" autocomplete="off" spellcheck="false" .value=${filter.search} @input=${(event: Event) => actions.filter({ ...filter, search: (event.target as HTMLInputElement).value })}></label>
</div>`;

const sayOrder = ({ sorting, isRunning }: BatchState): string => {
  if (sorting.by === 'order') return isRunning ? 'In the order given' : 'Results';
  return 'Results';
};

/** What is not drawn yet: a long list stays quick, and its files have all of it. */
const moreView = (lines: readonly Line[], shown: number, { showMore }: BatchActions) => {
  const left = lines.length - shown;
  if (left <= 0) return nothing;
  return html`<p class="actions more-lines">
    <button type="button" @click=${() => showMore(shown + linesAtOnce)}>Show ${Math.min(left, linesAtOnce)} more</button>
    ${left > linesAtOnce ? html`<button type="button" @click=${() => showMore(lines.length)}>Show all ${lines.length}</button>` : nothing}
    <span class="quiet small number">${shown} of ${lines.length} are shown</span>
  </p>`;
};

/** A list of pages: how far it is, and its table, whose rows are there from the start. */
export function batchView(state: BatchState, names: SideNames, actions: BatchActions) {
  const { request, rows, isRunning, isCancelled, failure, sorting, seconds, filter, shown } = state;
  const all = toLines(rows, request);
  const lines = orderLines(filterLines(all, filter), sorting);
  const headings: SortKey[] = ['page', ...keysOf(request)];
  return html`
    <section class="sheet progress" aria-label="Progress">
      <div class="progress-top">
        <h2 tabindex="-1">${isRunning ? 'Measuring' : isCancelled ? 'Cancelled after' : 'Measured'} <span class="quiet">${sayBatch(rows)}</span></h2>
        <p class="progress-tools">${elapsedView(seconds)} ${isRunning ? cancelButton(actions.cancel) : html`<button type="button" @click=${actions.again}>Measure again</button>`}</p>
      </div>
      ${barView(rows)}
      ${failure ? failureView(failure, names) : nothing}
    </section>
    ${totalsView({ rows, lines: all, request }, names)}
    <section class="sheet">
      <div class="batch-top"><h3>${sayOrder(state)}</h3><div class="actions">${files(state)}</div></div>
      ${filterView(all, state, actions)}
      ${lines.length === 0 ? html`<p class="notice">No page fits. Choose another kind, or search for less.</p>` : nothing}
      <div class="scroll">
        <table class="batch" data-state=${isRunning ? 'running' : nothing} role="table">
          <caption class="unseen">Pages with their scores and metrics</caption>
          <thead role="rowgroup"><tr role="row">
            ${headings.map(key => headCell(key, sorting, actions.sort))}
            <th role="columnheader" scope="col"><span class="unseen">Details</span></th>
          </tr></thead>
          <tbody role="rowgroup">${lines.slice(0, shown).map(line => lineView(line, state, names, actions))}</tbody>
        </table>
      </div>
      ${moreView(lines, shown, actions)}
    </section>
    ${isRunning ? nothing : commonView({ rows, lines: all, request })}`;
}
