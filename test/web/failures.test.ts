/** Sentences for failures, and the API key. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../support/start-service.ts';
import { openPage, startBrowser } from './browser.ts';
import { buildProblem, buildResult } from './reports.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });

const url = 'https://harbour.example/';
const withQuery = (fields: Record<string, string>) => `/?${new URLSearchParams({ url, ...fields })}`;

test('a failure names the part at fault, what to do, and the code', async t => {
  const { page, service } = await openState(t, browser, 'failed');
  const failure = page.locator('.failure');
  const text = await failure.innerText();
  for (const part of ['At fault: this service', 'Queue full', 'What to do:', 'Retry in 40\u00a0s', 'queue_full'])
    assert.ok(text.includes(part), `${part} in ${text}`);
  await failure.getByRole('button', { name: 'Measure again' }).click();
  await service.calls.waitFor(2);
});

test('a failure that a retry cannot fix offers none', async t => {
  const { page } = await openState(t, browser, 'refused');
  assert.match(await page.locator('.failure').innerText(), /url: it must start with http:\/\/ or https:\/\/\./);
  assert.equal(await page.locator('.failure button').count(), 0);
});

test('an unreachable service is reported', async t => {
  const { url: base } = await startStubService(t, call => call.end());
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.route('**/lighthouse?*', route => route.abort('connectionrefused'));
  await page.getByLabel('Page URL').fill(url);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
});

test('a view that does not load says so, and a reload displays it', async t => {
  const { url: base } = await startStubService(t, call => call.json(buildResult({ url })));
  const page = await openPage(t, browser);
  await page.route('**/view-*.js', route => route.abort('connectionrefused'));
  await page.goto(base);
  await page.getByLabel('Page URL').fill(url);
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('A part of this page did not load').waitFor();
  await page.unroute('**/view-*.js');
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByText('Result for').waitFor();
});

/** A service that requires the key `right`. */
const startKeyed = (t: Parameters<typeof startStubService>[0]) =>
  startStubService(t, call => {
    if (call.headers.authorization === 'Bearer right') call.json(buildResult({ url }));
    else call.json(buildProblem({ code: 'unauthorized', status: 401, title: 'Authentication required' }), 401);
  });

test('the page asks for a key, stores it in this tab, and sends it in a header', async t => {
  const { url: base, calls } = await startKeyed(t);
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({})}`);
  await page.getByLabel('Key').fill('wrong');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('That key was not accepted.').waitFor();
  await page.getByLabel('Key').fill('right');
  await page.keyboard.press('Enter');
  await page.getByText('Result for').waitFor();
  // A link cannot send a key, so with a key, files are fetched and saved by the script.
  assert.equal(await page.locator('a[href*="/report"]').count(), 0);
  await page.locator('.menu > summary', { hasText: 'Download' }).click();
  await page.getByRole('button', { name: 'Save: HTML report' }).waitFor();
  await page.reload();
  await page.getByText('Result for').waitFor();
  assert.deepEqual(
    calls.all.map(({ headers }) => headers.authorization),
    [undefined, 'Bearer wrong', 'Bearer right', 'Bearer right'],
  );
  const kept = await page.evaluate(
    'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie, location.href])',
  );
  assert.match(`${kept}`, /^\[\{"rangelight-api-key":"right"\},\{\},"","http[^"]*"\]$/);
  assert.doesNotMatch(page.url(), /right/);
});

test('a key that no header can contain is rejected, and neither sent nor stored', async t => {
  const { url: base, calls } = await startKeyed(t);
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({})}`);
  for (const key of ['schlüssel', 'key→x', 'ri\u200bght', 'two words', '   ', '\u200b']) {
    await page.getByLabel('Key').fill(key);
    await page.keyboard.press('Enter');
    await page.locator('#key-fault').getByText('That cannot be a key.').waitFor();
    assert.equal(await page.evaluate('sessionStorage.length'), 0, key);
    // Reloads, so that the same sentence must appear again for the next key.
    await page.reload();
    await page.getByLabel('Key').waitFor();
  }
  await page.getByLabel('Key').fill('\u200b right\ufeff');
  await page.keyboard.press('Enter');
  await page.getByText('Result for').waitFor();
  const sent = new Set(calls.all.map(({ headers }) => headers.authorization));
  assert.deepEqual([...sent], [undefined, 'Bearer right']);
  assert.equal(await page.evaluate(`sessionStorage.getItem('rangelight-api-key')`), 'right');
  assert.deepEqual(page.faults, []);
});

test('a stored key that cannot be sent is dropped, and the page asks for another', async t => {
  const { url: base } = await startKeyed(t);
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.evaluate(`sessionStorage.setItem('rangelight-api-key', 'key\u2192x')`);
  await page.goto(`${base}${withQuery({})}`);
  await page.getByLabel('Key').fill('right');
  assert.equal(await page.getByText('That key was not accepted.').count(), 0);
  await page.keyboard.press('Enter');
  await page.getByText('Result for').waitFor();
});

test('spaces count as an empty field', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.evaluate(`addEventListener('invalid', ({ target }) => (document.title = target.validationMessage), true)`);
  const said = async (text: string) => {
    await page.evaluate(`document.title = ''`);
    await page.getByLabel('Page URL').fill(text);
    await page.keyboard.press('Enter');
    return page.title();
  };
  const empty = await said('');
  assert.notEqual(empty, '');
  for (const text of [' ', '  \n ', '\t']) assert.equal(await said(text), empty);
  assert.deepEqual([calls.all.length, page.url()], [0, `${base}/`]);
});

test('a scheme without its colon is rejected with the correct form, and not measured as a host', async t => {
  const service = await startService(t);
  const page = await openPage(t, browser);
  await page.goto(service.url);
  await page.getByLabel('Page URL').fill('https//a.example');
  await page.keyboard.press('Enter');
  assert.match(await page.locator('.failure').innerText(), /write 'https:\/\/a\.example' with its scheme/);
});
