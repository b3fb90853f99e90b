import { html, nothing } from 'lit-html';

/** Displays a name, and values at the end of their columns. */
export const valuesRow = (name: unknown, values: readonly unknown[], kind?: 'url') =>
  html`<tr><th scope="row" class=${kind ?? nothing}>${name}</th>${values.map(value => html`<td class="number">${value}</td>`)}</tr>`;

/**
 * Displays a table with its natural width: narrow windows scroll it, and the keyboard can scroll it too.
 * @param height `tall`: a long table scrolls in its own area
 */
export const detailsTable = (name: string, heads: readonly string[], rows: unknown, height: 'tall' | '' = '') =>
  html`<div class="scroll ${height}" role="group" aria-label=${name} tabindex="0">
    <table class="details">
      <thead><tr>${heads.map((head, at) => html`<th scope="col" class=${at > 0 ? 'number' : nothing}>${head}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;
