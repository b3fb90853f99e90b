/** The requests of a load as a waterfall: what, from where, how much, when, and what it held up. */
import { html, nothing, svg } from 'lit-html';
import { absent, counted, formatBytes, formatMs } from '../../../presentation/numbers.ts';
import {
  filterRequests,
  lastEnd,
  maxRequests,
  type RequestFilter,
  type RequestRow,
  toTotal,
  typesOf,
  typeWords,
} from '../../../presentation/whole/requests.ts';
import { type Looking, requestId, toggled } from '../looking/look.ts';

const bar = ({ startMs = 0, endMs, isBlocking }: RequestRow, end: number) => {
  const [x, width] = [(100 * startMs) / end, (100 * ((endMs ?? startMs) - startMs)) / end];
  return html`<svg class="request-bar" aria-hidden="true">
    ${svg`<rect class="loads" data-blocks=${isBlocking} x="${Math.min(99, x)}%" width="${Math.max(0.7, width)}%" y="4" height="10" rx="2" />`}
  </svg>`;
};

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

const factsView = (row: RequestRow) => html`<tr class="request-facts"><td colspan="6">
  <dl>${factsOf(row).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</td></tr>`;

const nameView = (row: RequestRow, looking: Looking | undefined) => {
  const words = html`<span class="request-name">${row.name}</span>${row.isBlocking ? html` <span class="tag">blocks rendering</span>` : nothing}
    <span class="quiet small request-host">${row.host}${row.entity && row.entity !== row.host ? ` · ${row.entity}` : ''}</span>`;
  if (!looking) return words;
  const isOpen = looking.look.requests.has(row.number);
  const toggle = () => looking.change({ requests: toggled(looking.look.requests, row.number, !isOpen) });
  return html`<button type="button" class="request" id=${requestId(looking.name, row.number)} aria-expanded=${isOpen ? 'true' : 'false'} @click=${toggle}>${words}</button>`;
};

const rowView = (row: RequestRow, end: number, looking: Looking | undefined) => html`<tr>
    <th scope="row">${nameView(row, looking)}</th>
    <td class="of-type">${row.type}</td>
    <td class="of-status" data-fails=${failsAs(row)}>${row.status === undefined || row.status < 100 ? absent : row.status}</td>
    <td class="of-priority">${row.priority || absent}</td>
    <td class="number">${row.isCached ? 'cache' : sayBytes(row.transferBytes)}</td>
    <td class="of-time">${bar(row, end)}<span class="unseen">from ${sayMs(row.startMs)} to ${sayMs(row.endMs)}</span></td>
  </tr>
  ${looking?.look.requests.has(row.number) ? factsView(row) : nothing}`;

const filterView = (rows: readonly RequestRow[], { look: { filter }, change, on }: Looking) => {
  const choose = (next: Partial<RequestFilter>) => change({ filter: { ...filter, ...next } });
  const choice = (type: RequestFilter['type'], words: string, count: number) =>
    html`<button type="button" class="chip" aria-pressed=${filter.type === type ? 'true' : 'false'} @click=${() => choose({ type })}>${words} <span class="quiet number">${count}</span></button>`;
  return html`<div class="request-filter">
    <div class="chips" role="group" aria-label="Type of requests">
      ${choice('all', 'All', rows.length)}
      ${typesOf(rows).map(type => choice(type, typeWords[type], rows.filter(row => row.type === type).length))}
    </div>
    <label><span class="unseen">Search in requests</span>
      <input type="search" placeholder="Search in addresses" autocomplete="off" spellcheck="false" .value=${filter.search} @input=${on.search}>
    </label>
  </div>`;
};

/** @param note how the times were measured */
export function requestsView(rows: readonly RequestRow[], note: string, looking: Looking | undefined) {
  if (rows.length === 0) return html`<p class="quiet">The analyser sent no list of requests.</p>`;
  const shown = looking ? filterRequests(rows, looking.look.filter) : rows;
  const [total, end] = [toTotal(shown), Math.max(1, lastEnd(rows))];
  return html`
    ${looking ? filterView(rows, looking) : nothing}
    <p class="small" role="status">${counted(total.count, 'request')}, ${formatBytes(total.bytes)}${shown.length < rows.length ? html` <span class="quiet">of ${rows.length}</span>` : html`<span class="quiet">, the last one done after ${formatMs(end)}</span>`}</p>
    ${
      shown.length === 0
        ? html`<p class="notice">No request fits. Choose another type, or search for less.</p>`
        : html`<div class="scroll taller" role="group" aria-label="Requests" tabindex="0">
          <table class="requests" @keydown=${looking?.on.moveFocus}>
            <thead><tr>
              <th scope="col">Request</th><th scope="col" class="of-type">Type</th><th scope="col" class="of-status">Status</th>
              <th scope="col" class="of-priority">Priority</th><th scope="col">Size</th>
              <th scope="col" class="of-time">0 to ${formatMs(end)}</th>
            </tr></thead>
            <tbody>${shown.map(row => rowView(row, end, looking))}</tbody>
          </table>
        </div>`
    }
    ${rows.length === maxRequests ? html`<p class="small quiet">The first ${maxRequests} are shown; all of them are in the JSON.</p>` : nothing}
    <p class="small quiet">${note}</p>`;
}
