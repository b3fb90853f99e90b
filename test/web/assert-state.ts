/** What holds of every state of the page: accessible, narrow and wide, light and dark, and within its policy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { assertAccessible } from './accessible.ts';
import { openState, type StateName } from './states.ts';
import { assertFits, openFolds } from './widths.ts';

export const viewport = { width: 360, height: 740 };

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
    test(`${name}: no sideways scroll at any width, nothing serious for axe, no fault`, async t => {
      const { page } = await openState(t, browser, name, { viewport, reducedMotion: 'reduce' });
      await assertOpened(page);
      await openFolds(page);
      await assertFits(page);
      await page.setViewportSize(viewport);
      await assertAccessible(page, { reducedMotion: 'reduce' });
      assert.deepEqual(page.faults, []);
    });
}
