import { html } from 'lit-html';

/** Displays a table with its natural width: narrow windows scroll it, and the keyboard can scroll it too. */
export const detailsTable = (name: string, heads: readonly string[], rows: unknown) =>
  html`<div class="scroll" role="group" aria-label=${name} tabindex="0">
    <table class="details">
      <thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;
