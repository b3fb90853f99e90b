/** Whether a page fits its window, narrow or wide. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** From the narrowest that anybody has: 320 px is also 1280 px at four times the size. */
export const allWidths = [320, 360, 480, 768, 800, 900, 1024, 1100, 1280] as const;

/** A phone, a tablet and a desktop: one on each side of where the layout changes most. */
const usualWidths = [320, 768, 1280] as const;

/** Widths of what is there, and what sticks out of the window: the message of a failure. */
const readWidths = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const isOut = element => element.getBoundingClientRect().right > clientWidth + 1 && !element.closest('.scroll, .unseen');
  // A value that is wider than its cell lies on the next one.
  const isTight = element => element.scrollWidth > element.clientWidth + 1;
  return {
    scrollWidth,
    clientWidth,
    out: [...document.querySelectorAll('main *')].filter(isOut).map(({ className }) => String(className)),
    tight: [...document.querySelectorAll('.total, .dial, .metric, .vital')].filter(isTight).map(({ innerText }) => innerText),
  };
})()`;

/** The page, as it is now, at one width after the other: none makes it scroll sideways. The narrowest stays. */
export async function assertFits(page: Page, widths: readonly number[] = usualWidths): Promise<void> {
  for (const width of widths.toReversed()) {
    await page.setViewportSize({ width, height: 740 });
    await page.waitForFunction(`innerWidth === ${width}`);
    const read = (await page.evaluate(readWidths)) as { scrollWidth: number; clientWidth: number; tight: string[] };
    assert.ok(read.scrollWidth <= read.clientWidth && read.tight.length === 0, `${width} px: ${JSON.stringify(read)}`);
  }
}

/** What is drawn when a fold opens is there in the next frame. */
const openAll = `(() => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
  return new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
})()`;

/** Opens everything that can be unfolded, and what is in it. */
export async function openFolds(page: Page): Promise<void> {
  for (const _ of ['folds', 'folds in them']) await page.evaluate(openAll);
}
