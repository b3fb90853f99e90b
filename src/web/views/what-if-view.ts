/** Displays predicted scores of one load under different conditions, when the user opens them. */
import { html, nothing } from 'lit-html';
import { toNewExperimentAddress } from '../../api-client/stored/experiment.ts';
import type { Result } from '../../contract/result/result.ts';
import type { WhatIf } from '../../contract/stored/what-if.ts';
import { toPlainText } from '../../presentation/markdown.ts';
import { rateScore } from '../../presentation/metric-range.ts';
import { absent, counted, formatBytes, formatMs } from '../../presentation/numbers.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import {
  type FixStep,
  networkWords,
  noFixes,
  sayBreakPoint,
  sayCondition,
  sayError,
  sayGain,
  sayGainPoints,
  sayNetwork,
} from '../../presentation/what-if-words.ts';
import { detailsTable } from './details-table.ts';
import { failureView } from './failure-view.ts';
import type { Looking } from './load-details/load-details-state.ts';
import { ratedValue } from './marks.ts';

type Removal = WhatIf['scripts']['items'][number];

const score = (value: number) => ratedValue(`${value}`, rateScore(value));
const errorLine = (...error: Parameters<typeof sayError>) => html`<p class="small quiet">${sayError(...error)}</p>`;

const stepRow = ({ title, points, after }: FixStep) => html`<tr>
  <th scope="row">${toPlainText(title)}</th>
  <td class="number">${sayGain(points)}</td>
  <td class="number">${score(after.score)}</td>
  <td class="number">${formatMs(after.largest_contentful_paint)}</td>
  <td class="number">${formatMs(after.total_blocking_time)}</td>
</tr>`;

const fixesView = ({ base, fixes: { error, steps, reachable, not_predicted: unknown } }: WhatIf) => html`<section>
  <h4>All fixes together</h4>
  ${
    steps.length === 0
      ? html`<p>${noFixes}</p>`
      : html`<p>Now ${score(base.score)}, predicted ${score(reachable.values.score)} with ${counted(reachable.fixes, 'fix', 'fixes')} (${sayGainPoints(reachable.points)}).</p>
        ${errorLine(error, 'fixes')}
        ${detailsTable('All fixes together', ['Fix, with those above it', 'Predicted points', 'Score', 'LCP', 'TBT'], steps.map(stepRow))}`
  }
  ${
    unknown.length === 0
      ? nothing
      : html`<p class="small">Not predicted:</p>
        <ul class="small">${unknown.map(({ title, reason }) => html`<li>${toPlainText(title)}: ${reason}</li>`)}</ul>`
  }
</section>`;

const removalRow = ({ name, category, predicted, bytes, takes_with: others, ...rest }: Removal) => html`<tr>
  <th scope="row" class="url">${name}
    ${category === null ? nothing : html`<span class="note">${category}</span>`}
    ${others.length === 0 ? nothing : html`<span class="note">Removes ${others.join(', ')} as well.</span>`}
    ${rest.reason === null ? nothing : html`<span class="note">${rest.reason}</span>`}
  </th>
  <td class="number">${predicted ? sayGain(predicted.points) : absent}</td>
  <td class="number">${predicted ? formatMs(predicted.without.largest_contentful_paint) : absent}</td>
  <td class="number">${predicted ? formatMs(predicted.without.total_blocking_time) : absent}</td>
  <td class="number">${formatBytes(bytes)}</td>
  <td class="number">${formatMs(rest.main_thread_ms)}</td>
</tr>`;

function removalsView(title: string, { error, items }: WhatIf['scripts'], none: string) {
  const heads = ['Without', 'Predicted points', 'LCP without', 'TBT without', 'Bytes saved', 'Main thread saved'];
  return html`<section>
    <h4>${title}</h4>
    ${items.length === 0 ? html`<p class="quiet">${none}</p>` : html`${errorLine(error)} ${detailsTable(title, heads, items.map(removalRow))}`}
  </section>`;
}

const cellView = ({ score: value, is_own: isOwn }: WhatIf['map']['cells'][number]) =>
  html`<td class="map-cell" data-own=${isOwn ? 'true' : 'false'}>${score(value)}${isOwn ? html`<span class="note">this load</span>` : nothing}</td>`;

function mapView({ settings, map: { error, networks, cells, own_score: own, break_points: points } }: WhatIf) {
  const cpus = [...new Set(cells.map(({ cpu_slowdown_multiplier: cpu }) => cpu))];
  const heads = ['Network', ...cpus.map(cpu => `${cpu}× CPU slowdown`)];
  const row = ({ name, ...network }: WhatIf['map']['networks'][number]) => html`<tr>
    <th scope="row">${networkWords[name]}<span class="note">${sayNetwork(network)}</span></th>
    ${cells.filter(cell => cell.network === name).map(cellView)}
  </tr>`;
  return html`<section>
    <h4>Devices and networks</h4>
    <p>This load scores ${score(own)} at ${sayCondition(settings)}.</p>
    ${errorLine(error, 'map')} ${detailsTable('Devices and networks', heads, networks.map(row))}
    <ul>${points.map(point => html`<li>${sayBreakPoint(point)}</li>`)}</ul>
    <p class="small quiet">Each limit is for one setting alone: the other stays as in this load.</p>
  </section>`;
}

function answerView(whatIf: WhatIf) {
  // The first limit of a disturbed load is that of the disturbance.
  const [notice, limits] = whatIf.disturbed ? [whatIf.limits[0], whatIf.limits.slice(1)] : [undefined, whatIf.limits];
  return html`${notice === undefined ? nothing : html`<p class="notice">${notice}</p>`}
  ${fixesView(whatIf)}
  ${removalsView('Third parties', whatIf.third_parties, 'The page requests nothing from third parties.')}
  ${removalsView('Heaviest scripts of the page', whatIf.scripts, 'The page has no scripts of its own.')}
  ${mapView(whatIf)}
  <ul class="small quiet">${limits.map(limit => html`<li>${limit}</li>`)}</ul>`;
}

const isPromising = ({ predicted }: Removal): boolean => predicted !== null && predicted.points > 0;

/** Offers to measure the most promising predictions. */
function measureView(
  { third_parties: parties, scripts }: WhatIf,
  { url, strategy }: Result,
  { look: { measuring }, measureWhatIf }: Looking,
  names: SideNames,
) {
  const count = [...parties.items, ...scripts.items].filter(isPromising).length;
  const promising = count === 1 ? 'the most promising removal' : `the ${Math.min(3, count)} most promising removals`;
  return html`<section>
    <h4>Measure a change</h4>
    <p>An experiment loads the page with and without a change, in turn.</p>
    ${typeof measuring === 'object' ? failureView(measuring, names) : nothing}
    <div class="actions">
      ${count > 0 ? html`<button type="button" ?disabled=${measuring === 'starting'} @click=${measureWhatIf}>Measure ${promising}</button>` : nothing}
      <a class="button" href=${toNewExperimentAddress(url, strategy)}>Choose a change</a>
    </div>
  </section>`;
}

function bodyView(result: Result, looking: Looking, names: SideNames) {
  const { predicted } = looking.look;
  if (predicted?.state === 'ready')
    return html`${answerView(predicted.whatIf)} ${measureView(predicted.whatIf, result, looking, names)}`;
  if (predicted?.state !== 'failed') return html`<p class="quiet">Simulating the stored load …</p>`;
  return html`${failureView(predicted.failure, names)}<p><button type="button" @click=${looking.askWhatIf}>Predict again</button></p>`;
}

/** Returns whether a load has predictions: it was simulated by this service. */
const isPredictable = ({ id, analyser, scores, environment }: Result): boolean =>
  id !== undefined &&
  (analyser.kind === 'local' || analyser.kind === 'embedded') &&
  typeof scores.performance === 'number' &&
  environment.throttling_method === 'simulate';

/**
 * Displays a collapsed section that requests the predictions when it is expanded; empty for a load without any, and in
 * a file.
 * @param side name of the side, if two are displayed
 */
export function whatIfView(result: Result, names: SideNames, looking: Looking | undefined, side: unknown = nothing) {
  if (!looking || !isPredictable(result)) return nothing;
  const isOpen = looking.look.opened.has('what-if');
  return html`<section class="what-if">
    <h3>What if ${side}</h3>
    <details class="fold part" ?open=${isOpen} @toggle=${looking.on.toggle('what-if')}>
      <summary>Predicted scores: without third parties, on other devices, with all fixes</summary>
      <div class="part-body">${isOpen ? bodyView(result, looking, names) : nothing}</div>
    </details>
  </section>`;
}
