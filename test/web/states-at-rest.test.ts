/** Every state of the page without a run, except lists and comparisons. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testStates, viewport } from './assert-state.ts';
import { type OpenedPage, openPage, startBrowser } from './browser.ts';
import { leadTo, runningStateNames, stateNames } from './states.ts';

const browser = await startBrowser({ after });

const isAtRest = (name: (typeof stateNames)[number]): boolean =>
  !runningStateNames.includes(name) && !/^(batch|compare)/.test(name);

testStates(browser, stateNames.filter(isAtRest));

let phone: Promise<OpenedPage> | undefined;
/** All tests share the page, which closes with its browser. */
const openPhone = () => {
  phone ??= openPage({ after: () => {} }, browser, { viewport, hasTouch: true });
  return phone;
};

test('touch targets are large enough', async t => {
  const page = await openPhone();
  for (const name of ['empty', 'result', 'batch'] as const) {
    await leadTo(t, page, name);
    const small =
      await page.evaluate(`[...document.querySelectorAll('button:not([disabled]), summary, .switch label, .ticks label, .brand, nav a, textarea')]
      .filter(element => element.checkVisibility() && element.getBoundingClientRect().height < 44).map(element => element.outerHTML.slice(0, 100))`);
    assert.deepEqual(small, [], name);
  }
});

for (const name of ['result', 'kept', 'keptBoth', 'compared', 'comparedKept', 'changedAlike', 'measuredAgain'] as const)
  test(`${name}: on a phone the form is folded and the verdict is on the first screen`, async t => {
    const page = await openPhone();
    await leadTo(t, page, name);
    await page.evaluate('scrollTo(0, 0)');
    assert.equal(await page.getByLabel('Page URL').isVisible(), false);
    const verdict = await page.locator('.change-note, .verdict').first().boundingBox();
    assert.ok(verdict && verdict.y + Math.min(verdict.height, 60) <= viewport.height, JSON.stringify(verdict));
  });
