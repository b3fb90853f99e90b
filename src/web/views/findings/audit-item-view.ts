/** An audit in a line that unfolds: what it is about, and its tables and elements. */
import { html, nothing } from 'lit-html';
import type { Rating } from '../../../contract/result/thresholds.ts';
import { toDetailTables } from '../../../presentation/findings/audit-details.ts';
import { wholeOf } from '../looking/look.ts';
import type { Shown } from '../looking/shown.ts';
import { richText } from '../rich-text.ts';
import { detailTable } from './detail-table-view.ts';

/** Tables and elements of an audit; where they are not there yet, they are on their way once it is open. */
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
  readonly title: string;
  readonly rating?: Rating | undefined;
  /** Names of the metrics that it bears on. */
  readonly bearing?: string;
  readonly mark: unknown;
  readonly facts: unknown;
  /** What it is about, and more of what it found. */
  readonly body: unknown;
};

export function auditItem({ id, title, rating, bearing, mark, facts, body }: Item, shown: Shown) {
  const { looking } = shown;
  // Tables are drawn when somebody looks at them; a file has all of them.
  const isOpen = looking?.look.audits.has(id) ?? false;
  return html`<li data-bears=${bearing ?? nothing}>
    <details class="finding ${rating ?? ''}" ?open=${isOpen} @toggle=${looking?.on.toggleAudit(id)}>
      <summary>
        <span class="finding-mark">${mark}</span>
        <span class="finding-title">${richText(title)}</span>
        ${facts}
      </summary>
      <div class="finding-body">${body} ${isOpen || !looking ? detailsView({ id, title }, shown) : nothing}</div>
    </details>
  </li>`;
}
