/** Displays the three most useful findings next to the scores. Each links to its row in the list of fixes. */
import { html, nothing } from 'lit-html';
import { bestFindings, type Finding, type FindingGroup, sayFacts } from '../../../presentation/findings/findings.ts';
import { toPlainText } from '../../../presentation/markdown.ts';
import { findingId, type Looking, type Shown } from '../load-details/load-details-state.ts';

/** A fix whose row in the list of findings has the same id. */
type Fix = { readonly id: string; readonly title: string; readonly facts: readonly string[] };

const fixView = ({ id, title, facts }: Fix, { name }: Shown, looking: Looking | undefined) => {
  const gain = facts.map((fact, at) => html`<span>${at > 0 ? ' · ' : ''}${fact}</span>`);
  const words = html`<span class="fix-title">${toPlainText(title)}</span> <span class="fix-gain small">${gain}</span>`;
  if (name === undefined) return html`<li><span class="fix">${words}</span></li>`;
  const show = (event: Event): void => {
    if (!looking?.showAudit) return;
    // The link is not followed, because the fragment may contain a request.
    event.preventDefault();
    looking.showAudit(name, id);
  };
  return html`<li><a class="fix" href="#${findingId(name, id)}" @click=${show}>${words}</a></li>`;
};

/** @param lookingOf returns the details of the side that contains a finding; absent in a file */
export function bestFixesView(
  groups: readonly FindingGroup[],
  shown: Shown,
  lookingOf: (finding: Finding) => Looking | undefined,
) {
  const best = bestFindings(groups);
  if (best.length === 0) return nothing;
  return html`<section class="best-fixes">
    <h3>Fix first</h3>
    <ol class="plain">
      ${best.map(finding =>
        fixView(
          { id: finding.id, title: finding.title, facts: sayFacts(finding, shown.result) },
          shown,
          lookingOf(finding),
        ),
      )}
    </ol>
  </section>`;
}
