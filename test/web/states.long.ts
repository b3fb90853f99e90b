/** Every state of the page at every width, and for all rules of axe. `npm test` has three widths, and one state of each view. */
import { after } from 'node:test';
import { testStates } from './assert-state.ts';
import { startBrowser } from './browser.ts';
import { stateNames } from './states.ts';
import { allWidths } from './widths.ts';

const browser = await startBrowser({ after });

testStates(browser, stateNames, { widths: allWidths, isForAxe: () => true });
