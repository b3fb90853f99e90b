/** Lists of pages: rows that arrive one by one, sorting, files. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { openPage, startBrowser } from './browser.ts';
import { buildLocalResult, buildProblem, buildResult } from './reports.ts';
import { pages } from './sample-answers.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });

const sitemapPages = pages.slice(0, 2);
const lane = { source: 'lighthouse', strategy: 'mobile' };

test('rows of a list fill in as lines arrive, and are sorted worst first at the end', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(base);
  // The hint next to the field explains how to write a list.
  await page.locator('#url-hint', { hasText: 'one a line or separated by commas' }).waitFor();
  await page.getByLabel('PSI settings').check();
  await page.getByLabel('Page URL').fill('a.example\nb.example, c.example');
  await page.getByLabel('Page URL').press('Enter');
  const [call] = await calls.waitFor(1);
  assert.equal(call?.headers.accept, 'application/x-ndjson');
  assert.deepEqual(JSON.parse(call?.body ?? '').urls, ['https://a.example', 'https://b.example', 'https://c.example']);
  const rows = page.locator('table.batch tbody tr');
  const names = async () => (await rows.locator('a').allInnerTexts()).map(text => text.slice(0, 1));

  call?.line({ index: 2, ...buildResult({ url: 'https://c.example/', scores: { performance: 41 } }) });
  await rows.nth(2).locator('td').first().getByText('41').waitFor();
  assert.equal((await rows.nth(0).locator('td').first().innerText()).trim(), '');
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
  assert.deepEqual(await names(), ['a', 'c', 'b'], 'what failed stands last');
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
  await page.getByRole('button', { name: /^Failed/ }).click();
  const failed = (await save('Save as CSV')).text.trim().split('\n');
  assert.equal(failed.length, 2, 'the filter applies to the file');
  assert.match(failed[1] ?? '', /missing,mobile,psi,failed/);
  assert.deepEqual(page.faults, []);
});

test('a row opens its full result', async t => {
  const { page } = await openState(t, browser, 'batch');
  const button = page.getByRole('button', { name: /^Details of https:\/\/harbour\.example\/ / });
  await button.click();
  await page.locator('.opened').getByText('This page is fast on mobile').waitFor();
  await page.getByRole('button', { name: /^Close of/ }).click();
  assert.equal(await page.locator('.opened').count(), 0);
});

test('a list is sorted and searched while it runs, and stays sorted', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(`${base}/?${new URLSearchParams('url=a.example&url=b.example&url=c.example&backend=remote')}`);
  const [call] = await calls.waitFor(1);
  const names = async () => (await page.locator('table.batch tbody a').allInnerTexts()).map(text => text.slice(0, 1));
  call?.line({ index: 0, ...buildResult({ url: 'https://a.example/', scores: { performance: 40, seo: 90 } }) });
  call?.line({ index: 2, ...buildResult({ url: 'https://c.example/', scores: { performance: 90, seo: 20 } }) });
  await page.getByText('2 of 3 pages').first().waitFor();
  await page.getByRole('button', { name: 'SEO' }).click();
  assert.deepEqual(await names(), ['c', 'a', 'b']);
  await page.getByRole('searchbox').fill('a.ex');
  assert.deepEqual(await names(), ['a']);
  await page.getByRole('searchbox').fill('nowhere');
  await page.getByText('No page matches').waitFor();
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

test('a list over 100 pages is sent in parts, drawn in parts, and totalled as a whole', async t => {
  const { page, service } = await openState(t, browser, 'batchLong');
  const parts = service.calls.all.map(({ body }) => JSON.parse(body).urls.length);
  assert.deepEqual(parts, [100, 30]);
  const rows = page.locator('table.batch tbody tr');
  assert.equal(await rows.count(), 100);
  await page.getByText('100 of 130 are shown').waitFor();
  await page.getByRole('button', { name: 'Show 30 more' }).click();
  assert.equal(await rows.count(), 130);
  const total = page.locator('.total', { hasText: 'Performance' });
  assert.match(await total.innerText(), /61[\s\S]*0[\s\S]*130[\s\S]*0/);
  await page.locator('.common li', { hasText: 'Improve image delivery' }).getByText('130 pages').waitFor();
  await page
    .locator('.common')
    .getByText(/Most on \/berths.*: may save 2\.4\ss/)
    .waitFor();
  await page.locator('.common li', { hasText: 'Improve image delivery' }).getByRole('button').click();
  await page.getByText('100 of 130 are shown').waitFor();
  const only = page.getByRole('button', { name: /^Improve image delivery/, pressed: true });
  assert.equal(await page.evaluate("document.activeElement.matches('.finding-chip')"), true);
  await only.click();
  await only.waitFor({ state: 'detached' });
  assert.deepEqual(page.faults, []);
});

test('stored pages have a small picture, whose space is reserved', async t => {
  const { page } = await openState(t, browser, 'batchPictures');
  const thumbs = page.locator('.thumb');
  assert.equal(await thumbs.count(), 6);
  const boxes = await Promise.all((await thumbs.all()).map(thumb => thumb.boundingBox()));
  assert.ok(
    boxes.every(box => box?.width === 58 && box.height === 58),
    JSON.stringify(boxes),
  );
  const images = page.locator('.thumb img');
  assert.equal(await images.count(), 4, 'what failed has none');
  assert.equal(await images.first().getAttribute('loading'), 'lazy');
});

test("pages of a sitemap are deselected, and the rest is measured with the form's settings", async t => {
  const { page, service } = await openState(t, browser, 'sitemap');
  await page.getByText('812 pages found in 1 sitemap').waitFor();
  await page.getByText('2 pages that may not be measured here').waitFor();
  await page.getByRole('searchbox').fill('berths');
  await page.getByRole('button', { name: 'Deselect these' }).click();
  await page.getByRole('searchbox').fill('');
  await page.getByRole('checkbox', { name: 'https://harbour.example/missing' }).uncheck();
  await page.locator('.unfold').click();
  await page.getByLabel('Desktop').check();
  await page.getByRole('button', { name: 'Measure 2 pages' }).click();
  await page.locator('table.batch').waitFor();
  const measured = (await service.calls.waitFor(3)).filter(({ path }) => path === '/lighthouse');
  assert.deepEqual(
    measured.map(({ params }) => [params.get('url'), params.get('strategy')]),
    sitemapPages.map(asked => [asked, 'desktop']),
  );
  await page.goBack();
  await page.locator('.sitemap-pages').waitFor();
});

test('the pages of a site are found from its URL in the form, and the URL of the page leads back to them', async t => {
  const { url: base, calls } = await startStubService(t, call =>
    call.json({
      ...{ schedules: [], jobs: [] },
      url: 'https://harbour.example/',
      urls: sitemapPages,
      found: 2,
      templates: [],
      links: null,
      sitemaps: [],
      failures: [],
      is_complete: true,
      skipped: {},
    }),
  );
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.getByLabel('Page URL').fill('harbour.example/timetable?season=winter');
  await page.getByRole('button', { name: 'Find the pages of this site' }).click();
  await page.locator('.sitemap-pages').waitFor();
  assert.equal(calls.all[0]?.params.get('url'), 'https://harbour.example/');
  await page.reload();
  await page.locator('.sitemap-pages').waitFor();
  assert.equal(calls.all.length, 2);
  assert.match(page.url(), /sitemap=https/);
  await page.getByRole('button', { name: 'Watch 2 pages' }).click();
  await page.getByText('All pages of https://harbour.example/: 2 pages').waitFor();
  await page.reload();
  await page.getByText('All pages of https://harbour.example/').waitFor();
  await page.goBack();
  await page.locator('.sitemap-pages').waitFor();
});

test('totals fill in while a list runs, and nothing below them moves', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser, { viewport: { width: 360, height: 740 } });
  const query = new URLSearchParams('backend=remote');
  for (let at = 0; at < 40; at += 1) query.append('url', `https://harbour.example/${at}`);
  await page.goto(`${base}/?${query}`);
  const [call] = await calls.waitFor(1);
  await page.getByText('0 of 40 pages').waitFor();
  const table = page.locator('.batch-top');
  const before = await table.boundingBox();
  for (let index = 0; index < 39; index += 1)
    call?.line({
      index,
      ...buildResult({ url: `https://harbour.example/${index}`, scores: { performance: 30 * (index % 4) } }),
    });
  await page.getByText('39 of 40 pages').first().waitFor();
  assert.match(await page.locator('.total', { hasText: 'Performance' }).innerText(), /9[\s\S]*10[\s\S]*20/);
  assert.deepEqual(await table.boundingBox(), before);
});
