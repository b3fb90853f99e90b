/** The page with the real service behind it, and real audits of real pages. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/http/schemas.ts';
import { ask } from '../ask.ts';
import { startLocalServer } from '../local-server.ts';
import { startPages } from '../pages.ts';
import { startService } from '../start-service.ts';
import { openPage, startBrowser } from './browser.ts';

const browser = await startBrowser({ after });
const pages = await startPages({ after });
const service = await startService({ after });

/** An audit takes its time, more so where several run. */
const patience = { timeout: 100_000 };

const localOf = async () => (await ask<Health>(service, '/health')).body.lighthouse;

/** Asks until nothing runs or waits: there is no other event to wait for. */
async function untilIdle(): Promise<void> {
  let local = await localOf();
  while (local.running + local.queued > 0) local = await localOf();
}

test('a single local audit shows scores, metrics, pictures and what to fix', async t => {
  const page = await openPage(t, browser);
  await page.goto(service.url);
  await page.getByLabel('Address of the page').fill(`${pages.url}/faulty`.replace('http://', ''));
  await page.getByLabel('Local').check();
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  await page.getByText(`Result for ${pages.url}/faulty`).waitFor(patience);
  for (const name of ['Performance', 'Accessibility', 'Best practices', 'SEO'])
    await page
      .getByRole('img', { name: new RegExp(`^${name}: \\d+ of 100, (good|needs improvement|poor)$`) })
      .waitFor();
  const range = page.locator('.metric', { hasText: 'Largest Contentful Paint' }).locator('.range');
  assert.match(
    (await range.getAttribute('aria-label')) ?? '',
    /^[\d.]+\s(m?s), \w.*\. Good up to 2\.5\ss, poor above 4\.0\ss\.$/,
  );
  assert.ok((await page.locator('.frames img').count()) > 3);
  const finding = page.locator('.finding', { hasText: /have .*alt/ });
  await finding.locator('summary').click();
  await finding.getByText('<img src="/huge.svg">').waitFor();
  const links = await finding
    .locator('a')
    .evaluateAll(found => found.map(link => `${(link as unknown as { href: string }).href}`));
  assert.ok(links.length > 0 && links.every(link => link.startsWith('https://')));
  assert.deepEqual(page.faults, []);
});

test('a list with one failure keeps the others, and its rows lead to their results', async t => {
  const page = await openPage(t, browser);
  await page.goto(service.url);
  await page
    .getByLabel('Address of the page')
    .fill(['/good', '/404', '/echo'].map(path => `${pages.url}${path}`).join('\n'));
  await page.getByLabel('SEO').check();
  for (const name of ['Performance', 'Accessibility', 'Best practices']) await page.getByLabel(name).uncheck();
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  await page.getByText('3 of 3 pages, 1 failed').first().waitFor(patience);
  const rows = page.locator('table.batch tbody tr');
  assert.match(await rows.first().innerText(), /\/404\s+Page answered with an error/);
  assert.equal(await page.locator('tr.done').count(), 2);
  await page.getByRole('link', { name: `${pages.url}/good` }).click();
  await page.getByText(`Result for ${pages.url}/good`).waitFor(patience);
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
  await page.getByText('Where', { exact: true }).waitFor();
  await page.locator('.compared').waitFor(patience);
  assert.equal(
    await page
      .locator('.pairing-top .verdict')
      .innerText()
      .then(text => text.length > 10),
    true,
  );
  assert.deepEqual(await page.locator('.score-pair h4').allInnerTexts(), ['Accessibility', 'SEO']);
  assert.equal(await page.getByRole('img', { name: /^Remote: \d+ of 100/ }).count(), 2);
  assert.equal(await page.getByRole('img', { name: /^Local: \d+ of 100/ }).count(), 2);
  assert.deepEqual(page.faults, []);
});

test('cancel frees the place, and so does leaving the page', async t => {
  const page = await openPage(t, browser);
  await page.goto(
    `${service.url}/?${new URLSearchParams({ url: `${pages.url}/never?cancelled`, backend: 'local', categories: 'seo' })}`,
  );
  await pages.requests.waitFor(1, request => request.endsWith('?cancelled'));
  assert.equal((await localOf()).running, 1);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'Stopped' }).waitFor();
  await untilIdle();

  await page.goto(
    `${service.url}/?${new URLSearchParams({ url: `${pages.url}/never?left`, backend: 'local', categories: 'seo' })}`,
  );
  await pages.requests.waitFor(1, request => request.endsWith('?left'));
  await page.close();
  await untilIdle();
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

test('what the service refuses is told in its words', async t => {
  const page = await openPage(t, browser);
  await page.goto(service.url);
  await page.getByLabel('Address of the page').fill('mailto:someone@harbour.example');
  await page.keyboard.press('Enter');
  await page.getByText(/^url: /).waitFor();
  await page.getByText('Correct it above and measure again.').waitFor();
});
