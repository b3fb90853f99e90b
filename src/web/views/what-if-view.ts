/** Displays predicted scores of one load under different conditions, when the user opens them. */

import { html, nothing } from 'lit-html';
import { toNewExperimentAddress } from '../../api-client/stored/experiment.ts';
import type { Result } from '../../contract/result/result.ts';
import type { PredictedError, WhatIf } from '../../contract/stored/what-if.ts';
import { toPlainText } from '../../presentation/markdown.ts';
import { rateScore } from '../../presentation/metric-range.ts';
import { formatBytes, formatMs } from '../../presentation/numbers.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import {
  type FixStep,
  networkWords,
  noFixes,
  sayBreakPoint,
  sayCondition,
  sayError,
  sayGain,
} from '../../presentation/what-if-words.ts';
import { failureView } from './failure-view.ts';
import type { Looking } from './load-details/load-details-state.ts';
import { pointsBar, type Reach, ratedValue, reachOf } from './marks.ts';

const score = (value: number) => ratedValue(`${value}`, rateScore(value));

/** Formats a gain with the error of nine in ten predictions: `+15 ±4`. */
const sayGainRange = (points: number, error: PredictedError | null): string =>
  `${sayGain(points)}${error ? ` ±${Math.round(error.points.p90)}` : ''}`;

type FixLine = {
  readonly title: string;
  readonly points: number;
  readonly error: PredictedError | null;
  readonly notes: readonly (string | null)[];
  /** Predicted score. */
  readonly score: number;
};

const lineView = ({ title, points, error, notes, score: after }: FixLine, reach: Reach) => html`<li class="prediction">
  <span class="url">${title} <span class="small quiet">${notes.filter(Boolean).join(' · ')}</span></span>
  ${pointsBar(points, reach)} <span class="number">${sayGainRange(points, error)}</span> <span class="number">${score(after)}</span>
</li>`;

/** Displays predictions as bars of points, below the score of the load; those without an effect are omitted. */
const linesView = (base: number, lines: readonly FixLine[], reach: Reach) => html`<ul class="plain">
  <li class="prediction"><strong>Now</strong><span></span><span></span><span class="number">${score(base)}</span></li>
  ${lines.filter(({ points }) => sayGain(points) !== '0').map(line => lineView(line, reach))}
</ul>`;

const toStep = ({ title, points, after }: FixStep, error: PredictedError | null): FixLine => ({
  title: toPlainText(title),
  points,
  error,
  notes: [`LCP ${formatMs(after.largest_contentful_paint)}`, `TBT ${formatMs(after.total_blocking_time)}`],
  score: after.score,
});

/** @param cpu slowdown of the load, which its times include */
const toRemovals = ({ items, error }: WhatIf['scripts'], cpu: number): FixLine[] =>
  items.flatMap(({ name, category, predicted, bytes, takes_with: others, main_thread_ms: ms }) =>
    predicted
      ? {
          title: name,
          points: predicted.points,
          error,
          notes: [
            category,
            formatBytes(bytes),
            `${formatMs(ms)} CPU${cpu === 1 ? '' : ` at ${cpu}×`}`,
            others.length > 0 ? `with ${others.join(', ')}` : null,
          ],
          score: predicted.without.score,
        }
      : [],
  );

const cellView = ({ score: value, is_own: isOwn }: WhatIf['map']['cells'][number]) =>
  html`<td class="map-cell ${rateScore(value)}" data-own=${isOwn ? 'true' : 'false'}>${score(value)}${isOwn ? html`<span class="unseen">, this load</span>` : nothing}</td>`;

function mapView({ settings, map: { networks, cells, own_score: own, break_points: points } }: WhatIf) {
  const cpus = [...new Set(cells.map(({ cpu_slowdown_multiplier: cpu }) => cpu))];
  const row = ({ name }: WhatIf['map']['networks'][number]) => html`<tr>
    <th scope="row">${networkWords[name]}</th>
    ${cells.filter(cell => cell.network === name).map(cellView)}
  </tr>`;
  return html`<section>
    <h4>Other devices and networks</h4>
    <p>This load scores ${score(own)} at ${sayCondition(settings)}.</p>
    <table class="device-map">
      <thead><tr><th scope="col">CPU</th>${cpus.map(cpu => html`<th scope="col">${cpu}×</th>`)}</tr></thead>
      <tbody>${networks.map(row)}</tbody>
    </table>
    <ul>${points.map(point => html`<li>${sayBreakPoint(point)}</li>`)}</ul>
  </section>`;
}

function answerView(whatIf: WhatIf) {
  const { base, fixes, third_parties: parties, scripts, map } = whatIf;
  // The first limit of a disturbed load is that of the disturbance.
  const [notice, limits] = whatIf.disturbed ? [whatIf.limits[0], whatIf.limits.slice(1)] : [undefined, whatIf.limits];
  const steps = fixes.steps.map(step => toStep(step, fixes.error));
  const removals = [parties, scripts].map(part => toRemovals(part, whatIf.settings.cpu_slowdown_multiplier));
  const reach = reachOf([...steps, ...removals.flat()].map(({ points }) => points));
  const removalsView = (title: string, lines: readonly FixLine[] = []) =>
    lines.length === 0 ? nothing : html`<section><h4>${title}</h4>${linesView(base.score, lines, reach)}</section>`;
  const unknown = [
    ...fixes.not_predicted.map(({ title, reason }) => `${toPlainText(title)}: ${reason}`),
    ...[...parties.items, ...scripts.items].flatMap(({ name, reason }) =>
      reason === null ? [] : `${name}: ${reason}`,
    ),
  ];
  const errors = [
    sayError(fixes.error, 'fixes'),
    sayError(parties.error),
    sayError(scripts.error),
    sayError(map.error, 'map'),
  ];
  return html`${notice === undefined ? nothing : html`<p class="notice">${notice}</p>`}
  <section>
    <h4>Fixes (cumulative)</h4>
    ${steps.length === 0 ? html`<p>${noFixes}</p>` : linesView(base.score, steps, reach)}
  </section>
  ${removalsView('Without a third party', removals[0])} ${removalsView('Without a script of the page', removals[1])} ${mapView(whatIf)}
  <details class="fold"><summary>How sure is this</summary><ul class="small quiet">
    <li>± is the error that nine in ten measured changes stay within.</li>
    ${[...new Set([...errors, ...limits, ...unknown])].map(said => html`<li>${said}</li>`)}
  </ul></details>`;
}

const isPromising = ({ predicted }: WhatIf['scripts']['items'][number]): boolean =>
  predicted !== null && predicted.points > 0;

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
    <div class="actions row">
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
      <summary>Predicted scores: with all fixes, without third parties, on other devices</summary>
      <div class="part-body stack">${isOpen ? bodyView(result, looking, names) : nothing}</div>
    </details>
  </section>`;
}
