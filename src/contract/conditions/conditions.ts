/**
 * Conditions of a load that are no text: only a body has them. Each is also a row of measuring-options.ts, under the
 * same name.
 */
import Type, { type Static } from 'typebox';
import { Access, Expect } from '../access/access.ts';

/** Limits of the conditions of one request. */
const conditionBounds = { patterns: 50, patternCharacters: 500 } as const;

export const conditionSchemas = {
  block: Type.Array(Type.String({ maxLength: conditionBounds.patternCharacters }), {
    maxItems: conditionBounds.patterns,
  }),
  /** Its own rules read it as a whole: access-faults.ts. */
  access: Type.Unsafe<Access>({ ...Access, 'x-read-whole': true }),
};

/** Conditions as a measurement receives them; null if absent. */
export type Conditions = {
  readonly [Name in keyof typeof conditionSchemas]: Readonly<Static<(typeof conditionSchemas)[Name]>> | null;
};

/** Conditions of a load in its result, without secrets. */
export const LoadConditions = Type.Object(
  {
    id: Type.String({
      description: 'Name of these conditions: results of a page with different names are not compared',
    }),
    access: Type.Optional(
      Type.Object({
        kinds: Type.Array(Type.String(), { description: 'Fields of the access, without their secrets' }),
        expect: Type.Optional(Type.Unsafe<Expect>(Expect)),
      }),
    ),
    block: Type.Optional(
      Type.Array(
        Type.Object({
          pattern: Type.String({ description: 'As in the request' }),
          requests: Type.Integer({ minimum: 0, description: 'Requests of the load that the pattern blocked' }),
        }),
      ),
    ),
  },
  { description: 'Conditions of the request, such as blocked URLs; absent if there were none' },
);
export type LoadConditions = Static<typeof LoadConditions>;
