/**
 * Parts of a comparison of stored results: values with their intervals, audits, requests, and differences in measuring.
 */

import { html, nothing, svg } from 'lit-html';
import type { ResultsComparison } from '../../contract/stored/change.ts';
import type { FileChange } from '../../contract/stored/change-verdict.ts';
import type { FlippedAudit, RequestChanges, RequestGroup } from '../../contract/stored/changed-loads.ts';
import {
  differenceWords,
  fileChangeWords,
  type IntervalPlot,
  type MeasureRow,
  measureStatusWords,
  sayAlike,
  sayFlip,
  sayIntervals,
  toAlikeRows,
  toFlips,
  toMeasureRows,
} from '../../presentation/change-words.ts';
import { counted, formatBytes, formatMs, withSign } from '../../presentation/numbers.ts';
import { detailsTable, pointsBar, reachOf, richText, valuesRow } from '../views/marks.ts';

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

function measureView(row: MeasureRow) {
  const { label, meaning, before, after, difference, between, status, plot } = row;
  return html`<tr role="row">
  <th role="rowheader" scope="row">${label}${meaning ? html` <span class="quiet small meaning">${meaning}</span>` : nothing}</th>
  <td role="cell" class="number"><span class="cell-label">${sideMark('before')}Before</span>${before}</td>
  <td role="cell" class="number"><span class="cell-label">${sideMark('after')}After</span>${after}</td>
  <td role="cell" class="of-difference"><span><strong class="number">${difference}</strong>${plot ? plotView(plot, status) : html`<span></span>`}${between ? html`<span class="small quiet">${between}</span>` : nothing}</span></td>
  <td role="cell" class="change-word" data-verdict=${status}>${measureStatusWords[status]}</td>
</tr>`;
}

const measureTable = (rows: readonly MeasureRow[]) => html`<table class="measures" role="table">
  <caption class="unseen">Medians before and after, and their difference</caption>
  <thead role="rowgroup"><tr role="row">
    <th role="columnheader" scope="col">Value</th><th role="columnheader" scope="col" class="number">${sideMark('before')}Before</th><th role="columnheader" scope="col" class="number">${sideMark('after')}After</th>
    <th role="columnheader" scope="col">Difference</th><th role="columnheader" scope="col">Verdict</th>
  </tr></thead>
  <tbody role="rowgroup">${rows.map(measureView)}</tbody>
</table>`;

/** Displays the values that changed, and the others folded below them. */
function measureTables(rows: readonly MeasureRow[]) {
  const [changed, same] = [rows.filter(isChanged), rows.filter(row => !isChanged(row))];
  return html`${changed.length > 0 ? measureTable(changed) : nothing}
    ${same.length > 0 ? html`<details class="fold" ?open=${changed.length === 0}><summary>${counted(same.length, 'value')} without a meaningful difference</summary>${measureTable(same)}</details>` : nothing}`;
}

const isChanged = ({ status }: MeasureRow): boolean => status !== 'no_difference';

const switchTo = (name: string, words: string, isChosen: boolean) =>
  html`<label class="chip"><input type="radio" class="unseen" name="conditions" value=${name} ?checked=${isChosen}>${words}</label>`;

/** Width of a band that is visible, in percent of the plot. */
const leastBand = 3;

/** Displays one table of values. The style sheet shows the one for the selected conditions, without a script. */
export function measuresView(change: ResultsComparison) {
  const [alike, rows] = [toAlikeRows(change), toMeasureRows(change)];
  if (rows.length === 0) return html`<p class="notice">The two sides have no score and no metric in common.</p>`;
  const isShaded = rows.some(({ plot }) => plot && plot.band[1] - plot.band[0] >= leastBand);
  const note = rows.some(({ plot }) => plot)
    ? html`<p class="small quiet">${sayIntervals(change)}${isShaded ? ' Shaded: no meaningful difference.' : ''}</p>`
    : nothing;
  return html`<section class="values">
    <h3>Values</h3>
    ${
      alike.length === 0
        ? measureTables(rows)
        : html`<fieldset class="metric-filter"><legend class="unseen">Conditions</legend><div class="chips row">${switchTo('alike', 'Same conditions', true)}${switchTo('measured', 'As measured', false)}</div></fieldset>
          <div data-conditions="alike">${measureTables(alike)}<p class="small quiet">${sayAlike(change)}</p></div>
          <div data-conditions="measured">${measureTables(rows)}</div>`
    }
    ${note}
  </section>`;
}

const sayGrowth = (
  { before, after }: { readonly before: number; readonly after: number },
  format: (value: number) => string,
): string => (before === after ? '' : `${after > before ? '+' : '−'}${format(Math.abs(after - before))}`);

/** Points that need an explanation when the points of the files do not add up to the difference. */
const leastRest = 1;

/** Displays the changed files, the largest effect first; empty if the loads were not simulated again. */
export function filesView({ alike }: ResultsComparison) {
  if (!alike || alike.files.length === 0) return nothing;
  const { files, scores } = alike;
  const explained = files.flatMap(({ explains }) => explains?.performance ?? []);
  const rest = explained.reduce((left, points) => left - points, scores.performance?.difference ?? Number.NaN);
  const hasRest = explained.length > 0 && Math.abs(rest) >= leastRest;
  const reach = reachOf(hasRest ? [...explained, rest] : explained);
  const points = (value: number) =>
    html`<span class="of-points">${pointsBar(value, reach)}${withSign(value, 1)}</span>`;
  const row = ({ url, kind, explains, bytes, cpu_ms: cpu }: FileChange) =>
    valuesRow(
      html`${nameOf(url)} <span class="small quiet">${fileChangeWords[kind]}</span>`,
      [explains ? points(explains.performance) : nothing, sayGrowth(bytes, formatBytes), sayGrowth(cpu, formatMs)],
      'url',
    );
  const restRow = valuesRow(
    html`The rest <span class="small quiet">other causes, and files together</span>`,
    [points(rest), '', ''],
    'url',
  );
  return html`<section>
    <h3>Changed files</h3>
    ${detailsTable('Changed files', ['File', 'Points', 'Bytes', 'CPU'], [...files.map(row), ...(hasRest ? [restRow] : [])])}
  </section>`;
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

/** Displays what changed, with its number; nothing if there is none. */
const listView = <T>(heading: unknown, changed: readonly T[], lineView: (one: T) => unknown) =>
  changed.length === 0
    ? nothing
    : html`<div><h4>${heading} <span class="count small">${changed.length}</span></h4>
        <ul class="plain change-list">${changed.map(one => html`<li>${lineView(one)}</li>`)}</ul></div>`;

const flipView = (audit: FlippedAudit) =>
  html`<span>${richText(audit.title)}</span> <span class="small quiet">${sayFlip(audit)}</span>`;

const withoutFull = html`<p class="quiet">Unknown: the full result of one side is no longer stored.</p>`;

function flippedView(audits: readonly FlippedAudit[]) {
  const { broken, mended } = toFlips(audits);
  if (audits.length === 0) return html`<p class="quiet">None: every audit had the same outcome on both sides.</p>`;
  return html`<div class="beside">${listView('Fail now', broken, flipView)} ${listView('No longer fail', mended, flipView)}</div>`;
}

export const auditsView = ({ audits }: ResultsComparison) => html`<section>
  <h3>Audits that changed</h3>
  ${audits === null ? withoutFull : flippedView(audits)}
</section>`;

const nameOf = (url: string) => {
  const parsed = URL.parse(url);
  if (!parsed) return html`<span class="request-name">${url}</span>`;
  const { host, pathname } = parsed;
  const last = pathname.split('/').findLast(part => part !== '') ?? '';
  return html`<span class="request-name">${last || host}</span> <span class="small quiet request-host">${host}${pathname.slice(0, pathname.lastIndexOf(last))}</span>`;
};

const sayGroup = ({ type, requests, bytes }: RequestGroup): string =>
  [type, requests > 1 ? `${requests} times` : '', formatBytes(bytes)].filter(Boolean).join(', ');

const fileView = (url: string, said: string) =>
  html`<span>${nameOf(url)}</span> <span class="small number">${said}</span>`;

const groupView = (group: RequestGroup) => fileView(group.url, sayGroup(group));

const sayBytesChange = (before: number, after: number): string =>
  `${formatBytes(before)} → ${formatBytes(after)} (${after > before ? '+' : '−'}${formatBytes(Math.abs(after - before))})`;

const sayTotal = ({ requests, bytes }: RequestChanges['before']): string =>
  `${counted(requests, 'request')}, ${formatBytes(bytes)}`;

const resizedView = ({ url, type, before, after }: RequestChanges['changed'][number]) =>
  fileView(url, `${type ? `${type}, ` : ''}${sayBytesChange(before.bytes, after.bytes)}`);

function trafficView({ before, after, added: came, removed: went, changed }: RequestChanges) {
  const isSame = came.length + went.length + changed.length === 0;
  const said =
    before.requests === after.requests
      ? 'Both sides made the same requests, with nearly the same sizes.'
      : 'Both sides requested the same files, some of them a different number of times.';
  return html`
    <p class="both-totals row"><span>${sideMark('before')}Before: ${sayTotal(before)}</span> <span>${sideMark('after')}After: ${sayTotal(after)}</span></p>
    ${isSame ? html`<p class="quiet">${said}</p>` : nothing}
    <div class="beside">
      ${listView(html`${sideMark('after')}Added`, came, groupView)} ${listView(html`${sideMark('before')}Removed`, went, groupView)}
    </div>
    ${listView('Changed size', changed, resizedView)}
    <p class="small quiet">From the two runs nearest to the medians, without queries; at most the 20 largest of each kind.</p>`;
}

/** Displays the requests, folded if the changed files are listed. */
export const requestsView = ({ requests, alike }: ResultsComparison) =>
  html`<details class="fold part" ?open=${!alike?.files.length}><summary>Requests</summary><div class="part-body stack">${requests === null ? withoutFull : trafficView(requests)}</div></details>`;
