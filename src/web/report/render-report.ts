import { html, nothing } from 'lit-html';
import { categoryNames } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import { isLhr } from '../../measure/lhr/lhr.ts';
import { categoryWords } from '../../presentation/findings/findings.ts';
import { hostOf } from '../../presentation/host-of.ts';
import { metricWords, scoredMetrics } from '../../presentation/metric-range.ts';
import { formatValue } from '../../presentation/numbers.ts';
import { sayUncertainty } from '../../presentation/range.ts';
import { sayDisturbance } from '../../presentation/undisturbed.ts';
import { sayVerdict } from '../../presentation/verdict.ts';
import { lighthouseShell } from './lighthouse-shell.ts';
import { escapeMarkup, toScriptJson } from './markup.ts';
import { toHtml } from './template-html.ts';
import { toWholeLhr } from './whole-lhr.ts';

const sayScore = (score: number | null | undefined): string =>
  typeof score === 'number' ? `${score} of 100` : 'no score';

/** For who runs no scripts: what a person looks for first. */
const plainView = (result: Result) => html`
    <h1>Lighthouse report for ${result.final_url}</h1>
    <p>${sayVerdict(result)}</p>
    <ul>
      ${categoryNames
        .filter(name => name in result.scores)
        .map(name => html`<li>${categoryWords[name]}: ${sayScore(result.scores[name])}</li>`)}
      ${scoredMetrics.map(name => {
        const { value, unit } = result.metrics[name];
        return html`<li>${metricWords[name].label}: ${formatValue(value, unit)}</li>`;
      })}
    </ul>
    <p>Measured with Lighthouse ${result.lighthouse_version}, ${result.strategy}, at ${result.fetched_at}. The details are drawn with JavaScript.</p>`;

/** What Lighthouse's own report has no place for: how far the scores vary, what disturbed them, and the label. */
function noteView(result: Result) {
  const label = result.label === undefined ? undefined : `Label: ${result.label}`;
  const said = [sayDisturbance(result), sayUncertainty(result), label].filter(sentence => sentence !== undefined);
  return said.length === 0
    ? nothing
    : html`<aside class="rangelight-note" style="margin: 0; padding: 12px 16px; background: #eef1f0; color: #16211f; font: 14px/1.5 system-ui, sans-serif">${said.map(sentence => html`<p style="margin: 0">${sentence}</p>`)}</aside>`;
}

/** The policy of every such report, as it also stands in the file. */
export const reportPolicy = (): string => lighthouseShell().policy;

/**
 * A Result as one HTML file that needs nothing beside itself: Lighthouse's own report of the whole result.
 * @param report with its `lighthouse_result`
 * @throws Error without it: a report requires the full data
 */
export function renderReport(result: Result): string {
  const { lighthouse_result: lhr, strategy, final_url: url } = result;
  if (!isLhr(lhr)) throw new Error('An HTML report is drawn from full data: this result has no lighthouse_result');
  return lighthouseShell().fill({
    title: escapeMarkup(`${hostOf(url)}, ${strategy} · Lighthouse report`),
    note: toHtml(html`${noteView(result)}`),
    plain: toHtml(plainView(result)),
    json: toScriptJson(toWholeLhr(lhr, strategy)),
  });
}
