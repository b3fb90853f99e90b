/** The details of a result: loaded when opened, stepped through and searched by keyboard. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPage, startBrowser } from './browser.ts';
import { buildLocalResult } from './reports.ts';
import { keptId, keptResult, url, wholeResult } from './sample-answers.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });
const query = (fields: Record<string, string>) => `/?${new URLSearchParams({ url, ...fields })}`;

test('a stored result is shown before its full result, which is requested once', async t => {
  const paths: string[] = [];
  const { url: base } = await startStubService(t, call => {
    paths.push(`${call.path}?${call.params}`);
    if (call.path.endsWith('/screenshot')) return call.picture();
    call.json(call.params.has('detailed') ? { ...keptResult(), lighthouse_result: wholeResult } : keptResult());
  });
  const page = await openPage(t, browser);
  await page.goto(`${base}${query({ backend: 'remote', result: keptId })}`);
  await page.getByText('What to fix').waitFor();
  await page.locator('.frames img').first().waitFor();
  await page.locator('table.requests').waitFor();
  await page.locator('.part > summary', { hasText: 'Largest Contentful Paint' }).click();
  await page.getByText('The outer light at night', { exact: true }).waitFor();
  await page.locator('.finding summary').first().click();
  await page.getByText('a-rather-long-name-of-a-picture-0').waitFor();
  assert.equal(paths.filter(path => path.includes('detailed')).length, 1);
  assert.deepEqual(page.faults, []);
});

test('a result that came with its full result requests nothing more', async t => {
  const paths: string[] = [];
  const { url: base } = await startStubService(t, call => {
    paths.push(call.path);
    call.json(buildLocalResult({ url, lighthouse_result: wholeResult }));
  });
  const page = await openPage(t, browser);
  await page.goto(`${base}${query({ backend: 'local' })}`);
  await page.getByText('Third parties', { exact: true }).click();
  await page.locator('[aria-label="Third parties"]').getByText('Tide Tables Inc.').waitFor();
  assert.ok(
    paths.every(path => path === '/lighthouse' || path === '/results'),
    paths.join(),
  );
});

test('the filmstrip is stepped through with the arrow keys', async t => {
  const { page } = await openState(t, browser, 'loadDetails');
  const shown = () => page.locator('.large img:visible').getAttribute('alt');
  assert.equal(await page.locator('.large img:visible').count(), 0);
  await page.getByRole('radio', { name: 'The page after 3.0' }).press('Space');
  assert.equal(await shown(), 'The page after 3.0\u00a0s');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await shown(), 'The page after 2.6\u00a0s');
});

test('requests are filtered, searched and browsed without a mouse', async t => {
  const { page } = await openState(t, browser, 'loadDetails');
  const names = () => page.locator('.request-name').allInnerTexts();
  await page.locator('.request-name').nth(9).waitFor();
  assert.equal((await names()).length, 10);
  await page.getByRole('button', { name: /^Images/ }).press('Enter');
  assert.deepEqual(await names(), ['outer-light.bmp', 'pixel.gif']);
  await page.getByRole('searchbox').fill('lighthouse ads');
  assert.deepEqual(await names(), ['pixel.gif']);
  await page.getByRole('searchbox').fill('');
  await page.getByRole('button', { name: /^All/ }).press('Enter');
  await page.locator('button.request').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const facts = await page.locator('.request-facts').innerText();
  assert.match(facts, /harbour\.css[\s\S]*text\/css/);
  await page.locator('.tag', { hasText: 'blocks rendering' }).waitFor();
  await page.getByRole('searchbox').fill('nowhere');
  await page.getByText('No request matches').waitFor();
  assert.deepEqual(page.faults, []);
});

test('parts that failed to load can be loaded again', async t => {
  let isDown = true;
  const { url: base } = await startStubService(t, call => {
    if (call.path.endsWith('/screenshot')) return call.picture();
    if (!call.params.has('detailed')) return call.json(keptResult());
    if (isDown) return call.json({ code: 'results_unavailable', title: 'x', detail: 'y', status: 503 }, 503);
    call.json({ ...keptResult(), lighthouse_result: wholeResult });
  });
  const page = await openPage(t, browser);
  await page.goto(`${base}${query({ backend: 'remote', result: keptId })}`);
  const again = page.locator('.filmstrip').getByRole('button', { name: 'Load it again' });
  await again.waitFor();
  isDown = false;
  await again.click();
  await page.locator('.frames img').first().waitFor();
});

test('both full results of a comparison are loaded, and requests on only one side can be filtered', async t => {
  const { page, service } = await openState(t, browser, 'comparedApart');
  const names = async () => (await page.locator('.pairs .request-name').allInnerTexts()).toSorted();
  assert.deepEqual(await names(), ['consent.js', 'never', 'pixel.gif']);
  await page.getByRole('searchbox').fill('consent');
  assert.deepEqual(await names(), ['consent.js']);
  await page.getByRole('searchbox').fill('');
  await page.getByRole('button', { name: /^All/ }).click();
  assert.equal((await names()).length, 11);
  await page.locator('.part > summary', { hasText: 'Largest Contentful Paint' }).click();
  await page.locator('.lcp').nth(1).waitFor();
  const finding = page.locator('.finding', { hasText: 'Improve image delivery' });
  await finding.locator('summary').click();
  await finding.getByText('Details of the side').waitFor();
  await finding.getByText('a-rather-long-name-of-a-picture-0').waitFor();
  assert.equal(await page.getByRole('button', { name: /^its request/ }).count(), 0);
  const whole = (await service.calls.waitFor(1)).filter(({ params }) => params.has('detailed'));
  assert.equal(whole.length, 2);
  assert.equal(await page.locator('.filmstrip').count(), 2);
  assert.deepEqual(page.faults, []);
});

test('a letter in the search of 500 requests shows the matching requests', async t => {
  const items = Array.from({ length: 500 }, (_, at) => ({
    url: `${url}picture-${at}.webp`,
    resourceType: 'Image',
    networkRequestTime: at,
    networkEndTime: at + 5,
  }));
  const whole = { ...wholeResult, audits: { ...wholeResult.audits, 'network-requests': { details: { items } } } };
  const { url: base } = await startStubService(t, call =>
    call.json(buildLocalResult({ url, lighthouse_result: whole })),
  );
  const page = await openPage(t, browser);
  await page.goto(`${base}${query({ backend: 'local' })}`);
  const rows = page.locator('.request-name', { hasText: 'picture-' });
  await rows.nth(499).waitFor();
  await page.getByLabel('Search in requests').pressSequentially('-499');
  await rows.nth(1).waitFor({ state: 'detached' });
  assert.deepEqual([await rows.count(), page.faults], [1, []]);
});
