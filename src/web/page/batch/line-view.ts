/** View of one line of a list: its page, its values, and its results. */

import { html, nothing } from 'lit-html';
import { keyed } from 'lit-html/directives/keyed.js';
import { type PageRequest, toAddress } from '../../../api-client/page-request.ts';
import { withIds } from '../../../api-client/stored/kept-result.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { Column, Part } from '../../../presentation/answer.ts';
import { type FailureReason, toWords } from '../../../presentation/errors-in-words.ts';
import { absent } from '../../../presentation/numbers.ts';
import { sayRangeOf } from '../../../presentation/range.ts';
import { type ResultRow, toResultRow } from '../../../presentation/result-rows.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { pairingView } from '../../views/comparison/compare-view.ts';
import { failureView } from '../../views/failure-view.ts';
import { rowValue, sideLight } from '../../views/marks.ts';
import { columnView } from '../../views/result/result-view.ts';
import { keptPicture } from '../kept-picture.ts';
import type { Actions } from '../session/actions.ts';
import { type BatchState, keysOf, labelOf, type TableLine, type ValueKey } from './batch-table.ts';
import { sayPage, sharedHost } from './batch-words.ts';

/** Keeps the height of a line whose value is not there yet. */
export const blank = '\u00a0';

const lineName = ({ row, strategy }: TableLine): string => `${row.index}-${strategy}`;

const noValue = (part: Part) => html`${absent}<span class="unseen">${part.ok ? 'not measured' : 'failed'}</span>`;

/** Displays a range, and its source for pointers and screen readers; nothing if all values are the same. */
function rangeView(result: Result, { range }: ResultRow) {
  const source = sayRangeOf(result);
  return range?.includes('–')
    ? html` <span class="small quiet range-words" title=${source ?? nothing}>${range}<span class="unseen"> (${source})</span></span>`
    : nothing;
}

/** @param names present if a cell contains both sides, which must be distinguishable */
const sideValue = ({ source, part }: Column, key: ValueKey, names: SideNames | undefined) => {
  const side = names ? sideLight(source, names) : nothing;
  const row = part.ok ? toResultRow(part.result, key) : undefined;
  if (!part.ok || row?.text === undefined) return html`<span>${side}${noValue(part)}</span>`;
  return html`<span>${side}${rowValue(row)}${rangeView(part.result, row)}</span>`;
};

const failureOf = ({ row, columns }: TableLine): FailureReason | undefined =>
  row.failure ?? columns.flatMap(({ part }) => (part.ok ? [] : [part.failure]))[0];

const stateView = (line: TableLine) => {
  const failure = line.hasFailed ? failureOf(line) : undefined;
  if (failure) return html`<strong class="line-failure">${toWords(failure).heading}</strong>`;
  if (line.row.state === 'running') return html`<span class="quiet">${line.row.said ?? ''}</span>`;
  if (line.row.state === 'queued') return html`<span class="quiet">Queued</span>`;
  return line.row.state === 'unmeasured'
    ? html`<span class="quiet">${line.row.said ?? 'Not measured'}</span>`
    : nothing;
};

const openedView = ({ row, strategy, columns }: TableLine, names: SideNames) => {
  if (row.failure) return failureView(row.failure, names);
  if (row.answer?.kind === 'comparisons')
    return row.answer.pairings
      .filter(pairing => pairing.strategy === strategy)
      .map(pairing => pairingView(pairing, names));
  return columns.map(column => columnView(column, names));
};

/** Links to the stored result if there is one and it is not a comparison, otherwise to a measurement. */
const addressOf = ({ row, strategy, columns }: TableLine, request: PageRequest): string => {
  const ids = request.backend === 'compare' ? [] : columns.flatMap(({ part }) => (part.ok && part.result.id) || []);
  return withIds(toAddress({ ...request, urls: [row.url], strategy }), ids);
};

/** Displays a small final screenshot in reserved space. */
const thumbView = ({ columns }: TableLine) => {
  const [picture] = columns.flatMap(({ part }) => (part.ok && part.result.links?.screenshot) || []);
  return html`<span class="thumb">${
    picture === undefined
      ? nothing
      : // After sorting, a line shows a different page: the old picture must not stay while the new one loads.
        keyed(
          picture,
          html`<img src=${keptPicture(picture.replace(/^\//, ''))} alt="" width="56" height="56" loading="lazy" decoding="async">`,
        )
  }</span>`;
};

export const lineView = (line: TableLine, state: BatchState, names: SideNames, { toggle }: Actions) => {
  const { request, opened } = state;
  const keys = keysOf(request);
  const name = lineName(line);
  const isOpen = opened.has(name);
  const hasDetails = line.row.state === 'done';
  const pairNames = request.backend === 'compare' ? names : undefined;
  return html`<tr role="row" data-state=${line.hasFailed ? 'failed' : line.row.state}>
      <th role="rowheader" scope="row"><div class="line-page">
        ${state.keepsResults ? thumbView(line) : nothing}
        <div class="line-words">
          <a class="url" href=${addressOf(line, request)} title=${line.row.url}>${sayPage(line.row.url, sharedHost(request.urls))}</a>
          ${request.strategy === 'both' ? html`<span class="quiet small">${line.strategy}</span>` : nothing}
          <span class="line-state small">${stateView(line)}</span>
        </div>
      </div></th>
      ${keys.map(
        key =>
          html`<td role="cell"><span class="cell-label">${labelOf(key)}</span>${
            line.columns.length > 0 && !line.hasFailed
              ? line.columns.map(column => sideValue(column, key, pairNames))
              : blank
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
