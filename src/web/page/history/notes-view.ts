/** Notes on a history: links at a change. */
import { html, nothing } from 'lit-html';
import type { History } from '../../../contract/stored/history.ts';
import { sayNotes } from '../../../presentation/charts/history-chart.ts';

/** Displays the notes at a change. */
export const notesView = ({ notes }: Pick<History, 'notes'>) =>
  notes.length === 0
    ? nothing
    : html`<p class="small">Noted at this time: ${notes.map((note, at) => {
        const words = sayNotes({ notes: [note] });
        return html`${at > 0 ? ', ' : ''}${note.link === null ? words : html`<a href=${note.link} rel="noreferrer">${words}</a>`}`;
      })}</p>`;
