/** Routes of notes: deploys and other events that may explain a change. */
import { AnalysisError } from '../../contract/errors.ts';
import { Removed } from '../../contract/stored/kept.ts';
import { Note, NoteList, NoteRequest, NotesQuery } from '../../contract/stored/notes.ts';
import { addNote, listNotes, removeNote, toNote } from '../../storage/notes.ts';
import { createResultId } from '../../storage/results/result-id.ts';
import { readBody } from '../input/read-input.ts';
import type { Route, RouteParts } from '../route.ts';
import { bodyOf } from './jobs/schedule-request.ts';
import { jsonRoute } from './json-route.ts';
import { askStore, type StoreSources } from './results/stored.ts';

const shared = { path: '/notes', tag: 'results' } as const;
/** Tolerance for a client whose clock is ahead. */
const mostAheadMs = 60_000;

const hostOf = (url: string | null): string | undefined => (url === null ? undefined : new URL(url).host);
const toMs = (time: string | null): number | undefined => (time === null ? undefined : Date.parse(time));

export const addNoteRoute = ({ store, toClientId }: StoreSources & Pick<RouteParts, 'toClientId'>): Route =>
  jsonRoute(
    {
      ...shared,
      method: 'POST',
      summary: 'Add a note, such as a deploy',
      description:
        'Histories show the note, and a change names the notes between its two points. A client has at most 1,000 notes: the oldest one makes room.',
      body: NoteRequest,
      answer: Note,
      status: 201,
    },
    'action',
    ({ request }) =>
      askStore(store, async ({ database, clock }) => {
        const nowMs = clock.storedAtMs() ?? clock.now();
        const { site, url, text, time, link } = readBody(NoteRequest, bodyOf(request), {
          check: (given, isGiven) => [
            ...(isGiven('site') === isGiven('url') ? [{ fault: "specify exactly one of 'site' and 'url'" }] : []),
            ...(given.text === null ? [{ field: 'text', fault: 'it must not be empty' }] : []),
            ...((toMs(given.time ?? null) ?? 0) > nowMs + mostAheadMs
              ? [{ field: 'time', fault: 'it must not be in the future' }]
              : []),
          ],
        });
        const about = { host: hostOf(url ?? site ?? null) ?? '', url: url ?? null, link: link ?? null };
        const atMs = Math.min(toMs(time ?? null) ?? nowMs, nowMs);
        const note = { id: createResultId(nowMs), client: toClientId(request), text, atMs, ...about };
        await addNote(database, note);
        return toNote(note);
      }),
  );

export const notesRoute = ({ store }: StoreSources): Route =>
  jsonRoute(
    {
      ...shared,
      method: 'GET',
      summary: 'List notes',
      description: 'The notes of a page, a site or all sites, newest first.',
      query: NotesQuery,
      answer: NoteList,
    },
    'read',
    async ({ query: { site, url, since, until, limit } }) => {
      const of = {
        host: hostOf(url ?? site),
        url: url ?? undefined,
        sinceMs: toMs(since),
        untilMs: toMs(until),
        limit,
      };
      return { notes: (await askStore(store, ({ database }) => listNotes(database, of))).map(toNote) };
    },
  );

export const removeNoteRoute = ({ store }: StoreSources): Route =>
  jsonRoute(
    {
      ...shared,
      path: '/notes/{id}',
      method: 'DELETE',
      summary: 'Remove a note',
      description: 'Histories no longer show the note.',
      answer: Removed,
    },
    'action',
    async ({ id }) => {
      if (await askStore(store, ({ database }) => removeNote(database, id))) return { removed: 1 };
      throw new AnalysisError('note_not_found', 'No note has this id. It may have been removed to make room.');
    },
  );
