import { html, nothing } from 'lit-html';
import type { MetricName, Report } from '../../report/report.ts';
import { bordersOf, metricWords, otherMetrics, rate, scoredMetrics } from '../metric-range.ts';
import { absent, formatValue } from '../numbers.ts';
import { ratedValue } from './marks.ts';
import { metricRange } from './metric-range.ts';

export const metricName = (name: MetricName) =>
  html`<div class="metric-name"><span>${metricWords[name].label}</span> <span class="quiet small">${metricWords[name].meaning}</span></div>`;

const metricItem = ({ metrics, strategy, source }: Report, name: MetricName) => {
  const { value, unit } = metrics[name];
  const borders = bordersOf(name, strategy);
  return html`<li class="metric">
    ${metricName(name)}
    <div class="metric-value">
      ${
        value === null
          ? html`${absent} <span class="quiet small">not measured</span>`
          : ratedValue(formatValue(value, unit), borders && rate(value, borders))
      }
    </div>
    ${value === null ? nothing : metricRange(name, strategy, [{ source, value }])}
  </li>`;
};

/** The metrics that make the score, and folded away those that are measured beside them. */
export const metricsView = (report: Report) => html`<section class="metrics">
  <h3>Metrics</h3>
  <ul class="plain">${scoredMetrics.map(name => metricItem(report, name))}</ul>
  <details class="fold">
    <summary>Not part of the score</summary>
    <ul class="plain">${otherMetrics.map(name => metricItem(report, name))}</ul>
  </details>
</section>`;
