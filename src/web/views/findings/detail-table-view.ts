/** A table of an audit: text only, with the picture of an element, and the way from an address to its request. */
import { html, nothing } from 'lit-html';
import type { Cell, DetailTable } from '../../../presentation/findings/audit-details.ts';
import { toPlainText } from '../../../presentation/markdown.ts';
import { counted } from '../../../presentation/numbers.ts';
import { elementPicture } from '../element-picture-view.ts';
import { type Looking, wholeOf } from '../looking/look.ts';
import { requestLink } from '../looking/request-link.ts';
import type { Shown } from '../looking/shown.ts';
import { richText } from '../rich-text.ts';

const words = ({ kind, text, depth = 0 }: Cell) =>
  html`${
    depth > 0 && text !== ''
      ? html`<span class="quiet" aria-hidden="true">${'·\u00a0'.repeat(Math.min(depth, 6))}</span>`
      : nothing
  }${kind === 'code' || kind === 'url' ? html`<code>${text}</code>` : text}`;

/** A file has no pictures here: each would hold the whole one. */
const pictureOf = ({ picture, text }: Cell, looking: Looking | undefined) =>
  picture && looking ? elementPicture(picture, `On the page: ${text}`) : nothing;

const cellView = (cell: Cell, shown: Shown) => {
  const { kind, note, address } = cell;
  return html`<td class=${kind}>${pictureOf(cell, shown.looking)}${words(cell)}${
    note ? html`<span class="note">${note}</span>` : nothing
  }${address === undefined ? nothing : requestLink(address, shown.result && wholeOf(shown.result), shown.looking)}</td>`;
};

/** @param label the title of the audit that it belongs to */
export const detailTable = (
  { title, explanation, headings, rows, more }: DetailTable,
  label: string,
  shown: Shown,
) => html`
  ${title ? html`<h5>${title}</h5>` : nothing} ${explanation ? html`<p class="small quiet">${richText(explanation)}</p>` : nothing}
  <div class="scroll tall" role="group" aria-label="Details of ${toPlainText(label)}" tabindex="0">
    <table class="details">
      ${
        headings.some(Boolean)
          ? html`<thead><tr>${headings.map(heading => (heading ? html`<th scope="col">${heading}</th>` : html`<td></td>`))}</tr></thead>`
          : nothing
      }
      <tbody>${rows.map(row => html`<tr>${row.map(cell => cellView(cell, shown))}</tr>`)}</tbody>
    </table>
  </div>
  ${more > 0 ? html`<p class="small quiet">${counted(more, 'more row')} in the JSON.</p>` : nothing}`;
