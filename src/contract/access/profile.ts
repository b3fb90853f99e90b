/** Stored accesses, as their owner sees them: without secrets. */
import Type, { type Static } from 'typebox';
import { arrayOf, component, time } from '../fields.ts';
import { Access } from './access.ts';

export const AccessRequest = Type.Object(Access.properties, {
  ...{ $id: 'AccessRequest', title: 'AccessRequest', additionalProperties: false, 'x-read-whole': true },
  description: 'An access; `origins` names those of its pages',
});

export const AccessProfile = component('AccessProfile', 'A stored access, without its secrets', {
  name: Type.String(),
  origins: arrayOf(Type.String(), 'Origins of the pages that it is for'),
  created_at: time,
  updated_at: time,
});
export type AccessProfile = Static<typeof AccessProfile>;

export const AccessProfileList = component('AccessProfileList', 'The stored accesses of this client, by name', {
  profiles: Type.Array(AccessProfile),
});
