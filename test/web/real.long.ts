/** Further tests of the page with a real service: see real.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { openPage, startBrowser } from './browser.ts';

const browser = await startBrowser({ after });
const pages = await startPages({ after });
const service = await startService({ after });

/** An audit is slow, more so when several run. */
const patience = { timeout: 100_000 };

test('a list with one failure keeps the others, and its rows lead to their results', async t => {
  const page = await openPage(t, browser);
  await page.goto(service.url);
  await page.getByLabel('Page URL').fill(['/good', '/404', '/echo'].map(path => `${pages.url}${path}`).join('\n'));
  await page.getByLabel('SEO').check();
  for (const name of ['Performance', 'Accessibility', 'Best practices']) await page.getByLabel(name).uncheck();
  await page.getByLabel('PSI settings').check();
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  await page.getByText('3 of 3 pages, 1 failed').first().waitFor(patience);
  const rows = page.locator('table.batch tbody tr');
  assert.match(await rows.last().innerText(), /\/404\s+Page returned an error/);
  assert.equal(await page.locator('tr[data-state=done]').count(), 2);
  await page.getByRole('link', { name: '/good', exact: true }).click();
  await page.getByText(`Result for ${pages.url}/good`).waitFor(patience);
  await page.locator('summary', { hasText: 'How it was measured' }).click();
  await page.getByText('from the cache').waitFor();
  assert.deepEqual(page.faults, []);
});

test('a comparison shows both sides, and a link to it runs again', async t => {
  const page = await openPage(t, browser);
  const query = new URLSearchParams({
    url: `${pages.url}/good`,
    backend: 'compare',
    strategy: 'desktop',
    categories: 'accessibility,seo',
  });
  await page.goto(`${service.url}/?${query}`);
  await page.getByText('Compare, Desktop, 2 categories').waitFor();
  await page.locator('.compared').waitFor(patience);
  assert.equal(
    await page
      .locator('.pairing-top .verdict')
      .innerText()
      .then(text => text.length > 10),
    true,
  );
  for (const name of ['PSI settings', 'Local'])
    await page.locator('.both-scores section').getByRole('heading', { name }).waitFor();
  const scores = await page.locator('.other-scores > span').allInnerTexts();
  assert.deepEqual(
    scores.map(text => text.match(/\d+/g)?.length),
    [2, 2],
    'one line has the accessibility and SEO of both sides',
  );
  assert.deepEqual(page.faults, []);
});

test('a page with a hostile title is measured, and its title is text', async t => {
  const title = '</script><img src=x onerror="document.body.id=1">';
  const { url } = await startLocalServer(t, (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        `<title>${title.replaceAll('<', '&lt;')}</title><h1>Hello</h1><img src="/x" title='${title}'><a href='#${title}'></a>`,
      ),
  );
  const page = await openPage(t, browser);
  await page.goto(`${service.url}/?${new URLSearchParams({ url, backend: 'local', categories: 'accessibility' })}`);
  await page.getByText('What to fix').waitFor(patience);
  for (const summary of await page.locator('.finding summary').all()) await summary.click();
  await page.locator('.details code', { hasText: 'onerror' }).first().waitFor();
  assert.equal(await page.locator('#outcome [onerror]').count(), 0);
  assert.equal(await page.locator('body').getAttribute('id'), null);
  assert.deepEqual(page.faults, []);
});
