/** The main tasks take at most two clicks from the page of a result or of a list. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { buildHistory } from '../support/builders/history.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type OpenedPage, openPage, startBrowser } from './browser.ts';
import { sitePage } from './home-answers.ts';
import { buildLocalResult } from './reports.ts';
import { keptId, keptResult, url, wholeResult } from './sample-answers.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });
const pages = Array.from({ length: 20 }, (_, at) => `https://harbour.example/berth-${at}`);
const scoreOf = (page: string) => 95 - ((pages.indexOf(page) * 7) % 20) * 3;

const { url: base } = await startStubService({ after }, call => {
  if (call.path.endsWith('/screenshot')) return call.picture();
  if (call.path === '/history') return call.json(buildHistory(call.params.get('metric') as never));
  if (call.path === '/lighthouse') {
    const page = call.params.get('url') ?? '';
    return call.json(buildLocalResult({ url: page, scores: { performance: scoreOf(page) } }));
  }
  call.json(call.params.has('detailed') ? { ...keptResult(), lighthouse_result: wholeResult } : keptResult());
});

/** Clicks, and fails on the third click. */
function countClicks() {
  let count = 0;
  return {
    click: async (target: Locator) => {
      count += 1;
      assert.ok(count <= 2, 'more than two clicks');
      await target.click();
    },
  };
}

async function openResult(scope: Parameters<typeof openPage>[0]): Promise<OpenedPage> {
  const page = await openPage(scope, browser, { viewport: { width: 360, height: 740 } });
  await page.goto(`${base}/?${new URLSearchParams({ url, backend: 'remote', strategy: 'mobile', result: keptId })}`);
  await page.getByText('What to fix').waitFor();
  return page;
}

test('the LCP element is one click away, with its picture and its phases', async t => {
  const [page, { click }] = [await openResult(t), countClicks()];
  await click(page.locator('.part > summary', { hasText: 'Largest Contentful Paint' }));
  await page.getByText('The outer light at night', { exact: true }).waitFor();
  await page.getByRole('row', { name: /^Load duration .* 70/ }).waitFor();
});

test('the biggest third party is one click away, the first of its list', async t => {
  const [page, { click }] = [await openResult(t), countClicks()];
  await click(page.getByText('Third parties', { exact: true }));
  await page.locator('[aria-label="Third parties"] tbody th').first().getByText('Tide Tables Inc.').waitFor();
});

test('recent changes are one click away, with their size and day', async t => {
  const [page, { click }] = [await openResult(t), countClicks()];
  await click(page.getByRole('link', { name: /^History/ }));
  await page.getByRole('heading', { name: 'What changed' }).waitFor();
  await page.getByText('worse: 92 → 74').waitFor();
});

test('the worst of twenty pages is first in its list, and its fixes are at most two clicks away', async t => {
  const page = await openPage(t, browser);
  const { click } = countClicks();
  const query = new URLSearchParams([...pages.map((each): [string, string] => ['url', each]), ['backend', 'local']]);
  await page.goto(`${base}/?${query}`);
  await page.locator('th[aria-sort]').waitFor();
  const worst = pages.toSorted((a, b) => scoreOf(a) - scoreOf(b))[0] ?? '';
  const first = page.locator('table.batch tbody tr').first();
  await first.getByText(new URL(worst).pathname, { exact: true }).waitFor();
  await click(first.getByRole('button', { name: /^Details/ }));
  await page.locator('.opened').getByText('What to fix').waitFor();
});

test('the size of the largest request is two clicks away', async t => {
  const [page, { click }] = [await openResult(t), countClicks()];
  await click(page.locator('.finding summary', { hasText: 'Improve image delivery' }));
  await click(page.getByRole('button', { name: /^its request/ }));
  await page.locator('.request-facts', { hasText: 'outer-light.bmp' }).getByText('2.1').waitFor();
});

test("last week's result is two clicks away from the start page", async t => {
  const { url: own } = await startStubService(
    t,
    call => {
      if (call.path === '/sites') return call.json({ pages: [sitePage()], is_complete: true });
      if (call.path === '/history') return call.json(buildHistory(call.params.get('metric') as never));
      if (call.path.endsWith('/screenshot')) return call.picture();
      call.json(call.path.startsWith('/results/') ? keptResult() : { schedules: [], results: [] });
    },
    { DATA_DIR: makeScratchFolder(t) },
  );
  const [page, { click }] = [await openPage(t, browser), countClicks()];
  await page.goto(own);
  await click(page.getByRole('link', { name: /history$/ }));
  await page.locator('.chart a').nth(10).waitFor();
  await click(page.locator('.chart a').nth(10));
  await page.locator('.verdict').waitFor();
});
