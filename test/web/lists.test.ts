/** A list of pages on the page: rows that fill in, sorting, files. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { openPage, startBrowser } from './browser.ts';
import { buildLocalResult, buildProblem, buildResult } from './reports.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });

const lane = { source: 'lighthouse', strategy: 'mobile' };

test('rows of a list fill in as lines arrive, and are sorted worst first at the end', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(base);
  // The hint beside the field says how a list is written.
  await page.locator('#url-hint', { hasText: 'one address a line, or with commas between them' }).waitFor();
  await page.getByLabel('PageSpeed Insights settings').check();
  await page.getByLabel('Address of the page').fill('a.example\nb.example, c.example');
  await page.getByLabel('Address of the page').press('Enter');
  const [call] = await calls.waitFor(1);
  assert.equal(call?.headers.accept, 'application/x-ndjson');
  assert.deepEqual(JSON.parse(call?.body ?? '').urls, ['https://a.example', 'https://b.example', 'https://c.example']);
  const rows = page.locator('table.batch tbody tr');
  const names = async () => (await rows.locator('a').allInnerTexts()).map(text => text.slice(8, 9));

  call?.line({ index: 2, ...buildResult({ url: 'https://c.example/', scores: { performance: 41 } }) });
  await rows.nth(2).locator('td').first().getByText('41').waitFor();
  assert.equal(await rows.nth(0).locator('td').first().innerText(), '–');
  await page.getByText('1 of 3 pages').waitFor();
  assert.equal(await page.getByRole('progressbar').getAttribute('aria-valuenow'), '1');
  call?.line({ index: 0, ...buildResult({ url: 'https://a.example/', scores: { performance: 99 } }) });
  await page.getByText('2 of 3 pages').first().waitFor();
  assert.deepEqual(await names(), ['a', 'b', 'c'], 'rows stay where they are while it runs');
  call?.line({ index: 1, url: 'https://b.example/', error: buildProblem({ source: 'psi' }) });
  call?.line({ total: 3, succeeded: 2, failed: 1 });
  call?.end();
  await page.getByText('Measured 3 of 3 pages').waitFor();
  assert.deepEqual(await names(), ['c', 'a', 'b']);
  await page.getByText('3 of 3 pages, 1 failed').first().waitFor();

  await page.getByRole('button', { name: 'Performance' }).click();
  assert.deepEqual(await names(), ['a', 'c', 'b']);
  assert.equal(await page.getByRole('columnheader', { name: 'Performance' }).getAttribute('aria-sort'), 'descending');
  await page.getByRole('button', { name: 'Page', exact: true }).click();
  assert.deepEqual(await names(), ['a', 'b', 'c']);
});

test('a local list runs two pages at a time, and cancelling it cancels both and keeps the others', async t => {
  const { url: base, calls } = await startStubService(t, call => {
    if (call.params.get('url') === 'https://a.example') call.json(buildLocalResult({ url: 'https://a.example/' }));
    else call.event('queued', { ...lane, position: 2 });
  });
  const page = await openPage(t, browser);
  await page.goto(
    `${base}/?${new URLSearchParams('url=a.example&url=b.example&url=c.example&url=d.example&backend=local')}`,
  );
  const [, second, third] = await calls.waitFor(3);
  await page.getByText('2nd in the queue').nth(1).waitFor();
  assert.equal(calls.all.length, 3);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await Promise.all([second?.abandoned, third?.abandoned]);
  await page.getByText('Cancelled after').waitFor();
  assert.equal(await page.getByText('Not measured').count(), 3);
  assert.equal(await page.locator('tr[data-state=done]').count(), 1);
});

test('a list can be saved as CSV and as JSON', async t => {
  const { page } = await openState(t, browser, 'batch');
  const save = async (name: string) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
  };
  const csv = await save('Save as CSV');
  assert.match(csv.name, /^rangelight-harbour\.example-\d{4}-\d\d-\d\d\.csv$/);
  assert.match(csv.text, /^\ufeffurl,strategy,source,status,/);
  assert.match(csv.text, /missing,mobile,psi,failed,.*page_error/);
  const json = await save('Save as JSON');
  assert.match(json.name, /^rangelight-harbour\.example-.*\.json$/);
  assert.equal(JSON.parse(json.text).results.length, 3);
  assert.deepEqual(page.faults, []);
});

test('a row opens to its whole result', async t => {
  const { page } = await openState(t, browser, 'batch');
  const button = page.getByRole('button', { name: /^Details of https:\/\/harbour\.example\/ / });
  await button.click();
  await page.locator('.opened').getByText('This page is fast on mobile').waitFor();
  await page.getByRole('button', { name: /^Close of/ }).click();
  assert.equal(await page.locator('.opened').count(), 0);
});

test('a list is sorted and searched while it runs, and stays as it was sorted', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(`${base}/?${new URLSearchParams('url=a.example&url=b.example&url=c.example&backend=remote')}`);
  const [call] = await calls.waitFor(1);
  const names = async () => (await page.locator('table.batch tbody a').allInnerTexts()).map(text => text.slice(8, 9));
  call?.line({ index: 0, ...buildResult({ url: 'https://a.example/', scores: { performance: 40, seo: 90 } }) });
  call?.line({ index: 2, ...buildResult({ url: 'https://c.example/', scores: { performance: 90, seo: 20 } }) });
  await page.getByText('2 of 3 pages').first().waitFor();
  await page.getByRole('button', { name: 'SEO' }).click();
  assert.deepEqual(await names(), ['c', 'a', 'b']);
  await page.getByRole('searchbox').fill('a.ex');
  assert.deepEqual(await names(), ['a']);
  await page.getByRole('searchbox').fill('nowhere');
  await page.getByText('No page fits').waitFor();
  await page.getByRole('searchbox').fill('');
  await page.getByRole('button', { name: /^With a poor score/ }).click();
  assert.deepEqual(await names(), ['c', 'a']);
  await page.getByRole('button', { name: /^All/ }).click();
  call?.line({ index: 1, url: 'https://b.example/', error: buildProblem({ source: 'psi' }) });
  call?.line({ total: 3, succeeded: 2, failed: 1 });
  call?.end();
  await page.getByText('Measured 3 of 3 pages').waitFor();
  assert.deepEqual(await names(), ['c', 'a', 'b']);
  await page.getByRole('button', { name: /^Failed/ }).click();
  assert.deepEqual(await names(), ['b']);
});
