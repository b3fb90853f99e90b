/** Every state of the page: accessible, narrow and wide, light and dark, and within its policy. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertAccessible } from './accessible.ts';
import { startBrowser } from './browser.ts';
import { assertRunLayout } from './run-layout.ts';
import { openState, runningStateNames, stateNames } from './states.ts';
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
    await assertAccessible(page, { reducedMotion: 'reduce' });
    assert.deepEqual(page.faults, []);
  });

for (const name of runningStateNames)
  test(`${name}: the progress is in view and rows are as high as their text, narrow and wide`, async t => {
    const { page } = await openState(t, browser, name, { viewport, reducedMotion: 'reduce' });
    await assertRunLayout(page);
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

for (const name of ['result', 'kept', 'compared', 'changed', 'measuredAgain'] as const)
  test(`${name}: on a phone the form is folded and the verdict is on the first screen`, async t => {
    const { page } = await openState(t, browser, name, { viewport, hasTouch: true });
    await page.evaluate('scrollTo(0, 0)');
    assert.equal(await page.getByLabel('Address of the page').isVisible(), false);
    const verdict = await page.locator('.change-note, .verdict').first().boundingBox();
    assert.ok(verdict && verdict.y + Math.min(verdict.height, 60) <= viewport.height, JSON.stringify(verdict));
  });
