/** Asserts that a page fits its window at every width. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** 320 px is the narrowest common width, and 1280 px at a zoom of 400 %. */
export const allWidths = [320, 360, 480, 768, 800, 900, 1024, 1100, 1280] as const;

/** A phone, a tablet and a desktop: the layout changes most between them. */
const usualWidths = [320, 768, 1280] as const;

/** Widths of the page, and elements that overflow, for the message of a failure. */
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

/** Asserts that the page does not scroll horizontally at any of these widths. The narrowest width remains set. */
export async function assertFits(page: Page, widths: readonly number[] = usualWidths): Promise<void> {
  for (const width of widths.toReversed()) {
    await page.setViewportSize({ width, height: 740 });
    await page.waitForFunction(`innerWidth === ${width}`);
    const read = (await page.evaluate(readWidths)) as { scrollWidth: number; clientWidth: number; tight: string[] };
    assert.ok(read.scrollWidth <= read.clientWidth && read.tight.length === 0, `${width} px: ${JSON.stringify(read)}`);
  }
}

/** The content of an opened fold is drawn in the next frame. */
const openAll = `(() => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
  return new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
})()`;

/** Opens every fold, and the folds inside them. */
export async function openFolds(page: Page): Promise<void> {
  for (const _ of ['folds', 'folds in them']) await page.evaluate(openAll);
}
