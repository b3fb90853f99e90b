/** Displays the causes of differences. Missing parts of the response are omitted. */

import { html, nothing } from 'lit-html';
import type { Cause } from '../../../contract/analysis/comparison.ts';
import type { Pairing } from '../../../presentation/answer.ts';
import { absent, startUpper, withSign } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { categoryWords } from '../../../presentation/words.ts';
import { detailsTable, pointsBar, type Reach, reachOf, valuesRow } from '../marks.ts';

/** A service may answer with scores and metrics only. */
type ToldCauses = Partial<Pick<NonNullable<Pairing['comparison']>, 'causes' | 're_audits'>>;

const certaintyWords: Readonly<Record<string, string>> = {
  computed: 'Computed: audited again with this one change',
  observed: 'Observed on both sides',
  possible: 'Possible',
};

const causeName = (name: string): string => startUpper(name.replaceAll('_', ' ').replace(/^cpu$/, 'processor'));

const evidenceView = (facts: Cause['evidence'], names: SideNames) => {
  if (facts.length === 0) return nothing;
  const row = ({ fact, psi, lighthouse }: Cause['evidence'][number]) =>
    valuesRow(startUpper(fact.replaceAll('_', ' ')), [psi ?? absent, lighthouse ?? absent]);
  return html`<details class="fold"><summary>Evidence</summary>
    ${detailsTable('Evidence', ['Fact', names.psi.short, names.lighthouse.short], facts.map(row))}
  </details>`;
};

const categoryOf = (category: Cause['category']): string => (category === null ? '' : categoryWords[category]);

const causeItem = (
  { cause, category, points, certainty, evidence, explanation }: Cause,
  names: SideNames,
  reach: Reach,
) => html`<li class="cause" data-certainty=${certainty}>
  <h4>${causeName(cause)} ${typeof points === 'number' ? html`${pointsBar(points, reach)}<span class="number">${withSign(points, 1)}<span class="unseen"> ${categoryOf(category)}</span></span>` : nothing}</h4>
  ${explanation ? html`<p>${explanation}</p>` : nothing}
  <p class="small quiet">${certaintyWords[certainty] ?? certainty}${category && category !== 'performance' ? ` · ${categoryOf(category)}` : ''}</p>
  ${evidenceView(evidence, names)}
</li>`;

/** Displays the causes, the most important first. */
export const causesView = ({ causes, re_audits: again }: ToldCauses, names: SideNames) => {
  if (!causes || causes.length === 0) return nothing;
  const reach = reachOf(causes.map(({ points }) => points ?? 0));
  return html`<section>
    <h3>Why they differ</h3>
    <ol class="plain causes stack">${causes.map(cause => causeItem(cause, names, reach))}</ol>
    ${again?.detail && again.status !== 'done' ? html`<p class="small quiet">${again.detail}</p>` : nothing}
  </section>`;
};
