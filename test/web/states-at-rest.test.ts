/** Every state of the page in which nothing runs, but for lists and comparisons. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testStates, viewport } from './assert-state.ts';
import { startBrowser } from './browser.ts';
import { openState, runningStateNames, stateNames } from './states.ts';

const browser = await startBrowser({ after });

const isAtRest = (name: (typeof stateNames)[number]): boolean =>
  !runningStateNames.includes(name) && !/^(batch|compare)/.test(name);

testStates(browser, stateNames.filter(isAtRest));

test('targets are large enough for a thumb', async t => {
  for (const name of ['empty', 'result', 'batch'] as const) {
    const { page } = await openState(t, browser, name, { viewport, hasTouch: true });
    const small =
      await page.evaluate(`[...document.querySelectorAll('button:not([disabled]), summary, .switch label, .ticks label, .brand, nav a, textarea')]
      .filter(element => element.checkVisibility() && element.getBoundingClientRect().height < 44).map(element => element.outerHTML.slice(0, 100))`);
    assert.deepEqual(small, [], name);
  }
});

for (const name of ['result', 'kept', 'keptBoth', 'compared', 'comparedKept', 'changed', 'measuredAgain'] as const)
  test(`${name}: on a phone the form is folded and the verdict is on the first screen`, async t => {
    const { page } = await openState(t, browser, name, { viewport, hasTouch: true });
    await page.evaluate('scrollTo(0, 0)');
    assert.equal(await page.getByLabel('Address of the page').isVisible(), false);
    const verdict = await page.locator('.change-note, .verdict').first().boundingBox();
    assert.ok(verdict && verdict.y + Math.min(verdict.height, 60) <= viewport.height, JSON.stringify(verdict));
  });
