import { html, nothing } from 'lit-html';
import type { Category, Report } from '../../report/report.ts';
import { type Cell, type DetailTable, toDetailTables } from '../audit-details.ts';
import { categoryWords, countFindings, type Finding, type FindingGroup, saySavings } from '../findings.ts';
import { toPlainText } from '../markdown.ts';
import { rateScore } from '../metric-range.ts';
import { counted, joinWords } from '../numbers.ts';
import { ratingMark, sideName } from './marks.ts';
import { richText } from './rich-text.ts';

const cell = ({ kind, text, note }: Cell) =>
  html`<td class=${kind}>${kind === 'code' || kind === 'url' ? html`<code>${text}</code>` : text}${
    note ? html`<span class="note">${note}</span>` : nothing
  }</td>`;

const detailTable = ({ title, headings, rows, more }: DetailTable, label: string) => html`
  ${title ? html`<h5>${title}</h5>` : nothing}
  <div class="scroll" role="group" aria-label="Details of ${toPlainText(label)}" tabindex="0">
    <table class="details">
      ${
        headings.some(Boolean)
          ? html`<thead><tr>${headings.map(heading => html`<th scope="col">${heading}</th>`)}</tr></thead>`
          : nothing
      }
      <tbody>${rows.map(row => html`<tr>${row.map(cell)}</tr>`)}</tbody>
    </table>
  </div>
  ${more > 0 ? html`<p class="small quiet">${counted(more, 'more row')} in the JSON.</p>` : nothing}`;

const otherCategories = ({ categories }: Finding, group: Category): string =>
  categories
    .filter(name => name !== group)
    .map(name => categoryWords[name])
    .join(', ');

const facts = (finding: Finding, group: Category, isMerged: boolean) => {
  const others = otherCategories(finding, group);
  const savings = saySavings(finding);
  return html`<span class="facts">
    ${isMerged && finding.sources.length === 1 ? finding.sources.map(source => html`<span class="only">${sideName(source)} only</span>`) : nothing}
    ${savings.length > 0 ? html`<span class="saving">may save ${savings[0]}</span>` : nothing}
    ${savings.length === 0 && finding.display_value ? html`<span>${finding.display_value}</span>` : nothing}
    ${others ? html`<span>also ${others}</span>` : nothing}
  </span>`;
};

/** What the summary left out: further savings, and Lighthouse's own measure of it. */
const moreFacts = (finding: Finding) => {
  const savings = saySavings(finding);
  const isShown = savings.length === 0;
  return html`
    ${savings.length > 1 ? html`<p class="small">May save ${joinWords(savings)}.</p>` : nothing}
    ${finding.display_value && !isShown ? html`<p class="small quiet">Lighthouse says: ${finding.display_value}</p>` : nothing}`;
};

const findingItem = (finding: Finding, group: Category, report: Report | undefined) => html`<li>
  <details class="finding ${finding.score === null ? '' : rateScore(finding.score)}">
    <summary>
      <span class="finding-mark">${finding.score === null ? '?' : ratingMark(rateScore(finding.score))}</span>
      <span class="finding-title">${richText(finding.title)}</span>
      ${facts(finding, group, report === undefined)}
    </summary>
    <div class="finding-body">
      ${finding.error_message ? html`<p>The audit itself failed: ${finding.error_message}</p>` : nothing}
      <p>${richText(finding.description)}</p>
      ${moreFacts(finding)}
      ${report ? toDetailTables(report, finding.id).map(table => detailTable(table, finding.title)) : nothing}
    </div>
  </details>
</li>`;

const groupView = ({ category, findings }: FindingGroup, report: Report | undefined) => html`
  <h4>${categoryWords[category]} <span class="count">${findings.length}</span></h4>
  <ul class="plain findings">${findings.map(finding => findingItem(finding, category, report))}</ul>`;

/** What to fix. @param report the side whose details are shown; none where two sides are merged */
export const findingsView = (groups: readonly FindingGroup[], report?: Report) => html`<section class="fixes">
  <h3>What to fix</h3>
  ${
    countFindings(groups) === 0
      ? html`<p class="notice">Nothing: every audit that was asked for is passed.</p>`
      : groups.map(group => groupView(group, report))
  }
</section>`;
