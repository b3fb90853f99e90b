/**
 * Asserts what holds in every state of the page: no violation of axe, no horizontal scrolling, no layout shift, no
 * fault.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { assertAccessible } from './accessible.ts';
import { type OpenedPage, openPage } from './browser.ts';
import { leadTo, type StateName } from './states.ts';
import { assertFits, openFolds } from './widths.ts';

export const viewport = { width: 360, height: 740 };

/** Sum of layout shifts before the first input. Content that a click loads may move the page when it arrives. */
const readShift = `new Promise(resolve => {
  const shifts = [];
  let inputAt = Infinity;
  const observe = (type, read) =>
    new PerformanceObserver(list => list.getEntries().forEach(read)).observe({ type, buffered: true });
  observe('layout-shift', entry => { if (!entry.hadRecentInput) shifts.push(entry); });
  observe('first-input', ({ startTime }) => { inputAt = startTime; });
  const sum = () => shifts.reduce((all, { startTime, value }) => all + (startTime < inputAt ? value : 0), 0);
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum()))));
})`;

const goodShift = 0.1;

/**
 * Asserts a good layout shift for a page without a fragment. A request in a fragment is unknown before the script runs.
 */
async function assertSteady(page: Page): Promise<void> {
  if (new URL(page.url()).hash !== '') return;
  const shift = Number(await page.evaluate(readShift));
  assert.ok(shift < goodShift, `layout shift: ${shift}`);
}

type Looks = {
  /** Further assertions on the page before folds are opened. */
  readonly assertOpened?: (page: Page) => Promise<void>;
  readonly widths?: readonly number[];
  /** Which states axe checks. */
  readonly isForAxe?: (name: StateName) => boolean;
};

/** One state of each view, because the same templates draw the others. states.long.ts checks all states. */
const oneOfEachView: readonly StateName[] = [
  ...([
    'empty',
    'sites',
    'schedulesForm',
    'statusFleet',
    'history',
    'changedAlike',
    'words',
    'halfDone',
    'compareRunning',
    'cancelled',
  ] as const),
  ...([
    'kept',
    'keptHalf',
    'disturbed',
    'loadDetails',
    'loadDetailsFiltered',
    'whatIf',
    'compared',
    'comparedLoadDetails',
  ] as const),
  ...(['batchHalfDone', 'batch', 'batchPictures', 'batchKept', 'sitemap', 'failed', 'key'] as const),
];

/** A list of 130 pages takes as much CPU time as a dozen other states, so only states.long.ts checks it. */
export const isQuick = (name: StateName): boolean => name !== 'batchLong';

/**
 * Registers a test for each state. They share one page; each state has a service of its own, thus its own origin and
 * storage.
 */
export function testStates(
  browser: Browser,
  names: readonly StateName[],
  { assertOpened = async () => {}, widths, isForAxe = name => oneOfEachView.includes(name) }: Looks = {},
): void {
  let opened: Promise<OpenedPage> | undefined;
  // The page closes with its browser.
  const openOnce = () => openPage({ after: () => {} }, browser, { viewport, reducedMotion: 'reduce' });
  for (const name of names) {
    const forAxe = isForAxe(name);
    const looks = `nothing moves, no sideways scroll${forAxe ? ', nothing serious for axe' : ''}, no fault`;
    test(`${name}: ${looks}`, async t => {
      opened ??= openOnce();
      const page = await opened;
      await page.emulateMedia({ colorScheme: null });
      await page.setViewportSize(viewport);
      await leadTo(t, page, name);
      await assertSteady(page);
      await assertOpened(page);
      await openFolds(page);
      await assertFits(page, widths);
      if (forAxe) {
        await page.setViewportSize(viewport);
        await assertAccessible(page, { reducedMotion: 'reduce' });
      }
      assert.deepEqual(page.faults, []);
    });
  }
}
