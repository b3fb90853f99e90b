/** Displays the three most useful findings next to the scores. Each links to its row in the list of fixes. */
import { html, nothing } from 'lit-html';
import type { WhatIf } from '../../../contract/stored/what-if.ts';
import {
  bestFindings,
  type Finding,
  type FindingGroup,
  sayEffect,
  sayPoints,
} from '../../../presentation/findings/findings.ts';
import { toPlainText } from '../../../presentation/markdown.ts';
import { firstStep, sayStepGain } from '../../../presentation/what-if-words.ts';
import { findingId, type Looking, type Shown } from '../load-details/load-details-state.ts';

/** A fix whose row in the list of findings has the same id. */
type Fix = { readonly id: string; readonly title: string; readonly facts: readonly (string | undefined)[] };

const fixView = ({ id, title, facts }: Fix, { name }: Shown, looking: Looking | undefined) => {
  const gain = facts
    .filter(fact => fact !== undefined)
    .map((fact, at) => html`<span>${at > 0 ? ' · ' : ''}${fact}</span>`);
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

const shownFixes = 3;

/**
 * @param lookingOf returns the details of the side that contains a finding; absent in a file
 * @param whatIf predictions, once they are loaded: their first fix is displayed first
 */
export function bestFixesView(
  groups: readonly FindingGroup[],
  shown: Shown,
  lookingOf: (finding: Finding) => Looking | undefined,
  whatIf?: WhatIf,
) {
  const step = whatIf && firstStep(whatIf);
  const best = bestFindings(groups, shownFixes + 1)
    .filter(({ id }) => id !== step?.id)
    .slice(0, shownFixes - (step ? 1 : 0));
  if (best.length === 0 && !step) return nothing;
  const first = step && { id: step.id, title: step.title, facts: [sayStepGain(step, whatIf.fixes.error)] };
  return html`<section class="best-fixes">
    <h3>Fix first</h3>
    <ol class="plain">
      ${first ? fixView(first, shown, shown.looking) : nothing}
      ${best.map(finding => {
        const facts = [sayPoints(finding), sayEffect(finding, shown.result)];
        return fixView({ id: finding.id, title: finding.title, facts }, shown, lookingOf(finding));
      })}
    </ol>
  </section>`;
}
