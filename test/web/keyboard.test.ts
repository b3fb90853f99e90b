/** The page with a keyboard and with a screen reader. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readUntil } from '../support/until.ts';
import { openPage, startBrowser } from './browser.ts';
import { buildFailedAudit, buildLocalResult } from './reports.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });

const url = 'https://harbour.example/';
const lane = { source: 'lighthouse', strategy: 'mobile' };
const withQuery = (fields: Record<string, string>) => `/?${new URLSearchParams({ url, ...fields })}`;

test('everything works with the keyboard', async t => {
  const { url: base, calls } = await startStubService(t, call =>
    call.json(
      buildLocalResult({ url, failed_audits: [buildFailedAudit('bootup-time', { title: 'Reduce JavaScript' })] }),
    ),
  );
  const page = await openPage(t, browser);
  await page.goto(base);
  const focused = () =>
    page.evaluate(
      `(document.activeElement.textContent || document.activeElement.value || document.activeElement.id).trim()`,
    );
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press('Tab');
  assert.equal(await focused(), 'Skip to the result');
  // Tab stops: the brand, four views, the URL field.
  await press('Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab');
  await page.keyboard.type('harbour.example');
  await press('Shift+Enter');
  await page.keyboard.type('x');
  assert.equal(await page.getByLabel('Page URL').inputValue(), 'harbour.example\nx');
  // Tab stops: Measure, the site's pages, the source, the device, the first category, and the last.
  await press('Backspace', 'Backspace', 'Tab', 'Tab', 'Tab', 'Tab', 'ArrowRight', 'Tab', 'Space');
  await press('Tab', 'Tab', 'Tab', 'Tab', 'Space');
  await press('Enter');
  await page.getByText('Result for').waitFor();
  const [call] = calls.all;
  assert.deepEqual(
    [call?.path, call?.params.get('strategy'), call?.params.get('categories')],
    ['/lighthouse', 'desktop', 'accessibility,best-practices,seo,agentic-browsing'],
  );
  await page.getByText('Skip to the result').focus();
  await press('Enter', 'Tab');
  assert.equal(await focused(), 'Copy link');
  const next = async () => {
    await press('Tab');
    return `${await focused()}`;
  };
  await readUntil(next, name => name.startsWith('poor:'), { pauseMs: 0 });
  await press('Enter');
  await page.getByText('Description of bootup-time').waitFor();
  const outline = await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`);
  assert.equal(outline, 'solid', 'what has the focus can be seen');
});

test('the focus moves to the result when the run ends and its button is gone', async t => {
  const { url: base, calls } = await startStubService(t, call => call.event('started', lane));
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'local' })}`);
  const [call] = await calls.waitFor(1);
  await page.getByRole('button', { name: 'Cancel' }).focus();
  call?.event('result', buildLocalResult({ url }));
  await page.locator('h2:focus', { hasText: 'Result for' }).waitFor();
  await page.getByRole('status').filter({ hasText: 'The result is ready.' }).waitFor({ state: 'attached' });
});
