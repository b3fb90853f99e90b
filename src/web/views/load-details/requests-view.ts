/** Displays the requests of a load as a waterfall: URL, size, time, and effect on rendering. */
import { html, nothing, svg } from 'lit-html';
import { type PaintMark, paintWords, toPaints } from '../../../presentation/charts/filmstrip.ts';
import { requestPhases, requestPhaseWords } from '../../../presentation/full-result/phases.ts';
import type { Whole } from '../../../presentation/full-result/read.ts';
import {
  filterRequests,
  lastEnd,
  maxRequests,
  type RequestFilter,
  type RequestRow,
  type RequestSorting,
  sortRequests,
  type Task,
  toLongTasks,
  toRequests,
  toTotal,
  typesOf,
  typeWords,
} from '../../../presentation/full-result/requests.ts';
import { absent, counted, formatBytes, formatMs } from '../../../presentation/numbers.ts';
import { searchField } from '../marks.ts';
import { toggled } from '../toggled.ts';
import { type Looking, requestId } from './load-details-state.ts';

/** Common scale of a waterfall: its end, and the paints of the page. */
type Clock = { readonly end: number; readonly paints: readonly PaintMark[] };

const percentOf = (ms: number, { end }: Clock): number => Math.min(100, Math.max(0, (100 * ms) / end));

const paintLines = (clock: Clock) =>
  clock.paints.map(
    ({ name, atMs }) =>
      svg`<line class="paint-line" data-paint=${name} x1="${percentOf(atMs, clock)}%" x2="${percentOf(atMs, clock)}%" y1="0" y2="20" />`,
  );

const part = (kind: string, from: number, to: number, clock: Clock) => {
  const [x, right] = [percentOf(from, clock), percentOf(to, clock)];
  return svg`<rect class="span" data-phase=${kind} x="${Math.min(99.5, x)}%" width="${Math.max(0.4, right - x)}%" y="4" height="12" />`;
};

/** Returns the phases, aligned with the end of the request: the log contains only their durations. */
function spansOf({ startMs = 0, endMs, url, isBlocking }: RequestRow, clock: Clock, looking: Looking | undefined) {
  const end = endMs ?? startMs;
  const phases = looking?.look.phases?.get(url);
  if (!phases || phases.length === 0) return part(isBlocking ? 'blocking' : 'request', startMs, end, clock);
  let from = end - phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return phases.map(({ phase, durationMs }) => {
    const at = from;
    from += durationMs;
    return part(phase, Math.max(startMs, at), from, clock);
  });
}

const bar = (
  row: RequestRow,
  clock: Clock,
  looking: Looking | undefined,
) => html`<svg class="request-bar" aria-hidden="true">
  ${paintLines(clock)}
  ${row.neededMs !== undefined && row.startMs !== undefined && row.startMs - row.neededMs > 1 ? part('queued', row.neededMs, row.startMs, clock) : nothing}
  ${spansOf(row, clock, looking)}
</svg>`;

/** Displays long tasks of the main thread. */
const threadRow = (tasks: readonly Task[], clock: Clock) =>
  tasks.length === 0
    ? nothing
    : html`<tr class="thread"><th scope="row">Main thread, blocked</th><td class="of-type"></td><td class="of-status"></td><td class="of-priority"></td>
        <td class="number">${formatMs(tasks.reduce((sum, { durationMs }) => sum + durationMs, 0))}</td>
        <td class="of-time"><svg class="request-bar" aria-hidden="true">${paintLines(clock)}${tasks.map(({ startMs, durationMs }) => part('task', startMs, startMs + durationMs, clock))}</svg>
          <span class="unseen">${counted(tasks.length, 'long task')}</span></td></tr>`;

const sayBytes = (bytes: number | undefined): string => (bytes === undefined ? absent : formatBytes(bytes));
const sayMs = (ms: number | undefined): string => (ms === undefined ? absent : formatMs(Math.max(0, ms)));

const failsAs = ({ status }: RequestRow): boolean => status !== undefined && (status >= 400 || status < 100);

const factsOf = (row: RequestRow): [string, string][] => [
  ['URL', row.url],
  ['Begins after', sayMs(row.startMs)],
  ['Ends after', sayMs(row.endMs)],
  ['Sent over the network', row.isCached ? 'nothing: from a cache' : sayBytes(row.transferBytes)],
  ['Unpacked', sayBytes(row.resourceBytes)],
  ['Status', row.status === undefined || row.status < 100 ? 'no answer' : `${row.status}`],
  ['Type', row.mimeType || absent],
  ['Priority', row.priority || absent],
  ['Protocol', row.protocol || absent],
];

const factsView = (row: RequestRow, looking: Looking) => html`<tr class="request-facts"><td colspan="6">
  <dl>${factsOf(row).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
    ${(looking.look.phases?.get(row.url) ?? []).map(({ phase, durationMs }) => html`<div><dt>${requestPhaseWords[phase]}</dt><dd>${formatMs(durationMs)}</dd></div>`)}</dl>
</td></tr>`;

const tags = ({ isBlocking, isLcp }: RequestRow) =>
  html`${isLcp ? html` <span class="tag" data-tag="lcp">LCP</span>` : nothing}${isBlocking ? html` <span class="tag">blocks rendering</span>` : nothing}`;

const nameView = (row: RequestRow, looking: Looking | undefined) => {
  const words = html`<span class="request-name">${row.name}</span>${tags(row)}
    <span class="quiet request-host">${row.entity ?? row.host}</span>`;
  if (!looking) return html`<span class="request">${words}</span>`;
  const isOpen = looking.look.requests.has(row.number);
  const toggle = () => looking.change({ requests: toggled(looking.look.requests, row.number) });
  return html`<button type="button" class="request" title=${row.url} id=${requestId(looking.name, row.number)} aria-expanded=${isOpen ? 'true' : 'false'} @click=${toggle}>${words}</button>`;
};

const rowView = (row: RequestRow, clock: Clock, looking: Looking | undefined) => html`<tr class="request-row">
    <th scope="row">${nameView(row, looking)}</th>
    <td class="of-type">${row.type}</td>
    <td class="of-status" data-fails=${failsAs(row)}>${row.status === undefined || row.status < 100 ? absent : row.status}</td>
    <td class="of-priority">${row.priority || absent}</td>
    <td class="number">${row.isCached ? 'cache' : sayBytes(row.transferBytes)}</td>
    <td class="of-time">${bar(row, clock, looking)}<span class="unseen">from ${sayMs(row.startMs)} to ${sayMs(row.endMs)}</span></td>
  </tr>
  ${looking?.look.requests.has(row.number) ? factsView(row, looking) : nothing}`;

/** Displays a heading that sorts; in a file it is plain text. */
const heading = (by: RequestSorting, words: unknown, looking: Looking | undefined) => {
  if (!looking) return words;
  const isSorted = looking.look.sorting === by;
  return html`<button type="button" class="request-sort" aria-pressed=${isSorted ? 'true' : 'false'} @click=${() => looking.change({ sorting: isSorted ? 'start' : by })}>${words}<span class="arrow" aria-hidden="true">${isSorted && by !== 'start' ? '↓' : ''}</span></button>`;
};

const waitKey = ['queued', 'waits in the browser'] as const;
const phaseKeys = [waitKey, ...requestPhases.map(phase => [phase, requestPhaseWords[phase]] as const)];
const requestKeys = [waitKey, ['request', 'request'], ['blocking', 'blocks rendering']] as const;

/** Explains the colours of the bars. */
const keyView = (
  clock: Clock,
  tasks: readonly Task[],
  looking: Looking | undefined,
) => html`<p class="bar-keys row small">
  ${(looking?.look.phases ? phaseKeys : requestKeys).map(([kind, words]) => html`<span><i class="bar-key" data-phase=${kind}></i>${words}</span> `)}
  ${tasks.length > 0 ? html`<span><i class="bar-key" data-phase="task"></i>main thread blocked</span> ` : nothing}
  ${clock.paints.filter(({ name }) => name !== 'complete').map(({ name, atMs }) => html`<span><i class="line-key" data-paint=${name}></i>${paintWords[name][0]} ${formatMs(atMs)}</span> `)}
</p>`;

const filterView = (rows: readonly RequestRow[], { look: { filter }, change }: Looking) => {
  const choose = (next: Partial<RequestFilter>) => change({ filter: { ...filter, ...next } });
  const choice = (type: RequestFilter['type'], words: string, count: number) =>
    html`<button type="button" class="chip" aria-pressed=${filter.type === type ? 'true' : 'false'} @click=${() => choose({ type })}>${words} <span class="quiet number">${count}</span></button>`;
  return html`<div class="request-filter row">
    <div class="chips row" role="group" aria-label="Type of requests">
      ${choice('all', 'All', rows.length)}
      ${typesOf(rows).map(type => choice(type, typeWords[type], rows.filter(row => row.type === type).length))}
    </div>
    ${searchField('Search in requests', filter.search, search => change({ filter: { ...filter, search } }))}
  </div>`;
};

/** Says that a table does not show all rows; empty if it does. */
export const leftOutNote = (count: number) =>
  count > maxRequests
    ? html`<p class="small quiet">The first ${maxRequests} are shown; all of them are in the JSON.</p>`
    : nothing;

/** @param note how the times were measured */
export function requestsView(whole: Whole, note: string, looking: Looking | undefined) {
  const rows = toRequests(whole);
  if (rows.length === 0) return html`<p class="quiet">The analyser sent no list of requests.</p>`;
  const found = looking ? filterRequests(rows, looking.look.filter) : rows;
  const shown = sortRequests(found, looking?.look.sorting ?? 'start');
  const tasks = toLongTasks(whole);
  const paints = toPaints(whole);
  const end = Math.max(
    1,
    lastEnd(rows),
    ...paints.map(({ atMs }) => atMs),
    ...tasks.map(({ startMs, durationMs }) => startMs + durationMs),
  );
  const clock: Clock = { end, paints: paints.filter(({ name }) => name !== 'complete') };
  const total = toTotal(shown);
  return html`
    ${looking ? filterView(rows, looking) : nothing}
    <p class="small" role="status">${shown.length < rows.length ? `${total.count} of ` : ''}${counted(rows.length, 'request')}, ${formatBytes(total.bytes)}${shown.length < rows.length ? nothing : html`<span class="quiet">, the last one done after ${formatMs(lastEnd(rows))}</span>`}</p>
    ${keyView(clock, tasks, looking)}
    ${
      shown.length === 0
        ? html`<p class="notice">No request matches. Choose another type, or shorten the search.</p>`
        : html`<div class="scroll taller" role="group" aria-label="Requests" tabindex="0">
          <table class="requests" @keydown=${looking?.on.moveFocus}>
            <thead><tr>
              <th scope="col">${heading('name', 'Request', looking)}</th><th scope="col" class="of-type">Type</th><th scope="col" class="of-status">Status</th>
              <th scope="col" class="of-priority">Priority</th><th scope="col" class="of-size">${heading('size', 'Size', looking)}</th>
              <th scope="col" class="of-time">${heading('duration', html`0 to ${formatMs(end)}`, looking)}</th>
            </tr></thead>
            <tbody>${threadRow(tasks, clock)} ${shown.slice(0, maxRequests).map(row => rowView(row, clock, looking))}</tbody>
          </table>
        </div>`
    }
    ${leftOutNote(shown.length)}
    <p class="small quiet">${note}</p>`;
}
