/** The page as the browser showed it when a login was missing or failed. */
import Type, { type Static } from 'typebox';

export const seenBounds = { text: 2048, picture: 300_000 } as const;

export const Seen = Type.Object(
  {
    url: Type.String({ maxLength: seenBounds.text, description: 'URL of the page that was displayed' }),
    title: Type.String({ maxLength: seenBounds.text, description: 'Its title' }),
    picture: Type.Union(
      [
        Type.String({ maxLength: seenBounds.picture, pattern: '^data:image/jpeg;base64,[A-Za-z0-9+/]*={0,2}$' }),
        Type.Null(),
      ],
      { description: 'Screenshot as a data URL; typed values are covered' },
    ),
  },
  { additionalProperties: false },
);
export type Seen = Static<typeof Seen>;
