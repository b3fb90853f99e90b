import { html, nothing } from 'lit-html';

/** Displays a table with its natural width: narrow windows scroll it, and the keyboard can scroll it too. */
export const detailsTable = (name: string, heads: readonly string[], rows: unknown) =>
  html`<div class="scroll" role="group" aria-label=${name} tabindex="0">
    <table class="details">
      <thead><tr>${heads.map((head, at) => html`<th scope="col" class=${at > 0 ? 'number' : nothing}>${head}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;
