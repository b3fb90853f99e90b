/** `rangelight note URL TEXT`: adds a note to the histories of a site. `rangelight ci` adds one by itself. */
import type { Note } from '../contract/stored/notes.ts';
import { type Asking, bodyOf, send } from './ask-json.ts';
import { printAnswer, type Running } from './command-context.ts';
import type { NoteWanted } from './input/arguments.ts';
import { withService } from './open-service.ts';
import { toPlainBody } from './text/terminal/plain-text.ts';

type NewNote = { readonly text: string; readonly time?: string | undefined; readonly link?: string | undefined };

/** @throws CommandFailure, the signal's reason */
export const addNote = async (note: NewNote & ({ site: string } | { url: string }), asking: Asking): Promise<unknown> =>
  bodyOf(await send({ method: 'POST', path: 'notes', body: JSON.stringify(note) }, asking));

export function runNote(wanted: NoteWanted, around: Running): Promise<number> {
  const { url, page, text, time, link } = wanted;
  const about = page ? { url } : { site: url };
  return withService(wanted, around, async asking => {
    const body = await addNote({ ...about, text, time, link }, asking);
    const { id, site } = toPlainBody(body) as Note;
    return printAnswer(body, wanted, around, () => `Noted for ${page ? url : site}: ${id}\n`);
  });
}
