/** Every state of the page during a run. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testStates } from './assert-state.ts';
import { startBrowser } from './browser.ts';
import { assertRunLayout } from './run-layout.ts';
import { openState, runningStateNames } from './states.ts';

const browser = await startBrowser({ after });

// Before folds are opened, the progress is in view and rows are no higher than their text.
testStates(browser, runningStateNames, { assertOpened: assertRunLayout });

test('with reduced motion nothing moves', async t => {
  const { page } = await openState(t, browser, 'batchRunning', { reducedMotion: 'reduce' });
  const moving = `getComputedStyle(document.querySelector('.moving')).transitionDuration`;
  assert.equal(await page.evaluate(moving), '0s');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  assert.notEqual(await page.evaluate(moving), '0s');
});
