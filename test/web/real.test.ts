/** The page with a real service and real audits of real pages. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import { ask } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { readUntil } from '../support/until.ts';
import { openPage, startBrowser } from './browser.ts';

const browser = await startBrowser({ after });
const pages = await startPages({ after });
const service = await startService({ after }, {}, undefined, { pool: sharedPool() });

/** An audit is slow, more so when several run. */
const patience = { timeout: 100_000 };

const localOf = async () => (await ask<Health>(service, '/health')).body.lighthouse;

const untilIdle = () => readUntil(localOf, ({ running, queued }) => running + queued === 0);

test('a single local audit shows scores, metrics, pictures and what to fix', async t => {
  const page = await openPage(t, browser);
  await page.goto(service.url);
  await page.getByLabel('Page URL').fill(`${pages.url}/faulty`.replace('http://', ''));
  await page.getByLabel('Local').check();
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  await page.getByText(`Result for ${pages.url}/faulty`).waitFor(patience);
  // On a busy machine the run may be disturbed: then the score shows that instead of its rating.
  for (const name of ['Performance', 'Accessibility', 'Best practices', 'SEO'])
    await page
      .getByRole('img', { name: new RegExp(`^${name}: \\d+ of 100, (good|needs improvement|poor|disturbed)`) })
      .waitFor();
  const range = page.locator('.metric', { hasText: 'Largest Contentful Paint' }).locator('.range');
  assert.match(
    (await range.getAttribute('aria-label')) ?? '',
    /^[\d.]+\s(m?s)(, \w.*)?\. Good up to 2\.5\ss, poor above 4\.0\ss\.$/,
  );
  await page.locator('.frames label').nth(3).waitFor();
  const finding = page.locator('.finding', { hasText: /have .*alt/ });
  await finding.locator('summary').click();
  await finding.getByText('<img src="/huge.svg">').waitFor();
  const links = await finding
    .locator('a')
    .evaluateAll(found => found.map(link => `${(link as unknown as { href: string }).href}`));
  assert.ok(links.length > 0 && links.every(link => link.startsWith('https://')));
  assert.deepEqual(page.faults, []);
});

test('cancel frees the slot, and so does closing the page', async t => {
  const page = await openPage(t, browser);
  await page.goto(
    `${service.url}/?${new URLSearchParams({ url: `${pages.url}/never?cancelled`, backend: 'local', categories: 'seo' })}`,
  );
  await pages.requests.waitFor(1, request => request.endsWith('?cancelled'));
  assert.equal((await localOf()).running, 1);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('heading', { name: 'Cancelled:' }).waitFor();
  await untilIdle();

  await page.goto(
    `${service.url}/?${new URLSearchParams({ url: `${pages.url}/never?left`, backend: 'local', categories: 'seo' })}`,
  );
  await pages.requests.waitFor(1, request => request.endsWith('?left'));
  await page.close();
  await untilIdle();
});

test("the service's message is shown if it rejects a request", async t => {
  const page = await openPage(t, browser);
  await page.goto(service.url);
  await page.getByLabel('Page URL').fill('mailto:someone@harbour.example');
  await page.keyboard.press('Enter');
  await page.getByText('url: it must start with http:// or https://.').waitFor();
  await page.getByText('Correct the request and measure again.').waitFor();
});
