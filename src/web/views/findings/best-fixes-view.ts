/** The three findings that win most, beside the scores. */
import { html, nothing } from 'lit-html';
import type { Result } from '../../../contract/result/result.ts';
import {
  bestFindings,
  type Finding,
  type FindingGroup,
  sayEffect,
  sayPoints,
} from '../../../presentation/findings/findings.ts';
import { toPlainText } from '../../../presentation/markdown.ts';
import type { Looking } from '../looking/look.ts';
import { richText } from '../marks.ts';

const fixView = (finding: Finding, result: Result | undefined, looking: Looking | undefined) => {
  const [points, effect] = [sayPoints(finding), sayEffect(finding, result)];
  const title = html`<span class="fix-title">${looking?.showAudit ? toPlainText(finding.title) : richText(finding.title)}</span>
    <span class="fix-gain small">${points ?? nothing}${points && effect ? ' · ' : nothing}${effect ?? nothing}</span>`;
  return html`<li>${looking?.showAudit ? html`<button type="button" class="fix" @click=${() => looking.showAudit?.(finding.id)}>${title}</button>` : html`<span class="fix">${title}</span>`}</li>`;
};

/** @param result whose metrics tell which saving matters; absent where two sides are merged */
export function bestFixesView(
  groups: readonly FindingGroup[],
  result: Result | undefined,
  lookingOf: (finding: Finding) => Looking | undefined,
) {
  const best = bestFindings(groups);
  if (best.length === 0) return nothing;
  return html`<section class="best-fixes">
    <h3>Fix first</h3>
    <ol class="plain">${best.map(finding => fixView(finding, result, lookingOf(finding)))}</ol>
  </section>`;
}
