/** Brings an access into a fresh browser: its state before the first document, its credentials to its own origins. */
import type { Page } from 'puppeteer-core';
import { type Access, type AccessCookie, ownOriginsOf } from '../../../../contract/access/access.ts';
import { toOwnHeaders } from '../variant/interception.ts';
import { AccessFailure } from './failure.ts';
import { type Items, storeItems } from './in-page.ts';

type Storage = { readonly local: Items; readonly session: Items };

const toCookie = ({ sameSite, partitionKey, ...cookie }: AccessCookie, host: string) => ({
  ...cookie,
  domain: cookie.domain ?? host,
  path: cookie.path ?? '/',
  ...(cookie.expires === undefined || cookie.expires < 0 ? { expires: -1 } : {}),
  ...(sameSite === undefined ? {} : { sameSite }),
  ...(partitionKey === undefined ? {} : { partitionKey }),
});

/** Returns the stored items by origin, of the given state and of a login. */
function toStorages({ state, session_storage: session = {} }: Access): Map<string, Storage> {
  const storages = new Map<string, Storage>();
  const add = (origin: string, items: Partial<Storage>) => {
    const { local, session: own } = storages.get(origin) ?? { local: {}, session: {} };
    storages.set(origin, { local: { ...local, ...items.local }, session: { ...own, ...items.session } });
  };
  for (const { origin, localStorage = [] } of state?.origins ?? [])
    add(new URL(origin).origin, { local: Object.fromEntries(localStorage.map(({ name, value }) => [name, value])) });
  for (const [origin, items] of Object.entries(session)) add(new URL(origin).origin, { session: items });
  return storages;
}

/** Stores items in the first document of each origin only: a page that logs out must stay logged out. */
async function bringStorage(page: Page, storages: ReadonlyMap<string, Storage>): Promise<void> {
  for (const [origin, { local, session }] of storages) {
    const script = await page.evaluateOnNewDocument(storeItems(origin, local, session));
    const onNavigated = (frame: { url(): string }) => {
      if (URL.parse(frame.url())?.origin !== origin) return;
      page.off('framenavigated', onNavigated);
      page.removeScriptToEvaluateOnNewDocument(script.identifier).catch(() => {});
    };
    page.on('framenavigated', onNavigated);
  }
}

const toHeaders = ({ headers = {}, basic_auth: basic }: Access): Record<string, string> => ({
  ...headers,
  ...(basic ? { Authorization: `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}` } : {}),
});

/**
 * Adds headers to the requests to some origins. The browser drops them at each redirect, which is a request of its own
 * here. Lighthouse's `extraHeaders` would go to third parties, too.
 */
async function sendHeaders(page: Page, origins: readonly string[], headers: Record<string, string>): Promise<void> {
  if (Object.keys(headers).length === 0) return;
  const session = await page.createCDPSession();
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const origin = origins.find(own => URL.parse(request.url)?.origin === own);
    const own = origin === undefined ? {} : toOwnHeaders(request, origin, headers);
    session.send('Fetch.continueRequest', { requestId, ...own }).catch(() => {});
  });
  await session.send('Fetch.enable', {
    patterns: origins.map(origin => ({ urlPattern: `${origin}/*`, requestStage: 'Request' as const })),
  });
}

/** @throws AccessFailure if the browser refuses a cookie */
export async function bringAccess(page: Page, access: Access, pageUrl: string): Promise<void> {
  const { hostname } = new URL(pageUrl);
  const cookies = [...(access.state?.cookies ?? []), ...(access.cookies ?? [])];
  for (const cookie of cookies) {
    try {
      await page.browserContext().setCookie(toCookie(cookie, hostname));
    } catch {
      throw new AccessFailure('LOGIN_REQUIRED', `The browser refused the cookie \`${cookie.name}\`.`);
    }
  }
  await bringStorage(page, toStorages(access));
  await sendHeaders(page, ownOriginsOf(access, pageUrl), toHeaders(access));
}
