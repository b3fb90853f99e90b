/** Displays passed, informative and not applicable audits by category, collapsed. */
import { html, nothing } from 'lit-html';
import type { Result } from '../../../contract/result/result.ts';
import {
  type AuditKind,
  auditKinds,
  auditKindWords,
  type OtherAudit,
  type OtherAudits,
  ofKind,
  toOtherAudits,
} from '../../../presentation/full-result/other-audits.ts';
import { toPlainText } from '../../../presentation/markdown.ts';
import { categoriesOf } from '../../../presentation/result-rows.ts';
import { categoryWords } from '../../../presentation/words.ts';
import { partFold, type Shown, wholeOf } from '../load-details/load-details-state.ts';
import { ratingMark, richText } from '../marks.ts';
import { auditItem } from './audit-item-view.ts';

const markOf = (kind: AuditKind) => {
  if (kind === 'passed') return ratingMark('good');
  return html`<span aria-hidden="true">${{ informative: 'i', not_applicable: '–', manual: '?' }[kind]}</span>`;
};

const auditView = (kind: AuditKind, { id, title, description, displayValue }: OtherAudit, shown: Shown) =>
  auditItem(
    {
      id,
      title,
      rating: kind === 'passed' ? 'good' : undefined,
      mark: markOf(kind),
      facts:
        displayValue === '' ? nothing : html`<span class="facts row"><span>${toPlainText(displayValue)}</span></span>`,
      body: html`<p>${richText(description)}</p>`,
    },
    shown,
  );

const kindView = (kind: AuditKind, audits: readonly OtherAudit[], shown: Shown) =>
  audits.length === 0
    ? nothing
    : html`<div>
        <h4>${auditKindWords[kind]} <span class="count">${audits.length}</span></h4>
        <ul class="plain findings">${audits.map(audit => auditView(kind, audit, shown))}</ul>
      </div>`;

const countWords: Readonly<Record<AuditKind, string>> = {
  passed: 'passed',
  informative: 'informative',
  not_applicable: 'not applicable',
  manual: 'by hand',
};

const sayCounts = (others: OtherAudits): string =>
  auditKinds
    .map(kind => [ofKind(others, kind).length, countWords[kind]] as const)
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
    .join(', ');

/** Placeholder until the section is expanded, the same for all readers, so that nothing moves. */
const notCounted = 'passed, informative, not applicable';

const bodyView = (others: OtherAudits, shown: Shown) =>
  others.audits.length === 0
    ? html`<p class="quiet">The analyser sent no other audits of this category.</p>`
    : auditKinds.map(kind => kindView(kind, ofKind(others, kind), shown));

/** Displays the other audits; empty if the whole result is missing and cannot be loaded. */
export function otherAuditsView(result: Result, shown: Shown) {
  const { looking, names } = shown;
  const whole = wholeOf(result);
  if (!looking && !whole) return nothing;
  const categories = categoriesOf([result]);
  const known = whole && toOtherAudits(whole, categories);
  return html`<section class="load-details">
    <h3>Passed, informative and not applicable</h3>
    ${categories.map(category => {
      const others = known?.find(entry => entry.category === category);
      const isOpen = !looking || looking.look.opened.has(`audits-${category}`);
      const counts = others && isOpen ? sayCounts(others) || 'none' : notCounted;
      const title = html`${categoryWords[category]} <span class="quiet small counts">${counts}</span>`;
      return partFold({ part: `audits-${category}`, title, names, looking }, others && (() => bodyView(others, shown)));
    })}
  </section>`;
}
