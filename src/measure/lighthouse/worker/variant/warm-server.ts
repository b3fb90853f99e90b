/**
 * Requests the document of a load once before it is measured, in a browser context of its own. An experiment loads its
 * page twice as often as each variant, so without this the caches of a server would be colder for a variant.
 */
import { userAgents } from 'lighthouse/core/config/constants.js';
import type { Browser } from 'puppeteer-core';
import type { AuditSettings } from '../../messages.ts';
import { toOwnHeaders } from './interception.ts';

const patienceMs = 10_000;

/** Never fails: a fault of the page is reported by the load itself. */
export async function warmServer(browser: Browser, { url, strategy, variant }: AuditSettings): Promise<void> {
  const context = await browser.createBrowserContext().catch(() => undefined);
  try {
    const page = await context?.newPage();
    if (!page) return;
    await page.setJavaScriptEnabled(false);
    await page.setUserAgent({ userAgent: userAgents[strategy] });
    const session = await page.createCDPSession();
    const { frameTree } = await session.send('Page.getFrameTree');
    session.on('Fetch.requestPaused', ({ requestId, request, resourceType, frameId }) => {
      const continued =
        resourceType === 'Document' && frameId === frameTree.frame.id
          ? session.send('Fetch.continueRequest', { requestId, ...toOwnHeaders(request, url, variant?.headers ?? {}) })
          : session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
      continued.catch(() => {});
    });
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    await page.goto(url, { waitUntil: 'domcontentloaded', timeout: patienceMs });
  } catch {
  } finally {
    await context?.close().catch(() => {});
  }
}
