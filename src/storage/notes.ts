/** Notes as rows. They have no owner, as results have none; the client only limits how many it can add. */
import type { Note } from '../contract/stored/notes.ts';
import { readNumber, type SqlDatabase, type Statement } from './database/sql.ts';
import type { RowOf } from './database/table.ts';
import { notes } from './database/tables.ts';

const { client: _, ...shown } = notes.columns;
type NoteRow = Readonly<RowOf<typeof shown>>;
const row = notes.pick('id', 'host', 'url', 'text', 'link', 'at');

export const toNote = ({ id, text, host, url, atMs, link }: NoteRow): Note => ({
  ...{ id, text, site: host, url },
  time: new Date(atMs).toISOString(),
  link,
});

/** Max number of notes: of one client, and of all. */
const maxNotes = { own: 1000, all: 20_000 };

const toExcess = (condition: string, values: readonly string[], most: number): Statement => ({
  sql: `DELETE FROM notes WHERE id IN (SELECT id FROM notes ${condition} ORDER BY id DESC LIMIT ? OFFSET ?)`,
  values: [...values, most, most],
});

/** Adds a note. The oldest ones make room for it, because a pipeline adds one with each deploy. */
export async function addNote(database: SqlDatabase, note: NoteRow & { client: string }): Promise<void> {
  const { own, all } = maxNotes;
  await database.write([notes.insert(note), toExcess('WHERE client = ?', [note.client], own), toExcess('', [], all)]);
}

export type NotesWanted = {
  /** Notes of this host, or of all. */
  readonly host?: string | undefined;
  /** Only notes of this page and of its whole site. */
  readonly url?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly limit: number;
};

/** Lists notes, newest first. */
export async function listNotes(
  database: Pick<SqlDatabase, 'rows'>,
  { host, url, sinceMs, untilMs, limit }: NotesWanted,
): Promise<NoteRow[]> {
  const given = [
    ['host = ?', host],
    ['(url IS NULL OR url = ?)', url],
    ['at >= ?', sinceMs],
    ['at < ?', untilMs],
  ] as const;
  const conditions = given.filter(([, value]) => value !== undefined);
  const sql = `SELECT ${row.list} FROM notes ${conditions.length > 0 ? 'WHERE' : ''}
    ${conditions.map(([condition]) => condition).join(' AND ')} ORDER BY at DESC, id DESC LIMIT ?`;
  const values = [...conditions.flatMap(([, value]) => value ?? []), limit];
  return (await database.rows({ sql, values })).map(row.from);
}

export const removeNote = async (database: SqlDatabase, id: string): Promise<boolean> =>
  (await database.write([{ sql: 'DELETE FROM notes WHERE id = ?', values: [id] }]))[0] === 1;

/** Removes the notes about a time before this one, of which there are no results either. */
export async function removeOldNotes(database: SqlDatabase, beforeMs: number): Promise<void> {
  const oldest = await readNumber(database, 'SELECT min(at) FROM notes WHERE at < ?', [beforeMs]);
  if (oldest > 0) await database.write([{ sql: 'DELETE FROM notes WHERE at < ?', values: [beforeMs] }]);
}
