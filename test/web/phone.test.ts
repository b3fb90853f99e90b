/** The page on a phone: the form folds when a run starts, and the progress is on the screen. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPage, startBrowser } from './browser.ts';
import { buildLocalResult } from './reports.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });
const url = 'https://harbour.example/';
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true };

test('the form folds when a run starts, shows the selected options, and unfolds with a tap', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser, phone);
  await page.goto(base);
  assert.equal(await page.getByRole('button', { name: /^Change / }).count(), 0);
  await page.getByLabel('Desktop').check();
  await page.getByLabel('SEO').uncheck();
  await page.getByLabel('Page URL').fill(url);
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  const [call] = await calls.waitFor(1);
  const change = page.getByRole('button', { name: /^Change harbour\.example\/ ?Local, Desktop, 3 categories/ });
  await change.waitFor();
  assert.equal(await page.getByLabel('Desktop').isVisible(), false);
  const cancel = await page.getByRole('button', { name: 'Cancel' }).boundingBox();
  assert.ok(cancel && cancel.y + cancel.height < phone.viewport.height, JSON.stringify(cancel));
  await change.tap();
  await page.getByLabel('Desktop').waitFor();
  assert.equal(await page.evaluate('document.activeElement.id'), 'url');
  assert.equal(await page.getByLabel('Desktop').isChecked(), true);
  call?.event('result', buildLocalResult({ url, strategy: 'desktop' }));
  await page.getByText('Result for').waitFor();
  assert.deepEqual(page.faults, []);
});

test('after the run the verdict is on the screen, and an invalid URL unfolds the form', async t => {
  const { url: base } = await startStubService(t, call => call.json(buildLocalResult({ url })));
  const page = await openPage(t, browser, phone);
  await page.goto(`${base}/?${new URLSearchParams({ url, backend: 'local' })}`);
  await page.locator('.verdict').waitFor();
  await page.evaluate('scrollTo(0, 0)');
  const verdict = await page.locator('.verdict').boundingBox();
  assert.ok(verdict && verdict.y + verdict.height < phone.viewport.height, JSON.stringify(verdict));
  assert.equal(await page.getByLabel('Page URL').isVisible(), false);
  await page.goto(`${base}/?url=not+an+address`);
  await page.locator('#url-fault p').waitFor();
});

test('the form folds on a wide screen, too', async t => {
  const { url: base } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(`${base}/?${new URLSearchParams({ url, backend: 'local' })}`);
  await page.locator('.lane').waitFor();
  assert.equal(await page.getByLabel('Desktop').isVisible(), false);
  await page.getByRole('button', { name: /^Change / }).click();
  assert.equal(await page.getByLabel('Desktop').isVisible(), true);
});

test('no column of the changed files is cut off, and a folded group says its changes', async t => {
  const { page: change } = await openState(t, browser, 'changedAlike', phone);
  const files = change.getByRole('group', { name: 'Changed files' });
  const [content, width] = await files.evaluate((element: { scrollWidth?: number; clientWidth?: number }) => [
    element.scrollWidth,
    element.clientWidth,
  ]);
  assert.equal(content, width);
  const { page: sites } = await openState(t, browser, 'sitesGrouped', phone);
  assert.equal(await sites.getByText('2 pages worse, 1 page better').isVisible(), true);
});
