/** Requests and responses of `/notes`: deploys and other events that may explain a change. */
import Type, { type Static } from 'typebox';
import { component, labelFormat, moment, nullable, pageUrlFormat, text, time, timeFormat } from '../fields.ts';
import { absent, body, parameters, range } from '../parameters.ts';

const link = Type.String({ maxLength: 2000, format: pageUrlFormat });
export const maxNoteCharacters = 300;

export const NoteRequest = body(
  'NoteRequest',
  {
    text: Type.String({
      maxLength: maxNoteCharacters,
      format: labelFormat,
      title: 'Text',
      description: 'One line, such as the version of a deploy',
    }),
    site: absent(link, 'Any URL of the site; specify this or `url`'),
    url: absent(link, 'The only page that the note is about'),
    time: absent(Type.String({ format: timeFormat }), 'Time of the event, which is not in the future; now by default'),
    link: absent(link, 'URL with more about the event (http or https)'),
  },
  {
    description: 'Requires exactly one of `site` and `url`',
    examples: [{ site: 'https://example.com/', text: 'Deploy 1.8.0', link: 'https://example.com/releases/1.8.0' }],
  },
);

export const Note = component('Note', 'An event that may explain a change, such as a deploy', {
  id: text('Id of the note'),
  text: text('One line, such as the version of a deploy'),
  site: text('Host of the site, with its port'),
  url: nullable(text('The only page that the note is about; null for the whole site')),
  time: moment('Time of the event'),
  link: nullable(text('URL with more about the event')),
});
export type Note = Static<typeof Note>;

export const NotesQuery = parameters({
  site: absent(link, 'Any URL of a site: its notes, and those of its pages'),
  url: absent(link, 'A page: its notes, and those of its site'),
  since: absent(time, 'Events at this time or later'),
  until: absent(time, 'Events before this time'),
  limit: range(1, 1000, 100, 'Notes per response'),
});

export const NoteList = component('NoteList', 'Newest first', { notes: Type.Array(Note) });
export type NoteList = Static<typeof NoteList>;
