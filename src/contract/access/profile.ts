/** Stored accesses, as their owner sees them: without secrets. */
import Type, { type Static } from 'typebox';
import { time } from '../fields.ts';
import { Access } from './access.ts';

export const AccessRequest = Type.Object(Access.properties, {
  ...{ $id: 'AccessRequest', title: 'AccessRequest', additionalProperties: false, 'x-read-whole': true },
  description: 'An access; `origins` names those of its pages',
});

export const AccessProfile = Type.Object(
  {
    name: Type.String(),
    origins: Type.Array(Type.String(), { description: 'Origins of the pages that it is for' }),
    created_at: time,
    updated_at: time,
  },
  { $id: 'AccessProfile', description: 'A stored access, without its secrets' },
);
export type AccessProfile = Static<typeof AccessProfile>;

export const AccessProfileList = Type.Object(
  { profiles: Type.Array(AccessProfile) },
  { $id: 'AccessProfileList', description: 'The stored accesses of this client, by name' },
);
