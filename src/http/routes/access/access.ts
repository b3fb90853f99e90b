/** Routes of stored accesses: secrets go in and never come out. */
import type { FastifyRequest } from 'fastify';
import {
  type Access,
  AccessProfile,
  AccessProfileList,
  AccessRequest,
  profileName,
} from '../../../contract/access/access.ts';
import { Removed } from '../../../contract/stored/kept.ts';
import {
  accessNotFound,
  listProfiles,
  maxProfiles,
  putProfile,
  readProfile,
  removeProfile,
  toAccessProfile,
} from '../../../storage/access/profiles.ts';
import { findAccessFaults } from '../../input/access-faults.ts';
import { readBody } from '../../input/read-input.ts';
import { ValidationFailure, valueError } from '../../input/validation-error.ts';
import type { Route, RouteParts } from '../../route.ts';
import { bodyOf } from '../jobs/schedule-request.ts';
import { jsonRoute } from '../json-route.ts';
import { askStore } from '../results/stored.ts';
import { type AccessSources, noVault, refuseAccess } from './assert-access.ts';

type Sources = AccessSources & Pick<RouteParts, 'toClientId'>;

const path = '/access/{name}';
const tag = 'access';

const nameFault =
  'a name has 1 to 64 letters, digits, `.`, `_` or `-`, and starts with a letter or digit: it is a part of a path';

/** @throws ValidationFailure for an invalid name */
function readOwned({ toClientId }: Sources, request: FastifyRequest): { client: string; name: string } {
  const { name } = request.params as { name: string };
  if (!profileName.test(name)) throw new ValidationFailure([valueError(nameFault)(['path', 'name'])]);
  return { client: toClientId(request), name };
}

function findFaults(given: Access, name: string) {
  const origins = Array.isArray(given.origins) ? given.origins.filter(origin => URL.canParse(origin)) : [];
  return [
    ...(origins.length === 0 ? [{ field: 'origins', fault: 'name the origins of the pages that it is for' }] : []),
    ...(given.name === undefined || given.name === name ? [] : [{ field: 'name', fault: 'the path has another name' }]),
    ...findAccessFaults(given, origins).map(({ path: field, fault }) => ({ field, fault })),
  ];
}

export const putAccessRoute = (sources: Sources): Route =>
  jsonRoute(
    {
      ...{ method: 'PUT', path, tag },
      summary: 'Store an access to private pages',
      description:
        'Encrypts the access and stores it under this name for this client. Requests, schedules and experiments name it in `access`, for pages of its `origins`. An access of this name is replaced. No response contains its secrets.',
      body: AccessRequest,
      answer: AccessProfile,
      validates: true,
    },
    'action',
    async ({ request }) => {
      const owned = readOwned(sources, request);
      const { vault } = sources;
      if (!vault) return refuseAccess(noVault);
      const access = readBody(AccessRequest, bodyOf(request), {
        check: given => findFaults(given as Access, owned.name),
      }) as Access;
      return askStore(sources.store, async ({ database, clock }) => {
        const nowMs = clock.storedAtMs() ?? clock.now();
        if (!(await putProfile(database, vault, { ...owned, access, nowMs })))
          return refuseAccess(
            `there are ${maxProfiles.own} stored accesses of this client, or ${maxProfiles.all} of all`,
          );
        const stored = await readProfile(database, owned);
        if (!stored) throw accessNotFound(owned.name);
        return toAccessProfile(stored);
      });
    },
  );

export const accessListRoute = (sources: Sources): Route =>
  jsonRoute(
    {
      ...{ method: 'GET', path: '/access', tag },
      summary: 'List your stored accesses',
      description: 'Names, origins and times, without secrets.',
      answer: AccessProfileList,
    },
    'read',
    async ({ request }) => {
      const profiles = await askStore(sources.store, ({ database }) =>
        listProfiles(database, sources.toClientId(request)),
      );
      return { profiles: profiles.map(toAccessProfile) };
    },
  );

export const accessRoute = (sources: Sources): Route =>
  jsonRoute(
    {
      ...{ method: 'GET', path, tag },
      summary: 'Read a stored access',
      description: 'Its name, origins and times, without secrets.',
      answer: AccessProfile,
      validates: true,
    },
    'read',
    async ({ request }) => {
      const owned = readOwned(sources, request);
      const stored = await askStore(sources.store, ({ database }) => readProfile(database, owned));
      if (!stored) throw accessNotFound(owned.name);
      return toAccessProfile(stored);
    },
  );

export const removeAccessRoute = (sources: Sources): Route =>
  jsonRoute(
    {
      ...{ method: 'DELETE', path, tag },
      summary: 'Remove a stored access',
      description: 'Overwrites its secrets. Loads that name it fail with `access_not_found` from now on.',
      answer: Removed,
      validates: true,
    },
    'action',
    async ({ request }) => {
      const owned = readOwned(sources, request);
      if (await askStore(sources.store, ({ database }) => removeProfile(database, owned))) return { removed: 1 };
      throw accessNotFound(owned.name);
    },
  );
