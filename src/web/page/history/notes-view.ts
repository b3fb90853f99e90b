/** Notes on a history: marks on its chart, and links at a change. */
import { html, nothing, svg } from 'lit-html';
import type { History } from '../../../contract/stored/history.ts';
import { type Chart, sayNotes } from '../../../presentation/charts/history-chart.ts';

export const noteMarks = ({ notes }: Chart) =>
  notes.map(
    ({ x, words }) =>
      svg`<g class="note"><title>${words}</title><line x1="${x}%" x2="${x}%" y1="0" y2="100%" /><circle cx="${x}%" cy="3%" r="4" /></g>`,
  );

/** Displays the notes at a change. */
export const notesView = ({ notes }: Pick<History, 'notes'>) =>
  notes.length === 0
    ? nothing
    : html`<p class="small">Noted at this time: ${notes.map((note, at) => {
        const words = sayNotes({ notes: [note] });
        return html`${at > 0 ? ', ' : ''}${note.link === null ? words : html`<a href=${note.link} rel="noreferrer">${words}</a>`}`;
      })}</p>`;
