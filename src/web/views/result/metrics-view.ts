import { html, nothing } from 'lit-html';
import type { MetricName } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import { metricWords, otherMetrics, scoredMetrics } from '../../../presentation/metric-range.ts';
import { absent, formatValue } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { ratedValue } from '../marks.ts';
import { metricRange } from './metric-range-view.ts';

export const metricName = (name: MetricName) =>
  html`<div class="metric-name"><span>${metricWords[name].label}</span> <span class="quiet small">${metricWords[name].meaning}</span></div>`;

const metricItem = ({ metrics, strategy, source }: Result, name: MetricName, names: SideNames) => {
  const { value, unit, rating } = metrics[name];
  return html`<li class="metric">
    ${metricName(name)}
    <div class="metric-value">
      ${
        value === null
          ? html`${absent} <span class="quiet small">not measured</span>`
          : ratedValue(formatValue(value, unit), rating)
      }
    </div>
    ${value === null ? nothing : metricRange(name, strategy, [{ source, value, rating }], names)}
  </li>`;
};

/** The metrics that make the score, and folded below them the others. */
export const metricsView = (result: Result, names: SideNames) => html`<section class="metrics">
  <h3>Metrics</h3>
  <ul class="plain">${scoredMetrics.map(name => metricItem(result, name, names))}</ul>
  <details class="fold">
    <summary>Not part of the score</summary>
    <ul class="plain">${otherMetrics.map(name => metricItem(result, name, names))}</ul>
  </details>
</section>`;
