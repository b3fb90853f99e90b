import { html, nothing, svg } from 'lit-html';
import type { Source } from '../../../contract/errors.ts';
import type { MetricName } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import { rateScore } from '../../../presentation/metric-range.ts';
import { absent } from '../../../presentation/numbers.ts';
import { sayRangeOf, spreadOf } from '../../../presentation/range.ts';
import { sayCustomConditions, toCustomRows, toResultRow } from '../../../presentation/result-rows.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { toShown } from '../../../presentation/undisturbed.ts';
import { metricWords, otherMetrics, ratingWords, scoredMetrics } from '../../../presentation/words.ts';
import { light, ratingMark, rowValue } from '../marks.ts';
import { metricRange } from './metric-range-view.ts';

const radius = 29;
const circumference = 2 * Math.PI * radius;

const toArc = (score: number) => svg`<circle class="arc" cx="36" cy="36" r=${radius} transform="rotate(-90 36 36)"
  stroke-dasharray="${((circumference * score) / 100).toFixed(2)} ${circumference.toFixed(2)}" />`;

export type DialNote = {
  /** Range of the score, as `84–90`. */
  readonly range?: string | undefined;
  /** `disturbed, measured 62`: the score is the one without the disturbance. */
  readonly mark?: string | undefined;
};

const sayScore = (score: number | null, mark: string | undefined): string => {
  if (score === null) return 'no score: Lighthouse could not compute one';
  return [`${score} of 100`, ratingWords[rateScore(score)], ...(mark === undefined ? [] : [mark])].join(', ');
};

/** Hyphenates the two long names of categories for narrow columns. */
const hyphenated = (label: string): string => label.replace(/^(Perfor|Accessi)(?=mance|bility)/, '$1\u00ad');

/**
 * Displays a score from 0 to 100 as a dial, or a dash with its reason.
 * @param source present for the dial of one side
 */
export function scoreDial(label: string, score: number | null, source?: Source, { range, mark }: DialNote = {}) {
  const rating = score === null || mark !== undefined ? undefined : rateScore(score);
  const said = [sayScore(score, mark), ...(range === undefined ? [] : [`range ${range}`])].join(', ');
  const below =
    score === null
      ? 'no score'
      : [mark && 'disturbed', range === `${score}` ? undefined : range].filter(Boolean).join('; ');
  return html`<figure class="dial ${rating ?? ''}" data-denied=${mark === undefined ? 'false' : 'true'}>
    <svg viewBox="0 0 72 72" role="img" aria-label="${label}: ${said}">
      <circle class="ring" cx="36" cy="36" r=${radius} />
      ${score === null ? nothing : toArc(score)}
      <text x="36" y="44" text-anchor="middle">${score ?? absent}</text>
    </svg>
    <figcaption aria-hidden="true">${rating ? ratingMark(rating) : nothing}<span>${source ? light(source) : nothing}${hyphenated(label)}${below === '' ? nothing : html`<br><span class="quiet">${below}</span>`}</span></figcaption>
  </figure>`;
}

export const metricName = (name: MetricName) =>
  html`<div class="metric-name"><span>${metricWords[name].label}</span> <span class="quiet small">${metricWords[name].meaning}</span></div>`;

const metricItem = (result: Result, name: MetricName, names: SideNames) => {
  const { strategy, source } = result;
  const { value, rating } = toShown(result, name);
  const row = toResultRow(result, name);
  return html`<li class="metric">
    ${metricName(name)}
    <div class="metric-value">
      ${rowValue(row)}${value === null ? html` <span class="quiet small">not measured</span>` : nothing}
      ${row.range === undefined || row.range === row.text ? nothing : html`<span class="quiet small">${row.range} in ${sayRangeOf(result)}</span>`}
    </div>
    ${value === null ? nothing : metricRange(name, strategy, [{ source, value, rating, spread: spreadOf(result, name) }], names)}
  </li>`;
};

/** Displays the metrics of the score, and the others collapsed below them. */
export const metricsSection = (itemOf: (name: MetricName) => unknown) => html`<section class="metrics">
  <h3>Metrics</h3>
  <ul class="plain">${scoredMetrics.map(itemOf)}</ul>
  <details class="fold">
    <summary>Not part of the score</summary>
    <ul class="plain">${otherMetrics.map(itemOf)}</ul>
  </details>
</section>`;

export const metricsView = (result: Result, names: SideNames) =>
  metricsSection(name => metricItem(result, name, names));

export const customMetricsView = (result: Result) => {
  const rows = toCustomRows(result.custom_metrics);
  if (rows.length === 0) return nothing;
  return html`<details class="fold">
    <summary>${rows.length > 1 ? 'User timings and main-thread work' : 'Main-thread work'}</summary>
    <dl>${rows.map(({ label, text }) => html`<div><dt>${label}</dt><dd>${text}</dd></div>`)}</dl>
    <p class="small quiet">${sayCustomConditions(result)}</p>
  </details>`;
};
