import { html } from 'lit-html';
import { isLhr } from '../report/lhr.ts';
import type { Report } from '../report/report.ts';
import { categoryWords } from '../web/findings.ts';
import { metricWords, scoredMetrics } from '../web/metric-range.ts';
import { formatValue } from '../web/numbers.ts';
import { categoryNames } from '../web/page-request.ts';
import { sayVerdict } from '../web/verdict.ts';
import { lighthouseShell } from './lighthouse-shell.ts';
import { escapeMarkup, toScriptJson } from './markup.ts';
import { toHtml } from './template-html.ts';
import { toWholeLhr } from './whole-lhr.ts';

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

const sayScore = (score: number | null | undefined): string =>
  typeof score === 'number' ? `${score} of 100` : 'no score';

/** For who runs no scripts: what a person looks for first. */
const plainView = (report: Report) => html`
    <h1>Lighthouse report for ${report.final_url}</h1>
    <p>${sayVerdict(report)}</p>
    <ul>
      ${categoryNames
        .filter(name => name in report.scores)
        .map(name => html`<li>${categoryWords[name]}: ${sayScore(report.scores[name])}</li>`)}
      ${scoredMetrics.map(name => {
        const { value, unit } = report.metrics[name];
        return html`<li>${metricWords[name].label}: ${formatValue(value, unit)}</li>`;
      })}
    </ul>
    <p>Measured with Lighthouse ${report.lighthouse_version}, ${report.strategy}, at ${report.fetched_at}. The details are drawn with JavaScript.</p>`;

/** The policy of every such report, as it also stands in the file. */
export const reportPolicy = (): string => lighthouseShell().policy;

/**
 * A Report as one HTML file that needs nothing beside itself: Lighthouse's own report of the whole result.
 * @param report with its `lighthouse_result`
 * @throws Error without it: who asks for a report has to ask for the full data before
 */
export function renderReport(report: Report): string {
  const { lighthouse_result: lhr, strategy, final_url: url } = report;
  if (!isLhr(lhr)) throw new Error('An HTML report is drawn from full data: this Report has no lighthouse_result');
  return lighthouseShell().fill({
    title: escapeMarkup(`${hostOf(url)}, ${strategy} · Lighthouse report`),
    plain: toHtml(plainView(report)),
    json: toScriptJson(toWholeLhr(lhr, strategy)),
  });
}
