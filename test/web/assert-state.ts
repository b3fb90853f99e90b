/** What holds of every state of the page: accessible, narrow and wide, light and dark, and within its policy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { assertAccessible } from './accessible.ts';
import { type OpenedPage, openPage } from './browser.ts';
import { leadTo, type StateName } from './states.ts';
import { assertFits, openFolds } from './widths.ts';

export const viewport = { width: 360, height: 740 };

/** The sum of the shifts before a person does something: what a click loads moves the page when it arrives. */
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

/** Shifts below this sum are good. */
const goodShift = 0.1;

/** From the opened address to what it shows. What is asked for in a fragment is not known before the script runs. */
async function assertSteady(page: Page): Promise<void> {
  if (new URL(page.url()).hash !== '') return;
  const shift = Number(await page.evaluate(readShift));
  assert.ok(shift < goodShift, `layout shift: ${shift}`);
}

type Looks = {
  /** What else holds, of the page as it opens. */
  readonly assertOpened?: (page: Page) => Promise<void>;
  readonly widths?: readonly number[];
  /** Of which states axe looks at the page. */
  readonly isForAxe?: (name: StateName) => boolean;
};

/** One state of each view: what others have beside it is drawn by the same templates. All of them: states.long.ts. */
const oneOfEachView: readonly StateName[] = [
  ...([
    'empty',
    'sites',
    'schedulesForm',
    'statusFleet',
    'history',
    'changed',
    'words',
    'halfDone',
    'compareRunning',
    'cancelled',
  ] as const),
  ...(['kept', 'keptHalf', 'disturbed', 'closer', 'closerFiltered', 'whatIf', 'compared', 'comparedCloser'] as const),
  ...(['batchHalfDone', 'batch', 'batchPictures', 'batchKept', 'sitemap', 'failed', 'key'] as const),
];

/** A list of 130 pages takes a processor for as long as a dozen other states: it is in states.long.ts alone. */
export const isQuick = (name: StateName): boolean => name !== 'batchLong';

/** A test for each, one after the other in one page: its origin is another each time, and so is what it stores. */
export function testStates(
  browser: Browser,
  names: readonly StateName[],
  { assertOpened = async () => {}, widths, isForAxe = name => oneOfEachView.includes(name) }: Looks = {},
): void {
  let opened: Promise<OpenedPage> | undefined;
  // It ends with its browser.
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
