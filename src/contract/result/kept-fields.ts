/** Under which a result is kept, and where it is found. */
import Type, { type Static } from 'typebox';

/** Paths below the address of the service. */
export const ResultLinks = Type.Object({
  self: Type.String({ description: 'This result' }),
  report: Type.String({ description: 'The same as an HTML file' }),
  screenshot: Type.Optional(Type.String({ description: 'How the page looked at the end of its load' })),
  trace: Type.Optional(
    Type.String({
      description: 'Trace of a local audit, for the performance panel of DevTools; goes before the result',
    }),
  ),
  network_log: Type.Optional(
    Type.String({ description: 'Network log of the same audit: what DevTools was told of each request' }),
  ),
});
export type ResultLinks = Static<typeof ResultLinks>;

/** What an answer has that is kept. Absent where the service keeps nothing. */
export const keptFields = {
  id: Type.Optional(Type.String({ description: 'Under which it is kept: ordered by time, cannot be guessed' })),
  label: Type.Optional(Type.String({ description: 'As the request gave it' })),
  links: Type.Optional(ResultLinks),
};
