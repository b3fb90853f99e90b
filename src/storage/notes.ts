/** Notes as rows. They have no owner, as results have none; the client only limits how many it can add. */
import type { Note } from '../contract/stored/notes.ts';
import { changesOne, every, raw, type SqlDatabase, type Statement, sql } from './database/sql.ts';
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

const toExcess = (condition: Statement, most: number): Statement =>
  sql`DELETE FROM notes WHERE id IN (SELECT id FROM notes ${condition} ORDER BY id DESC LIMIT ${most} OFFSET ${most})`;

/** Adds a note. The oldest ones make room for it, because a pipeline adds one with each deploy. */
export async function addNote(database: SqlDatabase, note: NoteRow & { client: string }): Promise<void> {
  const { own, all } = maxNotes;
  await database.write([notes.insert(note), toExcess(sql`WHERE client = ${note.client}`, own), toExcess(raw(''), all)]);
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
export function listNotes(
  database: Pick<SqlDatabase, 'rows'>,
  { host, url, sinceMs, untilMs, limit }: NotesWanted,
): Promise<NoteRow[]> {
  const wanted = every(
    host !== undefined && sql`host = ${host}`,
    url !== undefined && sql`(url IS NULL OR url = ${url})`,
    sinceMs !== undefined && sql`at >= ${sinceMs}`,
    untilMs !== undefined && sql`at < ${untilMs}`,
  );
  return row.read(database, sql`WHERE ${wanted} ORDER BY at DESC, id DESC LIMIT ${limit}`);
}

export const removeNote = (database: SqlDatabase, id: string): Promise<boolean> =>
  changesOne(database, sql`DELETE FROM notes WHERE id = ${id}`);

/** Removes the notes about a time before this one, of which there are no results either. */
export async function removeOldNotes(database: SqlDatabase, beforeMs: number): Promise<void> {
  await database.write([sql`DELETE FROM notes WHERE at < ${beforeMs}`]);
}
