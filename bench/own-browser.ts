/** Prepares the browser that a service would use. */
import { findBrowser } from '../src/measure/lighthouse/browser/find-browser.ts';
import type { PreparedBrowser } from '../src/measure/lighthouse/messages.ts';

export async function findOwnBrowser(): Promise<PreparedBrowser> {
  const { PATH = '', CHROME_PATH, XDG_CACHE_HOME } = process.env;
  const browser = await findBrowser({ chromePath: CHROME_PATH, path: PATH, cacheHome: XDG_CACHE_HOME })?.prepare();
  if (!browser) throw new Error('no browser to measure with');
  return browser;
}
