/** What holds of every state of the page: accessible, narrow and wide, light and dark, and within its policy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { assertAccessible } from './accessible.ts';
import { openState, type StateName } from './states.ts';
import { assertFits, openFolds } from './widths.ts';

export const viewport = { width: 360, height: 740 };

/** The sum of what moved without a click. */
const readShift = `new Promise(resolve => {
  let sum = 0;
  new PerformanceObserver(list => { for (const { value, hadRecentInput } of list.getEntries()) sum += hadRecentInput ? 0 : value; })
    .observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum))));
})`;

/** What a visitor still takes for steady. */
const goodShift = 0.1;

/** From the opened address to what it shows. What is asked for in a fragment is not known before the script runs. */
async function assertSteady(page: Page): Promise<void> {
  if (new URL(page.url()).hash !== '') return;
  const shift = Number(await page.evaluate(readShift));
  assert.ok(shift < goodShift, `layout shift: ${shift}`);
}

/**
 * A test for each.
 * @param assertOpened what else holds, of the page as it opens
 */
export function testStates(
  browser: Browser,
  names: readonly StateName[],
  assertOpened: (page: Page) => Promise<void> = async () => {},
): void {
  for (const name of names)
    test(`${name}: nothing moves, no sideways scroll at any width, nothing serious for axe, no fault`, async t => {
      const { page } = await openState(t, browser, name, { viewport, reducedMotion: 'reduce' });
      await assertSteady(page);
      await assertOpened(page);
      await openFolds(page);
      await assertFits(page);
      await page.setViewportSize(viewport);
      await assertAccessible(page, { reducedMotion: 'reduce' });
      assert.deepEqual(page.faults, []);
    });
}
