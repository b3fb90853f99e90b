/**
 * Displays an experiment on the page and in a file: its plan, and the verdict on each variant with every pair of loads.
 */

import { html, nothing, svg } from 'lit-html';
import type { ExperimentAnswer } from '../../contract/experiments/answer.ts';
import { statusWords } from '../../presentation/change-words.ts';
import {
  type AnsweredVariant,
  isLive,
  type PairsPlot,
  sayChanges,
  sayControl,
  sayDifference,
  sayDisturbed,
  sayFailed,
  sayPrediction,
  toAxis,
  toOtherRows,
  toPairRows,
  toPairsPlot,
} from '../../presentation/experiment-words.ts';
import { nameOfMetric } from '../../presentation/words.ts';
import { detailsTable, valuesRow } from './marks.ts';

/** Draws the pairs and the interval; hidden from screen readers, because the verdict contains the same. */
const plotView = ({ from, to, at, band: [low, high], points }: PairsPlot) =>
  html`<svg class="interval of-pairs" aria-hidden="true">
    ${svg`<rect class="band" x="${low}%" width="${high - low}%" y="0" height="100%" /><line class="zero" x1="50%" x2="50%" y1="0" y2="100%" />
      ${points.map(x => svg`<circle class="pair" cx="${x}%" cy="30%" r="3" />`)}
      <line class="reach" x1="${from}%" x2="${to}%" y1="75%" y2="75%" /><circle cx="${at}%" cy="75%" r="4" />`}
  </svg>`;

const table = (name: string, heads: readonly string[], rows: readonly (readonly string[])[]) =>
  detailsTable(
    name,
    heads,
    rows.map(([first, ...cells]) => valuesRow(first, cells)),
  );

const fold = (title: string, body: unknown) =>
  html`<details class="fold"><summary>${title}</summary><div class="part-body stack">${body}</div></details>`;

function variantView(variant: AnsweredVariant, answer: ExperimentAnswer) {
  const { metric } = answer;
  const { name, status, pairs, notes } = variant;
  const disturbed = sayDisturbed(variant.disturbed_loads, 'variant');
  const isOpen = variant.judged_pairs === 0 && isLive(answer);
  const prediction = sayPrediction(variant, metric);
  const [pairRows, otherRows] = [toPairRows(variant, metric), toOtherRows(variant)];
  const plot = toPairsPlot(variant, toAxis(answer.variants));
  const gain =
    metric === 'performance' ? undefined : otherRows.find(([measure]) => measure === nameOfMetric('performance'));
  return html`<article class="variant stack">
    <h3>${name}</h3>
    <ul class="small quiet plain">${sayChanges(variant, answer).map(change => html`<li class="url">${change}</li>`)}</ul>
    <div class="change-verdict stack" data-verdict=${isOpen ? nothing : status}>
      ${isOpen ? html`<p>No verdict yet.</p>` : html`<p class="change-status">${statusWords[status]}</p><p>${sayDifference(variant, metric)}${gain ? html` <strong>${gain[0]} ${gain[1]}</strong> <span class="small quiet">${gain[2]}</span>` : nothing}</p>`}
      ${plot ? plotView(plot) : nothing}
      ${prediction ? html`<p class="small">${prediction}</p>` : nothing}
      ${notes.map(note => html`<p class="small">${note}</p>`)}
      ${disturbed ? html`<p class="small">${disturbed}</p>` : nothing}
    </div>
    ${pairs.length > 0 ? fold('Pairs of loads', table(`Pairs of ${name}`, ['Pair', 'Page', 'Variant', 'Difference'], pairRows)) : nothing}
    ${otherRows.length > 0 ? fold('Other measures, which do not affect the verdict', table(`Other measures of ${name}`, ['Measure', 'Difference', 'Interval'], otherRows)) : nothing}
  </article>`;
}

/** Displays everything below the heading. @param actions progress and buttons, which a file does not have */
export function experimentView(answer: ExperimentAnswer, actions: unknown = nothing) {
  const { strategy, metric, label, plan, throttling_reason: reason, control, error, variants } = answer;
  const controlWords = sayControl(answer);
  const failed = sayFailed(answer);
  const disturbed = sayDisturbed(control.disturbed_loads, 'page');
  return html`<p class="small quiet">${strategy} · decided by ${nameOfMetric(metric)}${label === null ? nothing : ` · ${label}`}</p>
    ${error ? html`<p class="notice">${error.detail}</p>` : nothing}
    ${controlWords ? html`<p class="notice">${controlWords}</p>` : nothing}
    ${isLive(answer) ? actions : nothing}
    ${variants.map(variant => variantView(variant, answer))}
    ${isLive(answer) ? nothing : actions}
    ${failed ? html`<p class="notice">${failed}</p>` : nothing}
    ${disturbed ? html`<p class="small">${disturbed}</p>` : nothing}
    <p class="small quiet">${plan.sentence} ${reason}</p>
    ${control.pairs.length > 0 ? fold('Control: the page against itself', table('Pairs of the page against itself', ['Pair', 'Page', 'Page again', 'Difference'], toPairRows(control, metric))) : nothing}`;
}
