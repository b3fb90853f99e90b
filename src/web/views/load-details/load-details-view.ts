/**
 * Parts of the view that need the whole Lighthouse result: screenshots, requests, main thread, third parties. They are
 * loaded when they are opened.
 */
import { html, nothing, svg } from 'lit-html';
import type { Result } from '../../../contract/result/result.ts';
import { type Lcp, type PhaseTime, phaseWords, toLcp } from '../../../presentation/full-result/lcp.ts';
import {
  type ScriptTime,
  type ThirdParty,
  toScriptTimes,
  toThirdParties,
} from '../../../presentation/full-result/main-thread.ts';
import type { Whole } from '../../../presentation/full-result/read.ts';
import { toScripts } from '../../../presentation/full-result/treemap.ts';
import { absent, counted, formatBytes, formatMs } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { elementPicture } from '../element-picture-view.ts';
import { type LinkRequest, type Looking, partFold, requestLink, wholeOf } from './load-details-state.ts';
import { requestsView } from './requests-view.ts';
import { treemapView } from './treemap-view.ts';

/* Displays the work of the main thread, and the share of third parties. */

const scriptRow = ({ url, entity, totalMs, scriptingMs, parsingMs }: ScriptTime, link: LinkRequest) => html`<tr>
  <th scope="row" class="url"><code>${url}</code>${entity ? html`<span class="note">${entity}</span>` : nothing}${link(url)}</th>
  <td class="number">${formatMs(totalMs)}</td>
  <td class="number">${formatMs(scriptingMs)}</td>
  <td class="number">${formatMs(parsingMs)}</td>
</tr>`;

/** @param slowdown simulated CPU throttling */
const threadView = (times: readonly ScriptTime[], slowdown: number | null, link: LinkRequest) =>
  times.length === 0
    ? html`<p class="quiet">Nothing kept the main thread busy for long enough to be listed.</p>`
    : html`<div class="scroll tall" role="group" aria-label="Main-thread time by script" tabindex="0">
        <table class="details">
          <thead><tr><th scope="col">Script or document</th><th scope="col">Total</th><th scope="col">Running</th><th scope="col">Parsing</th></tr></thead>
          <tbody>${times.map(time => scriptRow(time, link))}</tbody>
        </table>
      </div>
      ${slowdown !== null && slowdown > 1 ? html`<p class="small quiet">Times on a CPU that is simulated ${slowdown}× slower.</p>` : nothing}`;

const partyRow = ({ name, bytes, mainThreadMs, urls }: ThirdParty, link: LinkRequest) => html`<tr>
  <th scope="row">${name}
    ${urls.length > 0 ? html`<details class="fold"><summary>${counted(urls.length, 'request')}</summary><ul class="plain">${urls.map(url => html`<li><code>${url}</code>${link(url)}</li>`)}</ul></details>` : nothing}
  </th>
  <td class="number">${bytes === undefined ? absent : formatBytes(bytes)}</td>
  <td class="number">${mainThreadMs === undefined ? absent : formatMs(mainThreadMs)}</td>
</tr>`;

const partiesView = (parties: readonly ThirdParty[], link: LinkRequest) =>
  parties.length === 0
    ? html`<p class="quiet">Lighthouse names no third party on this page.</p>`
    : html`<div class="scroll tall" role="group" aria-label="Third parties" tabindex="0">
        <table class="details parties">
          <thead><tr><th scope="col">Third party</th><th scope="col">Size</th><th scope="col">Main thread</th></tr></thead>
          <tbody>${parties.map(party => partyRow(party, link))}</tbody>
        </table>
      </div>`;

const percent = (share: number): string => `${Math.round(100 * share)}\u00a0%`;

const phaseBar = (phases: readonly PhaseTime[]) => {
  let from = 0;
  return html`<svg class="phase-bar" aria-hidden="true">
    ${phases.map(({ phase, share }) => {
      const x = from;
      from += share * 100;
      return svg`<rect class="phase" data-phase=${phase} x="${x}%" width="${share * 100}%" height="100%" />`;
    })}
  </svg>`;
};

const phaseRow = ({ phase, durationMs, share }: PhaseTime) => html`<tr>
  <th scope="row"><i class="phase-key" data-phase=${phase}></i>${phaseWords[phase][0]} <span class="quiet small">${phaseWords[phase][1]}</span></th>
  <td class="number">${formatMs(durationMs)}</td>
  <td class="number">${percent(share)}</td>
</tr>`;

/** Displays the element and phases of the largest contentful paint. @param note how the times were measured */
const lcpView = ({ label, selector, snippet, picture, phases }: Lcp, note: string) => html`<section class="lcp">
  <div class="lcp-parts">
    ${picture ? elementPicture(picture, `The element${label ? `: ${label}` : ''}`) : nothing}
    <div class="lcp-words">
      ${label && label !== selector ? html`<p><strong>${label}</strong></p>` : nothing}
      ${snippet || selector ? html`<p><code>${snippet || selector}</code></p>` : html`<p class="quiet">Lighthouse does not name the element.</p>`}
      ${snippet && selector ? html`<p class="small quiet"><code>${selector}</code></p>` : nothing}
    </div>
  </div>
  ${
    phases.length > 0
      ? html`${phaseBar(phases)}
        <table class="phases">
          <caption class="unseen">Phases of the time until the largest paint</caption>
          <thead class="unseen"><tr><th scope="col">Phase</th><th scope="col">Time</th><th scope="col">Share</th></tr></thead>
          <tbody>${phases.map(phaseRow)}</tbody>
        </table>
        <p class="small quiet">${note}</p>`
      : nothing
  }
</section>`;

const titles = {
  requests: 'Requests',
  pictures: 'Largest Contentful Paint',
  thread: 'Main thread by script',
  scripts: 'Unused JavaScript',
  parties: 'Third parties',
} as const;

/** Describes how times were measured: a simulated metric is larger than the observed time next to it. */
export const noteOf = ({ environment }: Result): string =>
  environment.throttling_method === 'simulate'
    ? 'Times as they were observed. The metrics above are simulated for a slower network and CPU, so they differ.'
    : 'Times as they were observed.';

export function largestPaintView(whole: Whole, note: string) {
  const lcp = toLcp(whole);
  return lcp
    ? lcpView(lcp, note)
    : html`<p class="quiet">The analyser does not name the element of the largest paint.</p>`;
}

function partView(part: keyof typeof titles, result: Result, whole: Whole, looking: Looking | undefined) {
  const link = (address: string) => requestLink(address, whole, looking);
  switch (part) {
    case 'pictures':
      return largestPaintView(whole, noteOf(result));
    case 'requests':
      return requestsView(whole, noteOf(result), looking);
    case 'thread':
      return threadView(toScriptTimes(whole), result.environment.cpu_slowdown_multiplier, link);
    case 'scripts':
      return treemapView(toScripts(whole), link);
    case 'parties':
      return partiesView(toThirdParties(whole), link);
  }
}

/** Displays the parts of a result; empty if the whole result is missing and cannot be loaded. */
export function loadDetailsView(result: Result, names: SideNames, looking?: Looking) {
  const whole = wholeOf(result);
  if (!looking && !whole) return nothing;
  return html`<section class="load-details">
    <h3>Load details</h3>
    ${(Object.keys(titles) as (keyof typeof titles)[]).map(part =>
      partFold({ part, title: titles[part], names, looking }, whole && (() => partView(part, result, whole, looking))),
    )}
  </section>`;
}
