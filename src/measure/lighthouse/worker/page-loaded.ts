import type { Page } from 'puppeteer-core';

/** Chromium's names of the events after which a document is complete. Its network is idle after 500 ms without one. */
const needed = ['load', 'firstContentfulPaint', 'networkIdle'] as const;

/**
 * Follows whether the page's document has painted and loaded, and its network is idle. A later document starts over.
 * @throws if the browser has ended
 */
export async function watchLoaded(page: Page): Promise<() => boolean> {
  const session = await page.createCDPSession();
  const seen = new Set<string>();
  const { frameTree } = await session.send('Page.getFrameTree');
  session.on('Page.lifecycleEvent', ({ frameId, name }) => {
    if (frameId !== frameTree.frame.id) return;
    if (name === 'init') seen.clear();
    seen.add(name);
  });
  await session.send('Page.enable');
  await session.send('Page.setLifecycleEventsEnabled', { enabled: true });
  return () => needed.every(name => seen.has(name));
}
