/** View of a list of pages: its progress, and its table, whose rows exist from the start. */

import { html, nothing, svg } from 'lit-html';
import { hasEnded, isFailedRow, type Row, unmeasuredOf } from '../../../api-client/run-batch.ts';
import { toWatched } from '../../../api-client/stored/home.ts';
import { counted } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { isTableMetric } from '../../../presentation/words.ts';
import { failureView } from '../../views/failure-view.ts';
import { richText, searchField } from '../../views/marks.ts';
import { download } from '../download.ts';
import { cancelButton, elapsedView } from '../progress-view.ts';
import type { Actions } from '../session/actions.ts';
import {
  type BatchState,
  countKind,
  filterLines,
  keysOf,
  labelOf,
  linesAtOnce,
  nextSorting,
  orderLines,
  type ShownKind,
  type Sorting,
  type SortKey,
  shownKinds,
  type TableLine,
  toBatchCsv,
  toBatchJson,
  toLines,
  wholeList,
} from './batch-table.ts';
import { commonView, templatesView, totalsView } from './batch-totals-view.ts';
import { sayBatch, sayBatchPhase, sayKept, sayOrder, sayTimeLeft, sharedHost } from './batch-words.ts';
import { lineView } from './line-view.ts';

const headCell = (key: SortKey, sorting: Sorting, sort: Actions['sort']) => {
  const isSorted = sorting.by === key;
  // Worst first is ascending for a score and descending for a time.
  const isUpwards = isTableMetric(key) || key === 'page' ? !sorting.isDescending : sorting.isDescending;
  const order = isUpwards ? 'ascending' : 'descending';
  return html`<th role="columnheader" scope="col" aria-sort=${isSorted ? order : nothing}>
    <button type="button" class="sort" @click=${() => sort(nextSorting(sorting, key))}>
      ${labelOf(key)}<span aria-hidden="true" class="arrow">${isSorted ? (order === 'ascending' ? '↑' : '↓') : ''}</span>
    </button>
  </th>`;
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

/** Saves what is displayed: the lines of the filter, in their order. */
const files = ({ request }: BatchState, lines: readonly TableLine[]) => {
  const rows = [...new Set(lines.map(({ row }) => row))];
  const { urls } = request;
  return html`
    <button type="button" @click=${() => download(urls, 'csv', 'text/csv;charset=utf-8', toBatchCsv(rows, request))}>Save as CSV</button>
    <button type="button" @click=${() => download(urls, 'json', 'application/json', toBatchJson(rows, request))}>Save as JSON</button>`;
};

/** Displays the actions for a list that has ended. */
const againView = ({ rows, request }: BatchState, { again, measureRest, watchPages }: Actions) => {
  const left = unmeasuredOf(rows).length;
  const rest = left === 1 ? 'page' : counted(left, 'page');
  return html`<button type="button" @click=${again}>Measure again</button>
    <button type="button" @click=${() => watchPages(toWatched(request))}>Watch</button>
    ${left === 0 || left === rows.length ? nothing : html`<button type="button" @click=${measureRest}>Measure the other ${rest}</button>`}`;
};

/** Displays the age of results that this run did not measure. */
const keptView = (state: BatchState) => {
  const words = sayKept(state, Date.now());
  return words === '' ? nothing : html`<p class="small quiet">${words}</p>`;
};

/** Displays the remaining time. Its line is reserved before and after the estimate, so the table does not move. */
const timeLeftView = ({ rows, seconds, isKept, isRunning }: BatchState) =>
  isKept ? nothing : html`<p class="small quiet time-left">${isRunning ? sayTimeLeft(rows, seconds) : ''}</p>`;

const kindWords: Readonly<Record<ShownKind, string>> = { all: 'All', poor: 'With a poor score', failed: 'Failed' };

const filterView = (
  lines: readonly TableLine[],
  { filter }: BatchState,
  actions: Actions,
) => html`<div class="request-filter row">
  <div class="chips row" role="group" aria-label="Which pages">
    ${shownKinds.map(
      kind =>
        html`<button type="button" class="chip" aria-pressed=${filter.kind === kind ? 'true' : 'false'} @click=${() => actions.filter({ ...filter, kind })}>${kindWords[kind]} <span class="quiet number">${countKind(lines, kind)}</span></button>`,
    )}
    ${
      filter.finding
        ? html`<button type="button" class="chip finding-chip" aria-pressed="true" @click=${() => actions.filter({ ...filter, finding: undefined })}>${richText(filter.finding.title)} <span aria-hidden="true">×</span></button>`
        : nothing
    }
  </div>
  ${searchField('Search in pages', filter.search, search => actions.filter({ ...filter, search }))}
</div>`;

/** Displays a button for further lines: a long list stays fast, and its files contain all lines. */
const moreView = (lines: readonly TableLine[], shown: number, { showMore }: Actions) => {
  const left = lines.length - shown;
  if (left <= 0) return nothing;
  return html`<p class="actions row more-lines">
    <button type="button" @click=${() => showMore(shown + linesAtOnce)}>Show ${Math.min(left, linesAtOnce)} more</button>
    ${left > linesAtOnce ? html`<button type="button" @click=${() => showMore(lines.length)}>Show all ${lines.length}</button>` : nothing}
    <span class="quiet small number">${shown} of ${lines.length} are shown</span>
  </p>`;
};

export function batchView(state: BatchState, names: SideNames, actions: Actions) {
  const { request, rows, isRunning, isKept, failure, sorting, seconds, filter, shown } = state;
  const all = toLines(rows, request);
  const lines = orderLines(filterLines(all, filter), sorting);
  const host = sharedHost(request.urls);
  const headings: SortKey[] = ['page', ...keysOf(request)];
  return html`
    <section class="sheet progress stack" aria-label="Progress">
      <div class="progress-top row">
        <h2 tabindex="-1">${sayBatchPhase(state)} <span class="quiet">${sayBatch(rows)}</span></h2>
        <p class="progress-tools row">${isKept ? nothing : elapsedView(seconds)} ${isRunning ? cancelButton(actions.cancel) : againView(state, actions)}</p>
      </div>
      ${barView(rows)} ${timeLeftView(state)} ${keptView(state)}
      ${failure ? failureView(failure, names) : nothing}
    </section>
    ${totalsView({ rows, lines: all, request }, names)}
    ${templatesView({ rows, lines: all, request }, names)}
    <section class="sheet">
      <div class="batch-top row"><h3>${sayOrder(state)}${host === undefined ? nothing : html` <span class="quiet url">${host}</span>`}</h3><div class="actions row">${files(state, lines)}</div></div>
      ${filterView(all, state, actions)}
      ${lines.length === 0 ? html`<p class="notice">No page matches. Choose another kind, or shorten the search.</p>` : nothing}
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
    ${isRunning ? nothing : commonView({ rows, lines: all, request }, host, finding => actions.filter({ ...wholeList, finding }))}`;
}
