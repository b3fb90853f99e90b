/** Pauses a browser that gathers while other pages load, because its screenshots and checks would disturb them. */
import type { Browser } from 'puppeteer-core';
import { pauseBrowser } from './browser.ts';

/**
 * Artifacts that take seconds on a large page. Lighthouse gathers the others under time limits of its own, from 0.1 to
 * 2 s, so a pause would make them fail: a `robots.txt` that arrives late counts as missing.
 */
const pausable: ReadonlySet<string> = new Set(['Accessibility', 'AnchorElements', 'FullPageScreenshot']);
/** Max time of all pauses. Lighthouse waits 30 s for an answer of the browser. */
const mostPausedMs = 10_000;

export function createBrowserPause(browser: Browser, signal = pauseBrowser) {
  let isWanted = false;
  let canPause = false;
  let leftMs = mostPausedMs;
  let pausedMs = 0;
  let pausedAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  const update = () => {
    const isPaused = isWanted && canPause && leftMs > 0;
    if (isPaused === (pausedAt !== undefined)) return;
    clearTimeout(timer);
    if (isPaused) timer = setTimeout(stop, leftMs);
    else {
      const ms = performance.now() - (pausedAt ?? 0);
      leftMs -= ms;
      pausedMs += ms;
    }
    pausedAt = isPaused ? performance.now() : undefined;
    signal(browser, isPaused);
  };
  const stop = () => {
    canPause = false;
    update();
    leftMs = 0;
  };

  return {
    /** Sum of all pauses so far, in milliseconds. */
    get pausedMs(): number {
      return pausedMs + (pausedAt === undefined ? 0 : performance.now() - pausedAt);
    },
    /** Requests a pause, or its end. A pause waits until an artifact is gathered that can be paused. */
    want(isPaused: boolean): void {
      isWanted = isPaused;
      update();
    },
    /** Reports the artifact that is gathered now. */
    gather(artifact: string): void {
      canPause = pausable.has(artifact);
      update();
    },
    /** Resumes the browser for good. */
    stop,
  };
}
export type BrowserPause = ReturnType<typeof createBrowserPause>;
