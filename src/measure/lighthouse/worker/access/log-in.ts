/** Logs in with a browser of its own, whose state alone reaches the browser that measures. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'puppeteer-core';
import type { Access, AccessCookie } from '../../../../contract/access/access.ts';
import type { BrowserLaunch } from '../../messages.ts';
import { endBrowser, launchBrowser } from '../browser.ts';
import { answerCertificateErrors, type TrustSettings } from '../certificate-errors.ts';
import { bringAccess } from './bring.ts';
import { AccessFailure, readLeft, within } from './failure.ts';
import { readItems } from './in-page.ts';
import { replayLogin } from './replay.ts';

/**
 * Opens a tab whose cookies, storage and cache are only in memory: the profile of a browser is on the disk, where a
 * killed service would leave them.
 */
export const openPrivateTab = async (browser: Browser): Promise<Page> =>
  (await browser.createBrowserContext()).newPage();

/** Max time for reading what a login left behind. */
const exportMs = 20_000;

/** Follows the origins whose pages a tab displayed. */
function followOrigins(page: Page): ReadonlySet<string> {
  const origins = new Set<string>();
  page.on('framenavigated', frame => {
    const url = URL.parse(frame.url());
    if (url && /^https?:$/.test(url.protocol) && origins.size < 50) origins.add(url.origin);
  });
  return origins;
}

type Stored = { local: Record<string, string>; session: Record<string, string> };

/** Reads the stored items of each origin, on an empty page that the browser itself serves. */
async function readStorages(page: Page, origins: Iterable<string>) {
  const session = await page.createCDPSession();
  session.on('Fetch.requestPaused', ({ requestId }) => {
    const responseHeaders = [{ name: 'content-type', value: 'text/html' }];
    session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders }).catch(() => {});
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  // A service worker of the site would answer first.
  await session.send('Network.enable');
  await session.send('Network.setBypassServiceWorker', { bypass: true });
  const found: ({ origin: string } & Stored)[] = [];
  for (const origin of origins) {
    await page.goto(`${origin}/`, { timeout: 5_000 });
    found.push({ origin, ...((await page.evaluate(readItems)) as Stored) });
  }
  return found;
}

/** Returns the cookies and stored items that a login left behind, in the form of an access. */
async function exportState(page: Page, origins: Iterable<string>): Promise<Pick<Access, 'state' | 'session_storage'>> {
  const cookies = (await page.browserContext().cookies()).map(cookie => {
    const { name, value, domain, path = '/', expires, httpOnly = false, secure = false, sameSite } = cookie;
    const kept = { name, value, domain, path, httpOnly, secure, ...(expires === undefined ? {} : { expires }) };
    return { ...kept, ...(sameSite === 'Strict' || sameSite === 'Lax' || sameSite === 'None' ? { sameSite } : {}) };
  }) as AccessCookie[];
  const storages = await readStorages(page, origins);
  return {
    state: {
      cookies,
      origins: storages.map(({ origin, local }) => ({
        origin,
        localStorage: Object.entries(local).map(([name, value]) => ({ name, value })),
      })),
    },
    session_storage: Object.fromEntries(storages.map(({ origin, session }) => [origin, session])),
  };
}

/**
 * Replays the login of an access in a fresh browser.
 * @returns the access with the state after the login, without the login
 * @throws AccessFailure
 */
export async function logIn(
  access: Access,
  { launch, pageUrl, trust, withinMs, onStart, onLeft }: LogInOrder,
): Promise<{ access: Access; tookMs: number }> {
  if (!access.login) return { access, tookMs: 0 };
  const startedAt = performance.now();
  const { browser } = await launchBrowser({ ...launch, folder: `${launch.folder}/login` });
  let page: Page | undefined;
  try {
    const pid = browser.process()?.pid;
    if (pid) onStart(pid);
    page = await openPrivateTab(browser);
    // A dialog stops the page until it is answered. Lighthouse accepts those of the load, too.
    page.on('dialog', dialog => dialog.accept().catch(() => {}));
    const origins = followOrigins(page);
    await answerCertificateErrors(page, trust);
    await bringAccess(page, access, pageUrl);
    await replayLogin(page, access, pageUrl, withinMs);
    // A page that hangs does not even let its tab leave.
    const late = delay(exportMs, undefined, { ref: false }).then(() => {
      throw new AccessFailure('LOGIN_FAILED', 'The login ended on a page that does not answer.');
    });
    const left = await Promise.race([exportState(page, origins), late]);
    const { login: _, cookies: _given, secrets: _typed, ...rest } = access;
    return { access: { ...rest, ...left }, tookMs: performance.now() - startedAt };
  } catch (error) {
    onLeft((page && (await within(readLeft(page)))) ?? {});
    throw error;
  } finally {
    await endBrowser(browser);
  }
}

type LogInOrder = {
  launch: BrowserLaunch;
  pageUrl: string;
  /** Certificates that the load of the page accepts. */
  trust: TrustSettings;
  withinMs: number;
  /** Called with the process id of the browser. */
  onStart: (pid: number) => void;
  /** Called if the login fails, with what it left. */
  onLeft: (left: Access) => void;
};
