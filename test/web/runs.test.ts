/** A run from the form to its end, with a stub service. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPage, startBrowser } from './browser.ts';
import { buildLocalResult, buildResult } from './reports.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });

const url = 'https://harbour.example/';
const lane = { source: 'lighthouse', strategy: 'mobile' };
const withQuery = (fields: Record<string, string>) => `/?${new URLSearchParams({ url, ...fields })}`;

test('a URL without a scheme gets one, and the address bar contains the request', async t => {
  const { url: base, calls } = await startStubService(t, call => call.json(buildLocalResult({ url })));
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.getByLabel('Page URL').fill('harbour.example');
  await page.getByLabel('Local').check();
  await page.getByLabel('Desktop').check();
  await page.getByLabel('SEO').uncheck();
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  await page.getByText('Result for').waitFor();
  assert.equal(await page.getByLabel('Page URL').inputValue(), 'https://harbour.example');
  const asked = {
    url: 'https://harbour.example',
    backend: 'local',
    strategy: 'desktop',
    categories: 'performance,accessibility,best-practices',
  };
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), asked);
  const undecided = await page.locator('[type=radio]').evaluateAll(inputs =>
    inputs
      .map(input => input as unknown as { name: string; form: { elements: Record<string, { value: string }> } })
      .filter(({ name, form }) => form.elements[name]?.value === '')
      .map(({ name }) => name),
  );
  assert.deepEqual(undecided, [], 'every choice of the form has a value');
  const [call] = calls.all;
  assert.equal(call?.path, '/lighthouse');
  const { backend: _, ...sent } = asked;
  assert.deepEqual(Object.fromEntries(call?.params ?? []), sent);
});

test('a link runs its request, and going back shows the previous page', async t => {
  const { url: base, calls } = await startStubService(t, call =>
    call.json(buildLocalResult({ url: call.params.get('url') ?? '' })),
  );
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'local', strategy: 'mobile' })}`);
  await page.getByRole('heading', { name: `Result for ${url}` }).waitFor();
  assert.equal(await page.getByLabel('Local').isChecked(), true);
  await page.getByRole('button', { name: /^Change / }).click();
  await page.getByLabel('Page URL').fill('https://other.example/');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Result for https://other.example/' }).waitFor();
  assert.equal(calls.all.length, 2);
  await page.goBack();
  await page.getByRole('heading', { name: `Result for ${url}` }).waitFor();
  assert.equal(await page.getByLabel('Page URL').inputValue(), url);
  assert.equal(calls.all.length, 2, 'what was measured in this tab is not measured again for a step back');
  await page.reload();
  await page.getByRole('heading', { name: `Result for ${url}` }).waitFor();
  assert.equal(calls.all.length, 3, 'a link that is opened anew runs');
});

test('progress shows what the service reports: the position in the queue, each stage, and the result', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'local' })}`);
  await page.getByText('no progress reported yet').waitFor();
  const [call] = await calls.waitFor(1);
  assert.equal(call?.headers.accept, 'text/event-stream');
  const steps: [string, object, string][] = [
    ['queued', { ...lane, position: 3 }, '3rd in the queue'],
    ['queued', { ...lane, position: 1 }, 'Next in the queue'],
    ['started', lane, 'Starting'],
    ['progress', { ...lane, stage: 'loading' }, 'Loading the page'],
    ['progress', { ...lane, stage: 'auditing' }, 'Auditing'],
  ];
  for (const [name, data, said] of steps) {
    call?.event(name, data);
    await page.locator('.lane-said', { hasText: said }).waitFor();
    await page.getByRole('status').filter({ hasText: said }).waitFor({ state: 'attached' });
  }
  assert.equal(await page.locator('[aria-current=step]').textContent(), 'Auditing, now');
  assert.match(await page.getByRole('timer').innerText(), /^\d+\ss$/);
  call?.event('result', buildLocalResult({ url }));
  await page.getByText('Result for').waitFor();
  assert.deepEqual(page.faults, []);
});

test('cancel closes the connection, says so, and offers to measure again', async t => {
  const { url: base, calls } = await startStubService(t, call => call.event('started', lane));
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'local' })}`);
  const [call] = await calls.waitFor(1);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await call?.abandoned;
  await page.getByRole('heading', { name: 'Cancelled:' }).waitFor();
  await page.getByRole('button', { name: 'Measure again' }).click();
  await calls.waitFor(2);
});

test('a new request cancels the running one', async t => {
  const { url: base, calls } = await startStubService(t, call => call.event('started', lane));
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'local' })}`);
  const [first] = await calls.waitFor(1);
  await page.getByRole('button', { name: /^Change / }).click();
  await page.getByLabel('Page URL').fill('https://other.example/');
  await page.keyboard.press('Enter');
  await first?.abandoned;
  await calls.waitFor(2);
  await page.getByRole('heading', { name: 'Measuring https://other.example/' }).waitFor();
});

test('measuring again does not use the cache', async t => {
  const { url: base, calls } = await startStubService(t, call => call.json(buildResult({ url })));
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'remote' })}`);
  await page.getByRole('button', { name: 'Measure again' }).click();
  const [first, second] = await calls.waitFor(2);
  assert.deepEqual([first?.headers['cache-control'], second?.headers['cache-control']], [undefined, 'no-cache']);
  assert.equal(first?.params.get('detailed'), 'true');
});

test('without scripts, the form still leads to a URL that contains the request', async t => {
  const { url: base } = await startStubService(t, call => call.end());
  const page = await openPage(t, browser, { javaScriptEnabled: false });
  await page.goto(base);
  await page.getByLabel('Page URL').fill('harbour.example');
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  await page.waitForURL(/\?url=harbour\.example&backend=local&strategy=mobile&categories=performance/);
  // The same on a phone, where a URL with a request opens with the form folded.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await page.getByLabel('Page URL').fill('other.example');
  await page.locator('.intro').waitFor();
});

test('a URL without a request shows the start page', async t => {
  const { url: base, calls } = await startStubService(t, call => call.end());
  const page = await openPage(t, browser, { viewport: { width: 360, height: 740 } });
  for (const query of ['?url=', '?history=', '?url=&backend=local']) {
    await page.goto(`${base}/${query}`);
    await page.getByLabel('Page URL').fill('harbour.example');
  }
  assert.deepEqual([calls.all.length, page.faults], [0, []]);
});
