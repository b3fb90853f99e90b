/** Input in the URL field: URLs, lists, and words that are neither. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPage, startBrowser } from './browser.ts';
import { buildLocalResult } from './reports.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });

const words = 'not a url at all';
const fieldName = 'Page URL';

test('words are rejected with the way to write a list, nothing is measured, and the input stays', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(base);
  const field = page.getByLabel(fieldName);
  for (const typed of [words, `  ${words} `, `a.example\n${words}\nb.example, c.example`]) {
    await field.fill(typed);
    await field.press('Enter');
    const fault = page.getByRole('alert').filter({ hasText: `'${words}' is not the URL of a page` });
    await fault.getByText(/contains a space.*its own line.*commas.*%20/).waitFor();
    assert.equal(await field.inputValue(), typed);
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.match((await field.getAttribute('aria-describedby')) ?? '', /\burl-fault\b/);
    assert.equal(await page.evaluate(`document.activeElement.id`), 'url');
    await field.press('End');
    await page.keyboard.type('x');
    await fault.waitFor({ state: 'hidden' });
    assert.equal(await field.getAttribute('aria-invalid'), null);
  }
  assert.deepEqual([calls.all.length, page.url(), page.faults], [0, `${base}/`, []]);
});

test('each of several invalid entries is named, up to three', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.getByLabel(fieldName).fill('a a\nb b\nc c\nd d\ne e');
  await page.getByLabel(fieldName).press('Enter');
  const told = page.getByRole('alert');
  for (const entry of ['a a', 'b b', 'c c']) await told.getByText(`'${entry}' is not`).waitFor();
  await told.getByText('2 more entries with a space in them.').waitFor();
  assert.equal(calls.all.length, 0);
});

test('a link that contains words measures nothing and says so; once corrected, it runs', async t => {
  const { url: base, calls } = await startStubService(t, call => call.json(buildLocalResult()));
  const page = await openPage(t, browser);
  await page.goto(`${base}/?url=${encodeURIComponent(words)}&backend=local`);
  await page.getByRole('alert').getByText(words).waitFor();
  assert.equal(await page.getByLabel(fieldName).inputValue(), words);
  assert.equal(calls.all.length, 0);
  await page.getByLabel(fieldName).fill('wiki//page.html');
  await page.getByLabel(fieldName).press('Enter');
  await page.getByText('Result for').waitFor();
  assert.equal(calls.all[0]?.params.get('url'), 'http://wiki//page.html');
  await page.goBack();
  await page.getByRole('alert').getByText(words).waitFor();
  assert.equal(calls.all.length, 1);
});

test('commas make a list, and a comma in a URL does not', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.getByLabel('PSI settings').check();
  await page.getByLabel(fieldName).fill('a.example,b.example/1,2.html, https://c.example');
  await page.getByLabel(fieldName).press('Enter');
  const [call] = await calls.waitFor(1);
  assert.deepEqual(JSON.parse(call?.body ?? '').urls, [
    'https://a.example',
    'https://b.example/1,2.html',
    'https://c.example',
  ]);
});
