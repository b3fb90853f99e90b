/** Every state of the page: without fault for assistive technology, narrow and wide, light and dark, and true to its policy. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import { startBrowser } from './browser.ts';
import { openState, stateNames } from './states.ts';
import { assertFits, openFolds } from './widths.ts';

const browser = await startBrowser({ after });
const viewport = { width: 360, height: 740 };

for (const name of stateNames)
  test(`${name}: no sideways scroll at any width, nothing serious for axe, no fault`, async t => {
    const { page } = await openState(t, browser, name, {
      viewport,
      reducedMotion: 'reduce',
    });
    await openFolds(page);
    await assertFits(page);
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations, passes } = await new AxeBuilder({ page }).analyze();
      const found = violations.map(
        ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
      );
      assert.deepEqual(found, [], colorScheme);
      assert.ok(passes.length > 10);
    }
    assert.deepEqual(page.faults, []);
  });

test('with reduced motion nothing moves', async t => {
  const { page } = await openState(t, browser, 'batchRunning', { reducedMotion: 'reduce' });
  const moving = `getComputedStyle(document.querySelector('.moving')).transitionDuration`;
  assert.equal(await page.evaluate(moving), '0s');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  assert.notEqual(await page.evaluate(moving), '0s');
});

test('targets are large enough for a thumb', async t => {
  for (const name of ['empty', 'result', 'batch'] as const) {
    const { page } = await openState(t, browser, name, { viewport, hasTouch: true });
    const small =
      await page.evaluate(`[...document.querySelectorAll('button:not([disabled]), summary, .switch label, .ticks label, .brand, nav a, textarea')]
      .filter(element => element.checkVisibility() && element.getBoundingClientRect().height < 44).map(element => element.outerHTML.slice(0, 100))`);
    assert.deepEqual(small, [], name);
  }
});
