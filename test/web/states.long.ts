/**
 * Every state of the page at every width, with all rules of axe. `npm test` covers three widths, and axe on one state
 * of each view.
 */
import { after } from 'node:test';
import { testStates } from './assert-state.ts';
import { startBrowser } from './browser.ts';
import { stateNames } from './states.ts';
import { allWidths } from './widths.ts';

const browser = await startBrowser({ after });

testStates(browser, stateNames, { widths: allWidths, isForAxe: () => true });
