/** Stored accesses as rows: their secrets are sealed, the rest is what their owner may see. */
import type { Access, AccessProfile } from '../../contract/access/access.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { StoreFaultError } from '../database/fault.ts';
import { changesOne, raw, type SqlDatabase, sql } from '../database/sql.ts';
import type { RowOf } from '../database/table.ts';
import { accessProfiles } from '../database/tables.ts';
import { SealedError, type Vault } from './vault.ts';

/** Max number of stored accesses: of one client, and of all. */
export const maxProfiles = { own: 50, all: 1000 };

const { content: _, client: _client, ...shown } = accessProfiles.columns;
type ProfileRow = Readonly<RowOf<typeof shown>>;
const row = accessProfiles.pick('name', 'origins', 'created_at', 'stored_at');

type Readable = Pick<SqlDatabase, 'rows'>;
type OwnedName = { readonly client: string; readonly name: string };

const placeOf = ({ client, name }: OwnedName): string => `access ${name} of ${client}`;
const ofOwner = ({ client, name }: OwnedName) => sql`client = ${client} AND name = ${name}`;

export const toAccessProfile = ({ name, origins, createdAtMs, storedAtMs }: ProfileRow): AccessProfile => ({
  name,
  origins: [...origins],
  created_at: new Date(createdAtMs).toISOString(),
  updated_at: new Date(storedAtMs).toISOString(),
});

/** Adds an access, or replaces the one of this name. @returns false if there is no room for another one */
export async function putProfile(
  database: SqlDatabase,
  vault: Vault,
  { access, nowMs, ...owned }: OwnedName & { readonly access: Access; readonly nowMs: number },
): Promise<boolean> {
  await adoptKeys(database, vault);
  const { client, name } = owned;
  const origins = [...new Set((access.origins ?? []).map(origin => new URL(origin).origin))];
  const content = vault.seal(JSON.stringify({ ...access, name }), placeOf(owned));
  const hasRoom = sql`(SELECT count(*) FROM access_profiles WHERE client = ${client}) < ${maxProfiles.own}
    AND (SELECT count(*) FROM access_profiles) < ${maxProfiles.all}`;
  const [replaced, added] = await database.write([
    {
      ...sql`UPDATE access_profiles SET origins = ${JSON.stringify(origins)}, content = ${content}, stored_at = ${nowMs}
        WHERE ${ofOwner(owned)}`,
      erases: true,
    },
    accessProfiles.insert({ ...owned, origins, content, createdAtMs: nowMs, storedAtMs: nowMs }, hasRoom),
  ]);
  return replaced === 1 || added === 1;
}

export const listProfiles = (database: Readable, client: string): Promise<ProfileRow[]> =>
  row.read(database, sql`WHERE client = ${client} ORDER BY name`);

export const readProfile = async (database: Readable, owned: OwnedName): Promise<ProfileRow | undefined> =>
  (await row.read(database, sql`WHERE ${ofOwner(owned)}`))[0];

export const removeProfile = (database: SqlDatabase, owned: OwnedName): Promise<boolean> =>
  changesOne(database, { ...sql`DELETE FROM access_profiles WHERE ${ofOwner(owned)}`, erases: true });

export const accessNotFound = (name: string) =>
  new AnalysisError('access_not_found', `This client has no stored access named '${name}'.`);

/** Returns the origins of pages for which an access was not stored. */
export const originsBeyond = ({ origins }: Pick<ProfileRow, 'origins'>, urls: readonly string[]): string[] => [
  // An entry of a list that is no URL fails alone.
  ...new Set(urls.flatMap(url => URL.parse(url)?.origin ?? []).filter(origin => !origins.includes(origin))),
];

const sealedRow = accessProfiles.pick('content');

const readContent = async (database: Readable, owned: OwnedName): Promise<string | undefined> =>
  (await sealedRow.read(database, sql`WHERE ${ofOwner(owned)}`))[0]?.content;

/** @throws AnalysisError `access_not_found`; `lighthouse_unavailable` if no key opens it */
export async function openProfile(
  database: Pick<SqlDatabase, 'rows'>,
  vault: Vault,
  { url, ...owned }: OwnedName & { readonly url: string },
): Promise<Access> {
  const content = await readContent(database, owned);
  if (content === undefined) throw accessNotFound(owned.name);
  const access = JSON.parse(openSealed(vault, content, placeOf(owned))) as Access;
  const [origin] = originsBeyond({ origins: access.origins?.map(text => new URL(text).origin) ?? [] }, [url]);
  if (origin === undefined) return access;
  throw new AnalysisError('access_not_found', `The stored access '${owned.name}' is not for pages of ${origin}.`);
}

/** @throws AnalysisError `lighthouse_unavailable` */
export function openSealed(vault: Vault | undefined, sealed: string, place: string): string {
  try {
    if (vault) return vault.open(sealed, place);
  } catch (error) {
    if (!(error instanceof SealedError)) throw error;
  }
  throw new AnalysisError('lighthouse_unavailable', 'Its secrets were stored under a key that ACCESS_KEY lacks.');
}

/* Keys: a row without a client shows under which key this store is sealed. */

const nameRow = accessProfiles.pick('client', 'name');
const check: OwnedName = { client: '', name: '' };

/** ACCESS_KEY lacks the key of the store. */
export class WrongKeyError extends StoreFaultError {
  constructor(location: string) {
    const message =
      'ACCESS_KEY has none of the keys that sealed the secrets in this store. Add the former key behind the new one, or start without ACCESS_KEY and remove the stored accesses and unfinished jobs.';
    super('not_acceptable', message, { detail: location });
    this.name = 'WrongKeyError';
  }
}

/** Forgets the key of a store in which nothing is sealed, so that a lost key does not lock it. */
const forgetKey = sql`DELETE FROM access_profiles WHERE client = ''
  AND NOT EXISTS (SELECT 1 FROM access_profiles WHERE client <> '') AND NOT EXISTS (SELECT 1 FROM job_secrets)`;

async function findCheck(database: SqlDatabase, vault: Vault): Promise<string> {
  const content = vault.seal('', placeOf(check));
  const insert = accessProfiles.insert({ ...check, origins: [], content, createdAtMs: 0, storedAtMs: 0 });
  for (let tries = 1; ; tries += 1) {
    // Another instance may have added it at the same time.
    if ((await readContent(database, check)) === undefined) await database.write([insert]);
    const found = (await readContent(database, check)) ?? '';
    if (vault.keyIds.some(id => found.startsWith(`${id}.`))) return found;
    if (tries === 2 || !(await changesOne(database, forgetKey))) throw new WrongKeyError(database.location);
  }
}

/**
 * Compares the keys with that of the store, and seals again what a former key has sealed.
 * @throws WrongKeyError
 */
export async function adoptKeys(database: SqlDatabase, vault: Vault): Promise<void> {
  if (vault.isCurrent(await findCheck(database, vault))) return;
  // The check, which has no client, is the last one: an interrupted pass starts again.
  for (const owned of await nameRow.read(database, raw('ORDER BY client DESC'))) {
    const content = await readContent(database, owned);
    const isOpen = content !== undefined && vault.keyIds.some(id => content.startsWith(`${id}.`));
    if (!isOpen || vault.isCurrent(content)) continue;
    const sealed = vault.seal(vault.open(content, placeOf(owned)), placeOf(owned));
    const update = sql`UPDATE access_profiles SET content = ${sealed} WHERE ${ofOwner(owned)} AND content = ${content}`;
    await database.write([{ ...update, erases: true }]);
  }
}
