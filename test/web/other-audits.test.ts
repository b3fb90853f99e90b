/** Findings and all other audits of a result: filtered by metric and expanded; each URL leads to its request. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage, startBrowser } from './browser.ts';
import { keptId, keptResult, url, wholeResult } from './sample-answers.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });
const kept = `/?${new URLSearchParams({ url, backend: 'remote', strategy: 'mobile', result: keptId })}`;

const { url: base } = await startStubService({ after }, call => {
  if (call.path.endsWith('/screenshot')) return call.picture();
  call.json(call.params.has('detailed') ? { ...keptResult(), lighthouse_result: wholeResult } : keptResult());
});
type Queried = { querySelector(name: string): { tagName: string } };
const titles = '.fixes .finding-title:visible';
const choose = (page: Page, words: string) => page.locator('.metric-filter label', { hasText: words }).click();

test('findings are filtered by metric, by keyboard, and the choice is in the URL', async t => {
  const page = await openPage(t, browser);
  await page.goto(base + kept);
  await page.getByRole('radio', { name: /^All findings/ }).waitFor();
  assert.equal(await page.locator(titles).count(), 4);
  await page.getByRole('radio', { name: /^All findings/ }).focus();
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await page.locator(titles).allInnerTexts(), ['Improve image delivery']);
  assert.equal(new URL(page.url()).searchParams.get('metric'), 'fcp');
  await choose(page, 'LCP');
  assert.deepEqual(await page.locator(titles).allInnerTexts(), ['Improve image delivery', 'Network dependency tree']);
  assert.equal(await page.locator('.finding-group:visible').count(), 1);
  await page.reload();
  await page.locator('.finding-title', { hasText: 'Network dependency tree' }).waitFor();
  assert.equal(await page.locator(titles).count(), 2);
  await choose(page, 'CLS');
  assert.equal(await page.locator(titles).count(), 0);
  await page.getByText('No finding affects Cumulative Layout Shift.').waitFor();
  await choose(page, 'All');
  assert.equal(page.url(), base + kept);
  // A first fix that the filter hides is shown again.
  await choose(page, 'CLS');
  await page.locator('.best-fixes a', { hasText: 'Improve image delivery' }).click();
  await page.locator('.fixes .finding-title:visible', { hasText: 'Improve image delivery' }).waitFor();
  assert.equal(page.url(), base + kept);
  assert.deepEqual(page.faults, []);
});

test('the severity of a finding is shown by its mark: color, shape and text', async t => {
  const page = await openPage(t, browser);
  await page.goto(base + kept);
  await page.getByText('What to fix').waitFor();
  const marks = page.locator('.finding-mark:has(svg)').filter({ visible: true });
  const words = (await marks.allInnerTexts()).map(text => text.replace(/:\s*$/, '').trim());
  assert.ok(words.includes('poor') && words.includes('needs improvement'), words.join());
  const shapes = await marks.evaluateAll(found =>
    found.map(mark => (mark as unknown as Queried).querySelector('svg > *').tagName),
  );
  const pairs = new Set(words.map((word, at) => `${word} ${shapes[at]}`));
  assert.equal(pairs.size, new Set(words).size, [...pairs].join());
  assert.equal(pairs.size, new Set(shapes).size, 'one shape for each word');
});

test('passed, informative and inapplicable audits are at the end, each with its value and its explanation', async t => {
  const page = await openPage(t, browser);
  await page.goto(base + kept);
  const others = page.locator('section', { hasText: 'Passed, informative and not applicable' }).last();
  await others.getByText('Performance').click();
  await others.getByText('Document request latency').waitFor();
  assert.deepEqual(
    (await others.locator('h4:visible').allInnerTexts()).map(text => text.replace(/\s+/g, ' ')),
    ['Passed 2', 'Informative 1', 'Not applicable 1'],
  );
  await others.locator('.finding', { hasText: 'Image elements do not have' }).getByText('2 images found').waitFor();
  await others.locator('.finding summary', { hasText: 'Document request latency' }).click();
  await others.getByText('Server responds quickly (observed 41 ms)').waitFor();
  await others.getByRole('link', { name: 'Learn more' }).first().waitFor();
  assert.deepEqual(
    (await others.locator('summary', { hasText: /^Performance/ }).innerText()).replace(/\s+/g, ' '),
    'Performance 2 passed, 1 informative, 1 not applicable',
  );
  assert.deepEqual(page.faults, []);
});

test('the URL in a finding leads to its request, whatever the filter', async t => {
  const page = await openPage(t, browser);
  await page.goto(base + kept);
  await page.getByRole('searchbox').fill('nothing like it');
  await page.locator('.finding summary', { hasText: 'Improve image delivery' }).click();
  await page.getByRole('button', { name: /^its request/ }).click();
  const focused = page.locator('button.request:focus');
  await focused.getByText('outer-light.bmp').waitFor();
  assert.equal(await focused.getAttribute('aria-expanded'), 'true');
  assert.equal(await page.getByRole('searchbox').inputValue(), '');
  assert.equal(await page.locator('.request-facts').count(), 1);
});

test('the list of requests opens for the selected request if it is closed', async t => {
  const page = await openPage(t, browser);
  await page.goto(base + kept);
  await page.locator('.finding summary', { hasText: 'Network dependency tree' }).click();
  await page.getByText('longest', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'its request 2 in the list of requests' }).click();
  await page.locator('button.request:focus', { hasText: 'harbour.css' }).waitFor();
});

test('scripts, except modules, and third parties lead to their requests, too', async t => {
  const { page } = await openState(t, browser, 'loadDetails');
  for (const part of ['Main thread by script', 'Unused JavaScript', 'Third parties']) {
    const body = page.locator('.part', { has: page.locator('summary', { hasText: part }) }).first();
    await body.evaluate(element => {
      for (const fold of (
        element as unknown as { querySelectorAll(name: string): { open: boolean }[] }
      ).querySelectorAll('details'))
        fold.open = true;
    });
    await body.getByRole('button', { name: 'its request 4 in' }).click();
    await page.locator('button.request:focus', { hasText: 'tides.js' }).waitFor();
  }
});

test('the element of a finding is shown as a crop of the screenshot', async t => {
  const page = await openPage(t, browser);
  await page.goto(base + kept);
  await page.locator('.finding summary', { hasText: 'Image elements do not have [alt]' }).click();
  const picture = page.getByRole('img', { name: /^On the page: <img/ });
  await picture.waitFor();
  assert.equal(await picture.getAttribute('viewBox'), '0 72 412 308');
  assert.deepEqual(page.faults, []);
});

test('scripts are drawn by size, and a table has the same data', async t => {
  const { page } = await openState(t, browser, 'loadDetails');
  await page
    .getByText(/3 scripts, 437.kB unpacked\. Of the 434.kB whose use was measured, 214.kB \(49.%\) did not run/)
    .waitFor();
  const rows = (await page.locator('[aria-label="Scripts and their sizes"] tbody tr').allInnerTexts()).map(text =>
    text.replace(/\s+/g, ' '),
  );
  assert.equal(rows.length, 6);
  assert.match(rows[1] ?? '', /node_modules\/chart\/index\.js 180 kB 151 kB 84 %/);
  const drawn = await page.locator('.treemap title').allTextContents();
  assert.equal(drawn.length, 5, 'a script with modules is drawn as these');
});

test('a saved result leads to its trace and its network log', async t => {
  const page = await openPage(t, browser);
  await page.goto(base + kept);
  const link = page.locator('.menu-body a', { hasText: 'Network log' });
  assert.equal(await link.getAttribute('href'), `results/${keptId}/network-log`);
});
