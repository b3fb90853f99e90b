/**
 * Parts of a comparison of stored results: values with their intervals, audits, requests, and differences in measuring.
 */
import { html, nothing, svg } from 'lit-html';
import type { ResultsComparison } from '../../../contract/stored/change.ts';
import type { FlippedAudit, RequestChanges, RequestGroup } from '../../../contract/stored/changed-loads.ts';
import {
  differenceWords,
  type IntervalPlot,
  type MeasureRow,
  measureStatusWords,
  sayAlike,
  sayFlip,
  sayIntervals,
  toAlikeRows,
  toFlips,
  toMeasureRows,
} from '../../../presentation/change-words.ts';
import { counted, formatBytes } from '../../../presentation/numbers.ts';
import { richText } from '../../views/marks.ts';

const marks = {
  before: html`<i class="light before"></i>`,
  after: html`<i class="light after"></i>`,
} as const;

/** Mark of a side: a ring before, a disc after. */
export const sideMark = (side: keyof typeof marks) => marks[side];

/** Draws an interval, which repeats the text next to it. */
const plotView = ({ from, to, at, band: [low, high] }: IntervalPlot, status: string) =>
  html`<svg class="interval" data-verdict=${status} aria-hidden="true">
    ${svg`<rect class="band" x="${low}%" width="${high - low}%" y="0" height="100%" /><line class="zero" x1="50%" x2="50%" y1="0" y2="100%" /><line class="reach" x1="${from}%" x2="${to}%" y1="50%" y2="50%" /><circle cx="${at}%" cy="50%" r="4" />`}
  </svg>`;

const measureView = ({
  label,
  meaning,
  before,
  after,
  difference,
  between,
  status,
  plot,
}: MeasureRow) => html`<tr role="row">
  <th role="rowheader" scope="row">${label}${meaning ? html` <span class="quiet small meaning">${meaning}</span>` : nothing}</th>
  <td role="cell" class="number"><span class="cell-label" aria-hidden="true">${sideMark('before')}Before</span>${before}</td>
  <td role="cell" class="number"><span class="cell-label" aria-hidden="true">${sideMark('after')}After</span>${after}</td>
  <td role="cell" class="number of-difference"><strong>${difference}</strong>${between ? html` <span class="small quiet">${between}</span>` : nothing}
    ${plot ? plotView(plot, status) : nothing}</td>
  <td role="cell" class="change-word" data-verdict=${status}>${measureStatusWords[status]}</td>
</tr>`;

/** Displays a table of values. @param note text after the table */
const measureTable = (heading: string, rows: readonly MeasureRow[], note: unknown) =>
  html`<section>
    <h3>${heading}</h3>
    <table class="measures" role="table">
      <caption class="unseen">Medians before and after, and their difference</caption>
      <thead role="rowgroup"><tr role="row">
        <th role="columnheader" scope="col">Value</th><th role="columnheader" scope="col">${sideMark('before')}Before</th><th role="columnheader" scope="col">${sideMark('after')}After</th>
        <th role="columnheader" scope="col">Difference</th><th role="columnheader" scope="col">It is</th>
      </tr></thead>
      <tbody role="rowgroup">${rows.map(measureView)}</tbody>
    </table>
    ${note}
  </section>`;

export function measuresView(change: ResultsComparison) {
  const [alike, rows] = [toAlikeRows(change), toMeasureRows(change)];
  if (rows.length === 0) return html`<p class="notice">The two sides have no score and no metric in common.</p>`;
  const note = rows.some(({ plot }) => plot)
    ? html`<p class="small quiet">${sayIntervals(change)} The shaded part of a line is where a difference does not matter; its middle is no difference.</p>`
    : nothing;
  return html`${alike.length > 0 ? measureTable('Under the same conditions', alike, html`<p class="small quiet">${sayAlike(change)}</p>`) : nothing}
    ${measureTable(alike.length > 0 ? 'As measured' : 'Scores and metrics', rows, note)}`;
}

export const differencesView = ({ differences }: ResultsComparison) =>
  differences.length === 0
    ? nothing
    : html`<section>
        <h3>Measured differently</h3>
        <ul class="plain change-list">${differences.map(
          ({ name, before, after, effect }) => html`<li>
            <span><strong>${differenceWords[name]}</strong> <span>${sideMark('before')}${before.join(', ')}</span> → <span>${sideMark('after')}${after.join(', ')}</span></span>
            <span class="small quiet">${effect === 'no_verdict' ? 'prevents a verdict' : 'may be a cause'}</span>
          </li>`,
        )}</ul>
      </section>`;

const flipsView = (heading: string, audits: readonly FlippedAudit[]) =>
  audits.length === 0
    ? nothing
    : html`<div><h4>${heading} <span class="count small">${audits.length}</span></h4>
        <ul class="plain change-list">${audits.map(audit => html`<li><span>${richText(audit.title)}</span> <span class="small quiet">${sayFlip(audit)}</span></li>`)}</ul></div>`;

const withoutFull = html`<p class="quiet">Unknown: the full result of one side is no longer stored.</p>`;

function flippedView(audits: readonly FlippedAudit[]) {
  const { broken, mended } = toFlips(audits);
  if (audits.length === 0) return html`<p class="quiet">None: every audit had the same outcome on both sides.</p>`;
  return html`<div class="beside">${flipsView('Fail now', broken)} ${flipsView('No longer fail', mended)}</div>`;
}

export const auditsView = ({ audits }: ResultsComparison) => html`<section>
  <h3>Audits that flipped</h3>
  ${audits === null ? withoutFull : flippedView(audits)}
</section>`;

const nameOf = (url: string) => {
  const parsed = URL.parse(url);
  if (!parsed) return html`<span class="request-name">${url}</span>`;
  const last = parsed.pathname.split('/').findLast(part => part !== '');
  return html`<span class="request-name">${last ?? parsed.host}</span> <span class="small quiet request-host">${url}</span>`;
};

const sayGroup = ({ type, requests, bytes }: RequestGroup): string =>
  [type, requests > 1 ? `${requests} times` : '', formatBytes(bytes)].filter(Boolean).join(', ');

const groupView = (heading: unknown, groups: readonly RequestGroup[]) =>
  groups.length === 0
    ? nothing
    : html`<div><h4>${heading} <span class="count small">${groups.length}</span></h4>
        <ul class="plain change-list">${groups.map(group => html`<li><span>${nameOf(group.url)}</span> <span class="small number">${sayGroup(group)}</span></li>`)}</ul></div>`;

const sayBytesChange = (before: number, after: number): string =>
  `${formatBytes(before)} → ${formatBytes(after)} (${after > before ? '+' : '−'}${formatBytes(Math.abs(after - before))})`;

const sayTotal = ({ requests, bytes }: RequestChanges['before']): string =>
  `${counted(requests, 'request')}, ${formatBytes(bytes)}`;

const changedView = (changed: RequestChanges['changed']) =>
  changed.length === 0
    ? nothing
    : html`<div><h4>Changed size <span class="count small">${changed.length}</span></h4>
        <ul class="plain change-list">${changed.map(({ url, type, before, after }) => html`<li><span>${nameOf(url)}</span> <span class="small number">${type ? `${type}, ` : ''}${sayBytesChange(before.bytes, after.bytes)}</span></li>`)}</ul></div>`;

function trafficView({ before, after, added: came, removed: went, changed }: RequestChanges) {
  const isSame = came.length + went.length + changed.length === 0;
  const said =
    before.requests === after.requests
      ? 'Both sides made the same requests, with nearly the same sizes.'
      : 'Both sides requested the same files, some of them a different number of times.';
  return html`
    <p class="both-totals"><span>${sideMark('before')}Before: ${sayTotal(before)}</span> <span>${sideMark('after')}After: ${sayTotal(after)}</span></p>
    ${isSame ? html`<p class="quiet">${said}</p>` : nothing}
    <div class="beside">
      ${groupView(html`${sideMark('after')}Added`, came)} ${groupView(html`${sideMark('before')}Removed`, went)}
    </div>
    ${changedView(changed)}
    <p class="small quiet">From the two runs nearest to the medians, without queries; at most the 20 largest of each kind.</p>`;
}

export const requestsView = ({ requests }: ResultsComparison) => html`<section>
  <h3>Requests</h3>
  ${requests === null ? withoutFull : trafficView(requests)}
</section>`;
