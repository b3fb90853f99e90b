/** Displays the result of one side from top to bottom: how it was measured, the verdict, scores, metrics, fixes. */

import { html, nothing } from 'lit-html';
import { type Category, categoryNames } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { Column } from '../../../presentation/answer.ts';
import { sayConditions } from '../../../presentation/condition-words.ts';
import { groupFindings } from '../../../presentation/findings/findings.ts';
import { formatDuration, formatMs, startUpper } from '../../../presentation/numbers.ts';
import { sayCertainty, sayRange, sayUncertainty, sayWas } from '../../../presentation/range.ts';
import { namesFor, type SideNames, sayAnalyser, sideOf } from '../../../presentation/side-names.ts';
import { isDeniedValue, otherWarnings, sayMark, toShown } from '../../../presentation/undisturbed.ts';
import { sayHeadline } from '../../../presentation/verdict-words.ts';
import { categoryWords } from '../../../presentation/words.ts';
import { failureView } from '../failure-view.ts';
import { bestFixesView, findingsView } from '../findings/findings-view.ts';
import { otherAuditsView } from '../findings/other-audits-view.ts';
import { filmstripView } from '../load-details/filmstrip-view.ts';
import { type Looking, type Shown, withWhole } from '../load-details/load-details-state.ts';
import { loadDetailsView } from '../load-details/load-details-view.ts';
import { sayTime, sideName } from '../marks.ts';
import { whatIfView } from '../what-if-view.ts';
import { customMetricsView, type DialNote, metricsView, scoreDial } from './metrics-view.ts';
import { vitalsView } from './vitals-view.ts';

const sayCache = ({ cache }: Result): string | undefined => {
  if (!cache || cache.status === 'miss') return undefined;
  if (cache.status === 'joined') return 'shared with another request at the same moment';
  return `from the cache, ${formatDuration(cache.age)} old`;
};

/** Displays what was measured and how, in one line. */
const factsLine = (result: Result) => {
  const { final_url: shown, url, analyser, strategy, fetched_at: fetchedAt, lighthouse_version: version } = result;
  const cached = sayCache(result);
  return html`<p class="facts-line small quiet">
    <span class="url">${shown}</span>${shown === url ? nothing : html` (asked for <span class="url">${url}</span>)`}
    · ${sayAnalyser(analyser)} · ${strategy} · <time datetime=${fetchedAt}>${sayTime(fetchedAt)}</time>
    · Lighthouse ${version}${cached ? ` · ${cached}` : ''}${sayConditions(result).map(said => ` · ${said}`)}
  </p>`;
};

export const staleNotice = ({ cache, analyser }: Result) =>
  cache?.status === 'stale'
    ? html`<p class="notice"><strong>An old result.</strong> ${sayAnalyser(analyser)} fails at the moment; this was measured ${formatDuration(cache.age)} ago.</p>`
    : nothing;

export const warningsView = (result: Result, warnings = otherWarnings(result)) =>
  warnings.length > 0
    ? html`<div class="notice"><strong>Warnings:</strong><ul>${warnings.map(warning => html`<li>${warning}</li>`)}</ul></div>`
    : nothing;

const sayNetwork = ({ network_throttling: network }: Result['environment']): string | null =>
  network && `${formatMs(network.rtt_ms)} round trip, ${(network.throughput_kbps / 1000).toFixed(1)}\u00a0Mbit/s`;

const environmentRows = ({ environment, duration_ms: durationMs }: Result): [string, string | number][] => {
  const { user_agent: agent, benchmark_index: index, cpu_slowdown_multiplier: cpu, ...rest } = environment;
  const { throttling_method: throttling, blocked_requests: blocked, concurrent_audits: beside } = rest;
  const { processor_wait: wait } = rest;
  const rows: [string, string | number | null | undefined][] = [
    ['Browser', agent],
    ['CPU speed (benchmark index)', index],
    ['Slow CPU', cpu === null ? null : `${cpu}×`],
    ['Network', sayNetwork(environment)],
    ['Throttling', throttling],
    ['Time that Lighthouse took', typeof durationMs === 'number' ? formatMs(durationMs) : null],
    ['Other audits at the same time', beside],
    ['Time that the page waited for a CPU', wait ? formatMs(wait.main_thread_ms) : null],
    ['Blocked connections of the page', blocked],
  ];
  return rows.filter((entry): entry is [string, string | number] => entry[1] !== null && entry[1] !== undefined);
};

export const environmentView = (result: Result) => html`<details class="fold">
  <summary>How it was measured</summary>
  ${factsLine(result)} ${uncertaintyView(result)}
  <dl>${environmentRows(result).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</details>`;

/** Describes the variation of a score, and whether it is reliable. */
export function dialNote(result: Result, name: Category): DialNote {
  const range = sayRange(result, name);
  const earlier = result.runs?.scores[name] ? undefined : result.spread?.scores[name];
  const { value } = toShown(result, name);
  const was = earlier && value !== null ? sayWas(value, earlier) : '';
  return { range: range && `${was}${range}`, mark: isDeniedValue(result, name) ? sayMark(result) : undefined };
}

const dialsView = (result: Result) => html`<div class="dials">
  ${categoryNames.map(name => {
    if (result.scores[name] === undefined) return nothing;
    return scoreDial(categoryWords[name], toShown(result, name).value, undefined, dialNote(result, name));
  })}
</div>`;

/** Displays agentic browsing as a number of audits, because Lighthouse gives no score. */
export const agenticView = ({ agentic_browsing: agentic }: Result) =>
  agentic
    ? html`<p class="small">${categoryWords['agentic-browsing']}: ${agentic.passed} of ${agentic.total} audits passed.</p>`
    : nothing;

const uncertaintyView = (result: Result) => {
  const said = sayUncertainty(result);
  return said === undefined ? nothing : html`<p class="uncertainty small">${said}</p>`;
};

/** Returns a name that distinguishes a result from others next to it in a list. */
const nameOf = ({ source, strategy, fetched_at: at, url }: Result): string =>
  ['bears', source, strategy, at, url].join(' ');

const shown = (result: Result, names: SideNames, looking: Looking | undefined): Shown => ({
  name: looking?.name,
  result,
  names,
  looking,
  choosing: looking?.choosing,
});

/** Displays the time of the measurement, its label and its certainty, next to the side's name. */
export const measuredLine = (result: Result) => html`<p class="measured-line small quiet">
  <time datetime=${result.fetched_at}>${sayTime(result.fetched_at)}</time>
  ${result.label ? html`· <span class="label">${result.label}</span>` : nothing} · <span class="runs">${sayCertainty(result)}</span>
</p>`;

const resultBody = (result: Result, names: SideNames, looking: Looking | undefined) => {
  const groups = groupFindings(result);
  return html`
  ${measuredLine(result)} ${staleNotice(result)}
  <div class="seen stack">
    <div class="seen-words stack">
      ${dialsView(result)} ${agenticView(result)}
      <p class="verdict">${sayHeadline(result)}</p>
    </div>
    ${bestFixesView(groups, shown(result, names, looking), () => looking)}
  </div>
  ${filmstripView([{ result, looking }], names)}
  ${warningsView(result)}
  ${
    result.scores.performance === undefined
      ? nothing
      : html`<div class="measured stack">${metricsView(result, names)} ${vitalsView([result], names)}</div>`
  }
  ${customMetricsView(result)}
  ${findingsView(groups, nameOf(result), shown(result, names, looking))}
  ${whatIfView(result, names, looking)} ${loadDetailsView(result, names, looking)}
  ${otherAuditsView(result, shown(result, names, looking))} ${environmentView(result)}`;
};

/**
 * Displays a side with its result, or the reason why it has none.
 * @param known names of the sides, if a result does not contain them
 * @param looking loads more of it; absent if that is impossible
 */
export const columnView = ({ source, strategy, part }: Column, known: SideNames, looking?: Looking) => {
  const names = namesFor(part, known);
  return html`<article class="sheet column stack ${sideOf(source)}">
  <h2>${sideName(source, names)} <span class="quiet">${startUpper(strategy)}</span></h2>
  ${part.ok ? resultBody(withWhole(part.result, looking), names, looking) : failureView(part.failure, names)}
</article>`;
};
