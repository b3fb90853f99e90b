/** Checks an access that is named, or that would be stored, before anything is sent or stored. */
import type { FastifyRequest } from 'fastify';
import type { Access } from '../../../contract/access/access.ts';
import type { Conditions } from '../../../contract/conditions/conditions.ts';
import { accessNotFound, originsBeyond, readProfile } from '../../../storage/access/profiles.ts';
import type { Vault } from '../../../storage/access/vault.ts';
import { ValidationFailure, valueError } from '../../input/validation-error.ts';
import type { RouteParts } from '../../route.ts';
import { askStore, type StoreSources } from '../results/stored.ts';

/** @property vault seals and opens stored secrets; undefined without ACCESS_KEY */
export type AccessSources = StoreSources & { readonly vault: Vault | undefined };

export const refuseAccess = (fault: string, ...field: readonly string[]): never => {
  throw new ValidationFailure([valueError(fault)(['body', ...field])]);
};

export const noVault = 'this service stores no secrets: ACCESS_KEY is not set';

/** Refuses found pages of origins that the request does not name: they would receive its credentials. */
function assertNamed({ origins = [] }: Access, pages: readonly string[], site: string): void {
  const named = [site, ...origins].flatMap(text => URL.parse(text)?.origin ?? []);
  const [origin] = originsBeyond({ origins: named }, pages);
  if (origin !== undefined) refuseAccess(`the site has pages of ${origin}: list it in \`origins\``, 'access');
}

/**
 * @param pages URLs of the pages to measure
 * @param site the site of which they were found
 * @param isStored whether a job or an experiment stores the access until it ends
 * @throws ValidationFailure; AnalysisError `access_not_found`
 */
export async function assertAccess(
  { vault, store, toClientId }: AccessSources & Pick<RouteParts, 'toClientId'>,
  request: FastifyRequest,
  { access }: Partial<Conditions>,
  { pages, site, isStored }: { pages: readonly string[]; site?: string | undefined; isStored: boolean },
): Promise<void> {
  const isNamed = typeof access === 'string';
  if (!access || (!isNamed && !isStored)) return;
  if (!vault) return refuseAccess(noVault, 'access');
  if (!isNamed) return site === undefined ? undefined : assertNamed(access, pages, site);
  const owned = { client: toClientId(request), name: access };
  const profile = await askStore(store, ({ database }) => readProfile(database, owned));
  if (!profile) throw accessNotFound(access);
  const [origin] = originsBeyond(profile, pages);
  if (origin !== undefined)
    refuseAccess(`it was not stored for pages of ${origin}: list it in its \`origins\``, 'access');
}

/** Replaces an access by a keyed digest, because its secrets could be guessed from a plain one. */
export const withoutSecrets = <T extends object>(order: T, vault: Vault | undefined): T => {
  const { access } = order as { access?: unknown };
  return typeof access === 'object' && access !== null
    ? { ...order, access: vault?.digest(JSON.stringify(access)) }
    : order;
};
