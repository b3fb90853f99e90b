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
import { counted, formatBytes, formatMs } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { elementPicture } from '../element-picture-view.ts';
import { detailsTable, percent, segments, valuesRow } from '../marks.ts';
import { type LinkRequest, type Looking, partFold, requestLink, wholeOf } from './load-details-state.ts';
import { requestsView } from './requests-view.ts';
import { scriptName, treemapView } from './treemap-view.ts';

const scriptRow = (time: ScriptTime, link: LinkRequest) =>
  valuesRow(scriptName(time, link), [time.totalMs, time.scriptingMs, time.parsingMs].map(formatMs), 'url');

/** @param slowdown simulated CPU throttling */
const threadView = (times: readonly ScriptTime[], slowdown: number | null, link: LinkRequest) =>
  times.length === 0
    ? html`<p class="quiet">Nothing kept the main thread busy for long enough to be listed.</p>`
    : html`${detailsTable(
        'Main-thread time by script',
        ['Script or document', 'Total', 'Running', 'Parsing'],
        times.map(time => scriptRow(time, link)),
        'tall',
      )}
      ${slowdown !== null && slowdown > 1 ? html`<p class="small quiet">Times on a CPU that is simulated ${slowdown}× slower.</p>` : nothing}`;

const partyRow = ({ name, bytes, mainThreadMs, urls }: ThirdParty, link: LinkRequest) =>
  valuesRow(
    html`${name} ${urls.length > 0 ? html`<details class="fold"><summary>${counted(urls.length, 'request')}</summary><ul class="plain">${urls.map(url => html`<li class="url"><code>${url}</code>${link(url)}</li>`)}</ul></details>` : nothing}`,
    [bytes === undefined ? '' : formatBytes(bytes), mainThreadMs === undefined ? '' : formatMs(mainThreadMs)],
  );

const partiesView = (parties: readonly ThirdParty[], link: LinkRequest) =>
  parties.length === 0
    ? html`<p class="quiet">Lighthouse names no third party on this page.</p>`
    : detailsTable(
        'Third parties',
        ['Third party', 'Size', 'Main thread'],
        parties.map(party => partyRow(party, link)),
        'tall',
      );

const phaseBar = (phases: readonly PhaseTime[]) => html`<svg class="phase-bar" aria-hidden="true">
  ${segments(phases.map(({ share }) => share)).map(({ x, width }, at) => svg`<rect class="phase" data-phase=${phases[at]?.phase} x=${x} width=${width} height="100%" />`)}
</svg>`;

const phaseRow = ({ phase, durationMs, share }: PhaseTime) =>
  valuesRow(
    html`<i class="phase-key" data-phase=${phase}></i>${phaseWords[phase][0]} <span class="quiet small">${phaseWords[phase][1]}</span>`,
    [formatMs(durationMs), percent(share)],
  );

/** Displays the element and phases of the largest contentful paint. @param note how the times were measured */
const lcpView = ({ label, selector, snippet, picture, phases }: Lcp, note: string) => html`<section class="lcp">
  <div class="lcp-parts row">
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
