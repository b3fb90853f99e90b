/** Conditions of a load, which only a body has; each is also a row of measuring-options.ts. */
import Type, { type Static } from 'typebox';
import { Access, accessBounds, Expect, profileName } from '../access/access.ts';
import { arrayOf, byName, count, flag, group, text } from '../fields.ts';
import { absent, titled } from '../parameters.ts';

const conditionBounds = {
  patterns: 50,
  patternCharacters: 500,
  hosts: 20,
  hostCharacters: 300,
} as const;

export const conditionSchemas = {
  block: Type.Array(Type.String({ maxLength: conditionBounds.patternCharacters }), {
    maxItems: conditionBounds.patterns,
  }),
  hosts: Type.Record(Type.String(), Type.String({ maxLength: conditionBounds.hostCharacters }), {
    maxProperties: conditionBounds.hosts,
  }),
  certificates: Type.Object(
    titled({
      ca: absent(
        Type.String({ maxLength: accessBounds.pemCharacters }),
        'CA in PEM form that this load trusts for the host of the page and the names in `hosts`',
      ),
      ignore_errors: absent(Type.Boolean(), {
        title: 'Ignore errors',
        description: 'Whether certificate errors of these hosts are ignored; those of others still fail',
      }),
    }),
    { additionalProperties: false },
  ),
  /** Its own rules read it as a whole: access-faults.ts. */
  access: Type.Unsafe<Access | string>({
    anyOf: [
      { ...Access, 'x-read-whole': true },
      { type: 'string', pattern: profileName.source },
    ],
  }),
};

/** Conditions as a measurement receives them; null if absent. */
export type Conditions = {
  readonly [Name in keyof typeof conditionSchemas]: Readonly<Static<(typeof conditionSchemas)[Name]>> | null;
};

/** Conditions of a request as answers show them, without secrets. */
export const ShownConditions = group('Conditions of the request, such as blocked URLs; absent if there were none', {
  id: text('Name of these conditions: results of a page with different names are not compared'),
  access: Type.Optional(
    group('Access to a private page', {
      name: Type.Optional(text('Name of the access; results with another name belong to another page')),
      kinds: Type.Optional(arrayOf(Type.String(), 'Fields of the access, without their secrets')),
      expect: Type.Optional(Type.Unsafe<Expect>(Expect)),
    }),
  ),
  block: Type.Optional(arrayOf(Type.String(), 'As in the request')),
  hosts: Type.Optional(byName(Type.String(), 'As in the request')),
  certificates: Type.Optional(
    Type.Object({
      ca: Type.Optional(arrayOf(Type.String(), 'SHA-256 fingerprints of the CA')),
      ignore_errors: Type.Optional(flag('As in the request')),
    }),
  ),
});
export type ShownConditions = Readonly<Static<typeof ShownConditions>>;

export const LoadConditions = group('Conditions of the request, such as blocked URLs; absent if there were none', {
  ...ShownConditions.properties,
  block: Type.Optional(
    Type.Array(
      Type.Object({
        pattern: text('As in the request'),
        requests: count('Requests of the load that the pattern blocked'),
      }),
    ),
  ),
});
export type LoadConditions = Static<typeof LoadConditions>;
