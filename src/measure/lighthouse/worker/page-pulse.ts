import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, HTTPRequest, Page } from 'puppeteer-core';
import { hung, PageFailureSeen } from './navigation-watch.ts';

export type PulseLimits = {
  /** Time without an answer after which the page counts as silent. It may still recover. */
  silentMs: number;
  /**
   * Time without an answer after which the page counts as hung. It is a function, because it depends on Lighthouse's
   * current stage.
   */
  hungMs: () => number;
  /** Interval between checks. */
  beatMs: number;
};

/**
 * Watches whether a page's main thread answers, because Lighthouse would wait for an endless script until the deadline.
 * Also detects a crashed tab.
 * @param onChange called when the page stops answering, and when it answers again
 */
export async function watchPulse(page: Page, limits: PulseLimits, onChange: (isSilent: boolean) => void) {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  page.on('error', () => failed.reject(new PageFailureSeen('TARGET_CRASHED', 'Browser tab has unexpectedly crashed.')));

  // Chrome delays answers while a new document loads, so silence is counted from the time when a document is shown.
  let shownAt = Number.POSITIVE_INFINITY;
  const isMain = (request: HTTPRequest) => request.isNavigationRequest() && request.frame() === page.mainFrame();
  const show = () => {
    if (/^https?:/.test(page.mainFrame().url())) shownAt = performance.now();
  };
  page.on('request', request => {
    if (isMain(request)) shownAt = Number.POSITIVE_INFINITY;
  });
  page.on('requestfailed', request => isMain(request) && show());
  page.on('framenavigated', frame => frame === page.mainFrame() && show());

  const session = await page.createCDPSession();
  const stopping = new AbortController();
  const pause = () => delay(limits.beatMs, 'silence' as const, { signal: stopping.signal, ref: false });

  let isSilent = false;

  async function beat(): Promise<void> {
    const since = performance.now();
    const answer = ask(session);
    while ((await Promise.race([answer, pause()])) === 'silence') {
      const silenceMs = performance.now() - Math.max(since, shownAt);
      if (!isSilent && silenceMs >= limits.silentMs) {
        isSilent = true;
        onChange(true);
      }
      if (silenceMs >= limits.hungMs()) failed.reject(hung());
    }
    if (isSilent) onChange(false);
    isSilent = false;
  }

  async function watch(): Promise<void> {
    for (;;) {
      await beat();
      await pause();
    }
  }
  // The watch rejects when `stop` aborts it.
  watch().catch(() => {});
  return {
    /** Rejects with PageFailureSeen, and never resolves. */
    failed: failed.promise,
    /** Whether the page has not answered for a few seconds. */
    get isSilent(): boolean {
      return isSilent;
    },
    // A session that is opened now would wait for the script.
    /** Ends the script that the page runs now. It may be Lighthouse's own, such as a check of all elements. */
    stopScript: (): Promise<void> =>
      session.send('Runtime.terminateExecution').then(
        () => {},
        () => {},
      ),
    stop: (): void => stopping.abort(),
  };
}
export type PagePulse = Awaited<ReturnType<typeof watchPulse>>;

/** Asks the page for an answer. A refusal counts as one: the document is being replaced, or the tab has crashed. */
const ask = (session: CDPSession): Promise<'alive'> =>
  session.send('Runtime.evaluate', { expression: '0' }).then(
    () => 'alive',
    () => 'alive',
  );
