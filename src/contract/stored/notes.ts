/** Requests and responses of `/notes`: deploys and other events that may explain a change. */
import Type, { type Static } from 'typebox';
import { absent, described, labelFormat, nullable, pageUrlFormat, time, timeFormat } from '../fields.ts';

const link = Type.String({ maxLength: 2000, format: pageUrlFormat });
export const maxNoteCharacters = 300;

export const NoteRequest = Type.Object(
  {
    text: Type.String({
      maxLength: maxNoteCharacters,
      format: labelFormat,
      title: 'Text',
      description: 'What happened: one line, such as the version of a deploy',
    }),
    site: absent(link, { title: 'Site', description: 'Any URL of the site; specify this or `url`' }),
    url: absent(link, { title: 'Url', description: 'The only page that the note is about' }),
    time: absent(Type.String({ format: timeFormat }), {
      title: 'Time',
      description: 'Time of the event, which is not in the future; now by default',
    }),
    link: absent(link, { title: 'Link', description: 'URL with more about the event (http or https)' }),
  },
  {
    $id: 'NoteRequest',
    title: 'NoteRequest',
    description: 'Requires exactly one of `site` and `url`',
    examples: [{ site: 'https://example.com/', text: 'Deploy 1.8.0', link: 'https://example.com/releases/1.8.0' }],
  },
);

export const Note = Type.Object(
  {
    id: Type.String({ description: 'Id of the note' }),
    text: Type.String({ description: 'What happened' }),
    site: Type.String({ description: 'Host of the site, with its port' }),
    url: nullable(Type.String({ description: 'The only page that the note is about; null for the whole site' })),
    time: described(time, 'Time of the event'),
    link: nullable(Type.String({ description: 'URL with more about the event' })),
  },
  { $id: 'Note', description: 'An event that may explain a change, such as a deploy' },
);
export type Note = Static<typeof Note>;

export const NotesQuery = Type.Object({
  site: absent(link, { title: 'Site', description: 'Any URL of a site: its notes, and those of its pages' }),
  url: absent(link, { title: 'Url', description: 'A page: its notes, and those of its site' }),
  since: absent(time, { title: 'Since', description: 'Events at this time or later' }),
  until: absent(time, { title: 'Until', description: 'Events before this time' }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 100, title: 'Limit', description: 'Notes per response' }),
  ),
});

export const NoteList = Type.Object({ notes: Type.Array(Note) }, { $id: 'NoteList', description: 'Newest first' });
export type NoteList = Static<typeof NoteList>;
