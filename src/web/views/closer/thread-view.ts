/** Who kept the main thread busy, and what third parties had to do with it. */
import { html, nothing } from 'lit-html';
import { absent, counted, formatBytes, formatMs } from '../../../presentation/numbers.ts';
import type { ScriptTime, ThirdParty } from '../../../presentation/whole/main-thread.ts';
import type { LinkRequest } from '../looking/request-link.ts';

const scriptRow = ({ url, entity, totalMs, scriptingMs, parsingMs }: ScriptTime, link: LinkRequest) => html`<tr>
  <th scope="row" class="url"><code>${url}</code>${entity ? html`<span class="note">${entity}</span>` : nothing}${link(url)}</th>
  <td class="number">${formatMs(totalMs)}</td>
  <td class="number">${formatMs(scriptingMs)}</td>
  <td class="number">${formatMs(parsingMs)}</td>
</tr>`;

/** @param slowdown of the processor, where it was simulated */
export const threadView = (times: readonly ScriptTime[], slowdown: number | null, link: LinkRequest) =>
  times.length === 0
    ? html`<p class="quiet">Nothing kept the main thread busy for long enough to be listed.</p>`
    : html`<div class="scroll tall" role="group" aria-label="Main-thread time by script" tabindex="0">
        <table class="details">
          <thead><tr><th scope="col">Script or document</th><th scope="col">In all</th><th scope="col">Running</th><th scope="col">Parsing</th></tr></thead>
          <tbody>${times.map(time => scriptRow(time, link))}</tbody>
        </table>
      </div>
      ${slowdown !== null && slowdown > 1 ? html`<p class="small quiet">Times on a processor that is simulated ${slowdown}× slower.</p>` : nothing}`;

const partyRow = ({ name, bytes, mainThreadMs, urls }: ThirdParty, link: LinkRequest) => html`<tr>
  <th scope="row">${name}
    ${urls.length > 0 ? html`<details class="fold"><summary>${counted(urls.length, 'request')}</summary><ul class="plain">${urls.map(url => html`<li><code>${url}</code>${link(url)}</li>`)}</ul></details>` : nothing}
  </th>
  <td class="number">${bytes === undefined ? absent : formatBytes(bytes)}</td>
  <td class="number">${mainThreadMs === undefined ? absent : formatMs(mainThreadMs)}</td>
</tr>`;

export const partiesView = (parties: readonly ThirdParty[], link: LinkRequest) =>
  parties.length === 0
    ? html`<p class="quiet">Lighthouse names no third party on this page.</p>`
    : html`<div class="scroll tall" role="group" aria-label="Third parties" tabindex="0">
        <table class="details parties">
          <thead><tr><th scope="col">Third party</th><th scope="col">Size</th><th scope="col">Main thread</th></tr></thead>
          <tbody>${parties.map(party => partyRow(party, link))}</tbody>
        </table>
      </div>`;
