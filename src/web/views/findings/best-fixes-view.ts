/** Displays the three most useful findings next to the scores. Each links to its row in the list of fixes. */
import { html, nothing } from 'lit-html';
import { bestFindings, type Finding, type FindingGroup, sayEffect } from '../../../presentation/findings/findings.ts';
import { toPlainText } from '../../../presentation/markdown.ts';
import { categoryWords } from '../../../presentation/words.ts';
import { findingId, type Looking, type Shown } from '../load-details/load-details-state.ts';
import { pointsCell, pointsReach } from './findings-view.ts';

/** @param lookingOf returns the details of the side that contains a finding; absent in a file */
export function bestFixesView(
  groups: readonly FindingGroup[],
  { name, result }: Shown,
  lookingOf: (finding: Finding) => Looking | undefined,
) {
  const best = bestFindings(groups);
  if (best.length === 0) return nothing;
  const reach = pointsReach(groups);
  const fixView = (finding: Finding) => {
    const { id, title, category } = finding;
    const facts = [categoryWords[category], sayEffect(finding, result)].filter(Boolean).join(' · ');
    const words = html`<span class="fix-title">${toPlainText(title)}</span>${pointsCell(finding, reach)}<span class="fix-facts small quiet">${facts}</span>`;
    if (name === undefined) return html`<li><span class="fix">${words}</span></li>`;
    const show = (event: Event): void => {
      const looking = lookingOf(finding);
      if (!looking?.showAudit) return;
      // The link is not followed, because the fragment may contain a request.
      event.preventDefault();
      looking.showAudit(name, id);
    };
    return html`<li><a class="fix" href="#${findingId(name, id)}" @click=${show}>${words}</a></li>`;
  };
  return html`<section class="best-fixes">
    <h3>Fix first</h3>
    <ol class="plain">${best.map(fixView)}</ol>
  </section>`;
}
