import { html, nothing } from 'lit-html';
import { isForRepeatVisits } from '../../contract/advice.ts';
import type { Category } from '../../contract/names.ts';
import type { Result } from '../../contract/result.ts';
import { type Cell, type DetailTable, toDetailTables } from '../../presentation/audit-details.ts';
import {
  categoryWords,
  countFindings,
  type Finding,
  type FindingGroup,
  isSaving,
  sayEffect,
  saySavings,
} from '../../presentation/findings.ts';
import { toPlainText } from '../../presentation/markdown.ts';
import { rateScore } from '../../presentation/metric-range.ts';
import { counted, joinWords } from '../../presentation/numbers.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import { type Looking, wholeOf } from './look.ts';
import { light, ratingMark } from './marks.ts';
import { richText } from './rich-text.ts';

const cell = ({ kind, text, note, depth = 0 }: Cell) =>
  html`<td class=${kind}>${depth > 0 ? html`<span class="quiet" aria-hidden="true">${'·\u2002'.repeat(Math.min(depth, 6))}</span>` : nothing}${kind === 'code' || kind === 'url' ? html`<code>${text}</code>` : text}${
    note ? html`<span class="note">${note}</span>` : nothing
  }</td>`;

const detailTable = ({ title, headings, rows, more }: DetailTable, label: string) => html`
  ${title ? html`<h5>${title}</h5>` : nothing}
  <div class="scroll tall" role="group" aria-label="Details of ${toPlainText(label)}" tabindex="0">
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

/** What is the same for every finding: the names of the sides, and the result whose details are shown. */
type Shown = { readonly names: SideNames; readonly result?: Result; readonly looking?: Looking | undefined };

/** Tables and elements of a finding; where they are not there yet, they are on their way once it is open. */
function detailsView(finding: Finding, { result, looking }: Shown) {
  if (!result) return nothing;
  if (wholeOf(result)) return toDetailTables(result, finding.id).map(table => detailTable(table, finding.title));
  if (!looking) return nothing;
  return looking.look.state === 'failed'
    ? html`<p><button type="button" @click=${looking.load}>Load its details again</button></p>`
    : html`<p class="small quiet">Loading its details …</p>`;
}

const facts = (finding: Finding, group: Category, { names, result }: Shown) => {
  const others = otherCategories(finding, group);
  const effect = sayEffect(finding);
  return html`<span class="facts">
    ${result === undefined && finding.sources.length === 1 ? finding.sources.map(source => html`<span>${light(source)}${names[source].short} only</span>`) : nothing}
    ${isSaving(finding) ? html`<span class="saving">${effect}</span>` : effect ? html`<span>${effect}</span>` : nothing}
    ${others ? html`<span>also ${others}</span>` : nothing}
  </span>`;
};

/** What the summary left out: further savings, and Lighthouse's own measure of it. */
const moreFacts = (finding: Finding) => {
  const savings = saySavings(finding);
  const isShown = savings.length === 0 && !isForRepeatVisits(finding.id);
  return html`
    ${savings.length > 1 ? html`<p class="small">May save ${joinWords(savings)}.</p>` : nothing}
    ${finding.display_value && !isShown ? html`<p class="small quiet">Lighthouse says: ${finding.display_value}</p>` : nothing}`;
};

const findingItem = (finding: Finding, group: Category, shown: Shown) => html`<li>
  <details class="finding ${finding.score === null ? '' : rateScore(finding.score)}" @toggle=${shown.looking?.on.toggleFinding}>
    <summary>
      <span class="finding-mark">${finding.score === null ? '?' : ratingMark(rateScore(finding.score))}</span>
      <span class="finding-title">${richText(finding.title)}</span>
      ${facts(finding, group, shown)}
    </summary>
    <div class="finding-body">
      ${finding.error_message ? html`<p>The audit itself failed: ${finding.error_message}</p>` : nothing}
      <p>${richText(finding.description)}</p>
      ${moreFacts(finding)}
      ${detailsView(finding, shown)}
    </div>
  </details>
</li>`;

const groupView = ({ category, findings }: FindingGroup, shown: Shown) => html`
  <h4>${categoryWords[category]} <span class="count">${findings.length}</span></h4>
  <ul class="plain findings">${findings.map(finding => findingItem(finding, category, shown))}</ul>`;

/** What to fix. @param side the one whose details are shown; none where two sides are merged */
export const findingsView = (
  groups: readonly FindingGroup[],
  names: SideNames,
  side: Omit<Shown, 'names'> = {},
) => html`<section class="fixes">
  <h3>What to fix</h3>
  ${
    countFindings(groups) === 0
      ? html`<p class="notice">Nothing: every audit of the chosen categories passed.</p>`
      : groups.map(group => groupView(group, { names, ...side }))
  }
</section>`;
