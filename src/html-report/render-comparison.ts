import type { Static } from 'typebox';
import type { CompareReport } from '../http/schemas.ts';
import { toPage, toText } from './page.ts';

/** A comparison, as `/compare` answers it, as a page of its own. */
export function renderComparison(comparison: Static<typeof CompareReport>): string {
  const told = comparison.comparison;
  const rows = Object.entries(told?.scores ?? {}).map(([name, { psi, lighthouse, difference }]) =>
    [name, psi, lighthouse, difference].map(cell => `<td>${toText(String(cell ?? '–'))}</td>`).join(''),
  );
  return toPage(
    comparison.url,
    `<p>${toText(told?.verdict ?? 'One side failed, so there is nothing to compare.')}</p>
<table>${rows.map(row => `<tr>${row}</tr>`).join('\n')}</table>`,
  );
}
