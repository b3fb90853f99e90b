/** The three findings that win most, beside the scores. Each leads to its row in the list of what to fix. */
import { html, nothing } from 'lit-html';
import {
  bestFindings,
  type Finding,
  type FindingGroup,
  sayEffect,
  sayPoints,
} from '../../../presentation/findings/findings.ts';
import { toPlainText } from '../../../presentation/markdown.ts';
import { findingId, type Looking, type Shown } from '../looking/look.ts';

const fixView = (finding: Finding, { name, result }: Shown, looking: Looking | undefined) => {
  const facts = [sayPoints(finding), sayEffect(finding, result)].filter(fact => fact !== undefined);
  const words = html`<span class="fix-title">${toPlainText(finding.title)}</span> <span class="fix-gain small">${facts.join(' · ')}</span>`;
  if (name === undefined) return html`<li><span class="fix">${words}</span></li>`;
  const show = (event: Event): void => {
    if (!looking?.showAudit) return;
    // The fragment of the page may hold a request.
    event.preventDefault();
    looking.showAudit(name, finding.id);
  };
  return html`<li><a class="fix" href="#${findingId(name, finding.id)}" @click=${show}>${words}</a></li>`;
};

/** @param lookingOf how the side that tells of a finding is looked at; a file has none */
export function bestFixesView(
  groups: readonly FindingGroup[],
  shown: Shown,
  lookingOf: (finding: Finding) => Looking | undefined,
) {
  const best = bestFindings(groups);
  if (best.length === 0) return nothing;
  return html`<section class="best-fixes">
    <h3>Fix first</h3>
    <ol class="plain">${best.map(finding => fixView(finding, shown, lookingOf(finding)))}</ol>
  </section>`;
}
