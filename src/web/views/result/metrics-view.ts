import { html, nothing } from 'lit-html';
import type { MetricName } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import { metricWords, otherMetrics, scoredMetrics } from '../../../presentation/metric-range.ts';
import { absent, formatValue } from '../../../presentation/numbers.ts';
import { sayRange } from '../../../presentation/range.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { isDeniedValue } from '../../../presentation/undisturbed.ts';
import { deniedValue, ratedValue } from '../marks.ts';
import { metricRange } from './metric-range-view.ts';

export const metricName = (name: MetricName) =>
  html`<div class="metric-name"><span>${metricWords[name].label}</span> <span class="quiet small">${metricWords[name].meaning}</span></div>`;

const metricItem = (result: Result, name: MetricName, names: SideNames) => {
  const { metrics, strategy, source } = result;
  const { value, unit, rating } = metrics[name];
  const isDenied = isDeniedValue(result, name);
  const range = sayRange(result, name);
  return html`<li class="metric">
    ${metricName(name)}
    <div class="metric-value">
      ${
        value === null
          ? html`${absent} <span class="quiet small">not measured</span>`
          : isDenied
            ? deniedValue(formatValue(value, unit))
            : ratedValue(formatValue(value, unit), rating)
      }
      ${range === undefined ? nothing : html`<span class="quiet small">${range}</span>`}
    </div>
    ${value === null ? nothing : metricRange(name, strategy, [{ source, value, rating: isDenied ? null : rating }], names)}
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
