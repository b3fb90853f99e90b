/** Displays an audit as a line that expands: its description, and its tables and elements. */
import { html, nothing } from 'lit-html';
import type { Rating } from '../../../contract/result/thresholds.ts';
import { type AuditCell, type DetailTable, toDetailTables } from '../../../presentation/findings/audit-details.ts';
import { toPlainText } from '../../../presentation/markdown.ts';
import { counted } from '../../../presentation/numbers.ts';
import { elementPicture } from '../element-picture-view.ts';
import { findingId, type Looking, requestLink, type Shown, wholeOf } from '../load-details/load-details-state.ts';
import { richText } from '../marks.ts';

const words = ({ kind, text, depth = 0 }: AuditCell) =>
  html`${
    depth > 0 && text !== ''
      ? html`<span class="quiet" aria-hidden="true">${'·\u00a0'.repeat(Math.min(depth, 6))}</span>`
      : nothing
  }${kind === 'code' || kind === 'url' ? html`<code>${text}</code>` : text}`;

/** Returns the screenshot. A file has none, because each would contain the whole image. */
const pictureOf = ({ picture, text }: AuditCell, looking: Looking | undefined) =>
  picture && looking ? elementPicture(picture, `On the page: ${text}`) : nothing;

const cellView = (cell: AuditCell, shown: Shown) => {
  const { kind, note, address } = cell;
  return html`<td class=${kind}>${pictureOf(cell, shown.looking)}${words(cell)}${
    note ? html`<span class="note">${note}</span>` : nothing
  }${address === undefined ? nothing : requestLink(address, shown.result && wholeOf(shown.result), shown.looking)}</td>`;
};

/** @param label title of the audit */
const detailTable = ({ title, explanation, headings, rows, more }: DetailTable, label: string, shown: Shown) => html`
  ${title ? html`<h5>${title}</h5>` : nothing} ${explanation ? html`<p class="small quiet">${richText(explanation)}</p>` : nothing}
  <div class="scroll tall" role="group" aria-label="Details of ${toPlainText(label)}" tabindex="0">
    <table class="details">
      ${
        headings.some(Boolean)
          ? html`<thead><tr>${headings.map((heading, at) => {
              const kind = rows[0]?.[at]?.kind === 'number' ? 'number' : nothing;
              return heading ? html`<th scope="col" class=${kind}>${heading}</th>` : html`<td></td>`;
            })}</tr></thead>`
          : nothing
      }
      <tbody>${rows.map(row => html`<tr>${row.map(cell => cellView(cell, shown))}</tr>`)}</tbody>
    </table>
  </div>
  ${more > 0 ? html`<p class="small quiet">${counted(more, 'more row')} in the JSON.</p>` : nothing}`;

/** Displays tables and elements of an audit; if they are missing, opening it loads them. */
function detailsView({ id, title }: { id: string; title: string }, shown: Shown) {
  const { result, looking } = shown;
  if (!result) return nothing;
  if (wholeOf(result)) return toDetailTables(result, id).map(table => detailTable(table, title, shown));
  if (!looking) return nothing;
  return looking.look.state === 'failed'
    ? html`<p><button type="button" @click=${looking.load}>Load its details again</button></p>`
    : html`<p class="small quiet">Loading its details …</p>`;
}

type Item = {
  readonly id: string;
  /** Id of the audit with the details, if it is another one. */
  readonly audit?: string | undefined;
  readonly title: string;
  readonly rating?: Rating | undefined;
  /** Names of the affected metrics. */
  readonly bearing?: string;
  readonly mark: unknown;
  readonly facts: unknown;
  /** Description and further findings. */
  readonly body: unknown;
};

export function auditItem({ id, audit, title, rating, bearing, mark, facts, body }: Item, shown: Shown) {
  const { looking, name } = shown;
  // Tables are drawn on demand; a file contains all of them.
  const isOpen = looking?.look.audits.has(id) ?? false;
  return html`<li id=${name === undefined ? nothing : findingId(name, id)} data-bears=${bearing ?? nothing}>
    <details class="finding ${rating ?? ''}" ?open=${isOpen} @toggle=${looking?.on.toggleAudit(id)}>
      <summary>
        <span class="finding-mark">${mark}</span>
        <span class="finding-title">${richText(title)}</span>
        ${facts}
      </summary>
      <div class="finding-body stack">${body} ${isOpen || !looking ? detailsView({ id: audit ?? id, title }, shown) : nothing}</div>
    </details>
  </li>`;
}
