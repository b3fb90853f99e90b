/** What only the whole Lighthouse result knows: pictures, requests, main thread, third parties. Loaded when it is opened. */
import { html, nothing } from 'lit-html';
import type { Result } from '../../../contract/result/result.ts';
import { toFrames } from '../../../presentation/charts/filmstrip.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { toLcp } from '../../../presentation/whole/lcp.ts';
import { toScriptTimes, toThirdParties } from '../../../presentation/whole/main-thread.ts';
import { toFinalScreenshot } from '../../../presentation/whole/pictures.ts';
import type { Whole } from '../../../presentation/whole/read.ts';
import { toRequests } from '../../../presentation/whole/requests.ts';
import { toScripts } from '../../../presentation/whole/treemap.ts';
import { type Looking, wholeOf } from '../looking/look.ts';
import { partFold } from '../looking/part-fold.ts';
import { requestLink } from '../looking/request-link.ts';
import { filmstripView } from './filmstrip-view.ts';
import { lcpView } from './lcp-view.ts';
import { requestsView } from './requests-view.ts';
import { partiesView, threadView } from './thread-view.ts';
import { treemapView } from './treemap-view.ts';

const titles = {
  pictures: 'Pictures and the largest paint',
  requests: 'Requests',
  thread: 'Main thread by script',
  scripts: 'Scripts: what did not run',
  parties: 'Third parties',
} as const;
type Part = keyof typeof titles;

/** A simulated metric is larger than what was seen: both times stand on one page. */
export const noteOf = ({ environment }: Result): string =>
  environment.throttling_method === 'simulate'
    ? 'Times as they were observed. The metrics above are simulated for a slower network and processor, so they differ.'
    : 'Times as they were observed.';

export function picturesView(result: Result, whole: Whole, note: string) {
  const lcp = toLcp(whole);
  if (!lcp && toFrames(result).length === 0)
    return html`<p class="quiet">The analyser sent no pictures, and does not name the element.</p>`;
  return html`${filmstripView(result)} ${lcp ? lcpView(lcp, note) : nothing}`;
}

function partView(part: Part, result: Result, whole: Whole, looking: Looking | undefined) {
  const link = (address: string) => requestLink(address, whole, looking);
  switch (part) {
    case 'pictures':
      return picturesView(result, whole, noteOf(result));
    case 'requests':
      return requestsView(toRequests(whole), noteOf(result), looking);
    case 'thread':
      return threadView(toScriptTimes(whole), result.environment.cpu_slowdown_multiplier, link);
    case 'scripts':
      return treemapView(toScripts(whole), link);
    case 'parties':
      return partiesView(toThirdParties(whole), link);
  }
}

/** Nothing where the whole result is not there and cannot be loaded. */
export function closerView(result: Result, names: SideNames, looking?: Looking) {
  const whole = wholeOf(result);
  if (!looking && !whole) return nothing;
  return html`<section class="closer">
    <h3>A closer look</h3>
    ${(Object.keys(titles) as Part[]).map(part =>
      partFold({ part, title: titles[part], names, looking }, whole && (() => partView(part, result, whole, looking))),
    )}
  </section>`;
}

/** The page at the end of its load, beside the verdict. Its room is there before it is. */
export function screenshotView(result: Result, looking: Looking | undefined) {
  const { strategy, links } = result;
  const kept = looking && links?.screenshot?.replace(/^\//, '');
  const source = kept === undefined ? toFinalScreenshot(wholeOf(result) ?? {}) : looking?.picture(kept);
  return source
    ? html`<img class="screenshot ${strategy}" src=${source} alt="The page at the end of its load" decoding="async">`
    : nothing;
}
