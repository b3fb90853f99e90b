/** Every state of a list or comparison without a run. */
import { after } from 'node:test';
import { isQuick, testStates } from './assert-state.ts';
import { startBrowser } from './browser.ts';
import { runningStateNames, stateNames } from './states.ts';

const browser = await startBrowser({ after });

testStates(
  browser,
  stateNames.filter(name => isQuick(name) && !runningStateNames.includes(name) && /^(batch|compare)/.test(name)),
);
