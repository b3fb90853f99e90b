/** What a person does with the page and what it shows of it, over a service that answers as each test needs. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { openPage, startBrowser } from './browser.ts';
import { buildComparison, buildFailedAudit, buildLocalReport, buildProblem, buildReport } from './reports.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });

const url = 'https://harbour.example/';
const lane = { source: 'lighthouse', strategy: 'mobile' };
const withQuery = (fields: Record<string, string>) => `/?${new URLSearchParams({ url, ...fields })}`;

test('an address without its scheme gets one, and the address bar holds the request', async t => {
  const { url: base, calls } = await startStubService(t, call => call.json(buildLocalReport({ url })));
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.getByLabel('Address of the page').fill('harbour.example');
  await page.getByLabel('Local').check();
  await page.getByLabel('Desktop').check();
  await page.getByLabel('SEO').uncheck();
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  await page.getByText('Result for').waitFor();
  assert.equal(await page.getByLabel('Address of the page').inputValue(), 'https://harbour.example');
  const asked = {
    url: 'https://harbour.example',
    backend: 'local',
    strategy: 'desktop',
    categories: 'performance,accessibility,best-practices',
  };
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), asked);
  const [call] = calls.all;
  assert.equal(call?.path, '/lighthouse');
  const { backend: _, ...sent } = asked;
  assert.deepEqual(Object.fromEntries(call?.params ?? []), sent);
});

test('a link runs what it holds, and a step back shows what was there', async t => {
  const { url: base, calls } = await startStubService(t, call =>
    call.json(buildLocalReport({ url: call.params.get('url') ?? '' })),
  );
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'local', strategy: 'mobile' })}`);
  await page.getByRole('heading', { name: `Result for ${url}` }).waitFor();
  assert.equal(await page.getByLabel('Local').isChecked(), true);
  await page.getByLabel('Address of the page').fill('https://other.example/');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Result for https://other.example/' }).waitFor();
  assert.equal(calls.all.length, 2);
  await page.goBack();
  await page.getByRole('heading', { name: `Result for ${url}` }).waitFor();
  assert.equal(await page.getByLabel('Address of the page').inputValue(), url);
  assert.equal(calls.all.length, 2, 'what was measured in this tab is not measured again for a step back');
  await page.reload();
  await page.getByRole('heading', { name: `Result for ${url}` }).waitFor();
  assert.equal(calls.all.length, 3, 'a link that is opened anew runs');
});

test('progress is what the service tells: the place in the line, each stage, and the result', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'local' })}`);
  await page.getByText('has not said yet how far it is').waitFor();
  const [call] = await calls.waitFor(1);
  assert.equal(call?.headers.accept, 'text/event-stream');
  const steps: [string, object, string][] = [
    ['queued', { ...lane, position: 3 }, '3rd in line'],
    ['queued', { ...lane, position: 1 }, 'Next in line'],
    ['started', lane, 'Getting ready'],
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
  call?.event('result', buildLocalReport({ url }));
  await page.getByText('Result for').waitFor();
  assert.deepEqual(page.faults, []);
});

test('cancel closes the connection, says so, and leaves the way open', async t => {
  const { url: base, calls } = await startStubService(t, call => call.event('started', lane));
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'local' })}`);
  const [call] = await calls.waitFor(1);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await call?.abandoned;
  await page.getByRole('heading', { name: 'Stopped' }).waitFor();
  await page.getByRole('button', { name: 'Measure again' }).click();
  await calls.waitFor(2);
});

test('a new request ends the one that runs', async t => {
  const { url: base, calls } = await startStubService(t, call => call.event('started', lane));
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'local' })}`);
  const [first] = await calls.waitFor(1);
  await page.getByLabel('Address of the page').fill('https://other.example/');
  await page.keyboard.press('Enter');
  await first?.abandoned;
  await calls.waitFor(2);
  await page.getByRole('heading', { name: 'Measuring https://other.example/' }).waitFor();
});

test('the rows of a list fill in as lines arrive, and stand worst first at the end', async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.getByLabel('Address of the page').fill('a.example\nb.example c.example');
  await page.keyboard.press('Enter');
  const [call] = await calls.waitFor(1);
  assert.equal(call?.headers.accept, 'application/x-ndjson');
  assert.deepEqual(JSON.parse(call?.body ?? '').urls, ['https://a.example', 'https://b.example', 'https://c.example']);
  const rows = page.locator('table.batch tbody tr');
  const names = async () => (await rows.locator('a').allInnerTexts()).map(text => text.slice(8, 9));

  call?.line({ index: 2, ...buildReport({ url: 'https://c.example/', scores: { performance: 41 } }) });
  await rows.nth(2).locator('td').first().getByText('41').waitFor();
  assert.equal(await rows.nth(0).locator('td').first().innerText(), '–');
  await page.getByText('1 of 3 pages').waitFor();
  assert.equal(await page.getByRole('progressbar').getAttribute('aria-valuenow'), '1');
  call?.line({ index: 0, ...buildReport({ url: 'https://a.example/', scores: { performance: 99 } }) });
  await page.getByText('2 of 3 pages').first().waitFor();
  assert.deepEqual(await names(), ['a', 'b', 'c'], 'rows stay where they are while it runs');
  call?.line({ index: 1, url: 'https://b.example/', error: buildProblem({ source: 'psi' }) });
  call?.line({ total: 3, succeeded: 2, failed: 1 });
  call?.end();
  await page.getByRole('button', { name: 'Performance' }).waitFor();
  assert.deepEqual(await names(), ['b', 'c', 'a']);
  await page.getByText('3 of 3 pages, 1 failed').first().waitFor();

  await page.getByRole('button', { name: 'Performance' }).click();
  assert.deepEqual(await names(), ['a', 'c', 'b']);
  assert.equal(await page.getByRole('columnheader', { name: 'Performance' }).getAttribute('aria-sort'), 'descending');
  await page.getByRole('button', { name: 'Page', exact: true }).click();
  assert.deepEqual(await names(), ['a', 'b', 'c']);
});

test('a list of the local backend runs two pages at a time, and cancel frees both and keeps the rest', async t => {
  const { url: base, calls } = await startStubService(t, call => {
    if (call.params.get('url') === 'https://a.example') call.json(buildLocalReport({ url: 'https://a.example/' }));
    else call.event('queued', { ...lane, position: 2 });
  });
  const page = await openPage(t, browser);
  await page.goto(`${base}/?${new URLSearchParams('url=a.example+b.example+c.example+d.example&backend=local')}`);
  const [, second, third] = await calls.waitFor(3);
  await page.getByText('2nd in line').nth(1).waitFor();
  assert.equal(calls.all.length, 3);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await Promise.all([second?.abandoned, third?.abandoned]);
  await page.getByText('Stopped after').waitFor();
  assert.equal(await page.getByText('Not measured').count(), 3);
  assert.equal(await page.locator('tr.done').count(), 1);
});

test('a list can be saved as CSV and as JSON', async t => {
  const { page } = await openState(t, browser, 'batch');
  const save = async (name: string) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
  };
  const csv = await save('Save as CSV');
  assert.equal(csv.name, 'rangelight.csv');
  assert.match(csv.text, /^\ufeffurl,strategy,source,status,/);
  assert.match(csv.text, /missing,mobile,psi,failed,.*page_error/);
  const json = await save('Save as JSON');
  assert.equal(json.name, 'rangelight.json');
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

test('a result that was asked for again is asked for afresh', async t => {
  const { url: base, calls } = await startStubService(t, call => call.json(buildReport({ url })));
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({})}`);
  await page.getByRole('button', { name: 'Measure again' }).click();
  const [first, second] = await calls.waitFor(2);
  assert.deepEqual([first?.headers['cache-control'], second?.headers['cache-control']], [undefined, 'no-cache']);
  assert.equal(first?.params.get('detailed'), 'true');
});

test('a comparison draws what the service says of it', async t => {
  const { page } = await openState(t, browser, 'compared');
  const top = page.locator('.pairing-top');
  assert.match(await top.locator('.verdict').innerText(), /26 points lower than PageSpeed Insights/);
  const waterfall = page.locator('.waterfall tbody tr');
  assert.deepEqual(
    (await waterfall.allInnerTexts()).map(text => text.replaceAll(/\s+/g, ' ').trim()),
    [
      'Remote score 61',
      'Total Blocking Time −21.4',
      'Largest Contentful Paint −5.6',
      'Speed Index +0.8',
      'Rounding +0.2',
      'Local score 35',
    ],
  );
  assert.deepEqual(await page.locator('.certainty').allInnerTexts(), [
    'Computed: the page was audited again with this one change',
    'Observed: the two sides differ in it',
    'Possible: it may play a part',
  ]);
  const range = page.locator('.metric.pair', { hasText: 'Largest Contentful Paint' }).locator('.range');
  assert.match(
    (await range.getAttribute('aria-label')) ?? '',
    /^Remote: 4\.9\ss, poor; Local: 7\.2\ss, poor\. Good up to 2\.5\ss, poor above 4\.0\ss\.$/,
  );
  await page.getByText('33 to 38; the remote score lies outside').waitFor();
});

test('a comparison of which the service says only scores and metrics is drawn too', async t => {
  const body = buildComparison(buildReport({ url }), buildLocalReport({ url, scores: { performance: 74 } }));
  const { url: base } = await startStubService(t, call => call.json(body));
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'compare' })}`);
  await page.getByText('Measured locally, the page scores Performance 26 points lower than remotely.').waitFor();
  assert.equal(await page.locator('.waterfall, .causes').count(), 0);
  assert.deepEqual(page.faults, []);
});

test('an error says whose fault it is, what to do, and its code', async t => {
  const { page, service } = await openState(t, browser, 'failed');
  const trouble = page.locator('.trouble');
  const text = await trouble.innerText();
  for (const part of [
    'At fault: this service',
    'Too many audits waiting',
    'What to do:',
    'free in 40\u00a0s',
    'queue_full',
  ])
    assert.ok(text.includes(part), `${part} in ${text}`);
  await trouble.getByRole('button', { name: 'Measure again' }).click();
  await service.calls.waitFor(2);
});

test('what cannot succeed offers no second try', async t => {
  const { page } = await openState(t, browser, 'refused');
  assert.match(await page.locator('.trouble').innerText(), /url: URL scheme should be 'http' or 'https'\./);
  assert.equal(await page.locator('.trouble button').count(), 0);
});

test('a service that is gone is told as that', async t => {
  const { url: base } = await startStubService(t, call => call.end());
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.route('**/psi?*', route => route.abort('connectionrefused'));
  await page.getByLabel('Address of the page').fill(url);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
});

test('a key is asked for, kept in this tab, and sent in a header', async t => {
  const { url: base, calls } = await startStubService(t, call => {
    if (call.headers.authorization === 'Bearer right') call.json(buildReport({ url }));
    else call.json(buildProblem({ code: 'unauthorized', status: 401, title: 'Authentication required' }), 401);
  });
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({})}`);
  await page.getByLabel('Key').fill('wrong');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('That key was not accepted.').waitFor();
  await page.getByLabel('Key').fill('right');
  await page.keyboard.press('Enter');
  await page.getByText('Result for').waitFor();
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

test('it can all be done with the keyboard', async t => {
  const { url: base, calls } = await startStubService(t, call =>
    call.json(
      buildLocalReport({ url, failed_audits: [buildFailedAudit('bootup-time', { title: 'Reduce JavaScript' })] }),
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
  await press('Tab', 'Tab', 'Tab');
  await page.keyboard.type('harbour.example');
  await press('Shift+Enter');
  await page.keyboard.type('x');
  assert.equal(await page.getByLabel('Address of the page').inputValue(), 'harbour.example\nx');
  await press('Backspace', 'Backspace', 'Tab', 'Tab', 'ArrowRight', 'Tab', 'ArrowRight', 'Tab', 'Space');
  await press('Enter');
  await page.getByText('Result for').waitFor();
  const [call] = calls.all;
  assert.deepEqual(
    [call?.path, call?.params.get('strategy'), call?.params.get('categories')],
    ['/lighthouse', 'desktop', 'accessibility,best-practices,seo'],
  );
  await page.getByText('Skip to the result').focus();
  await press('Enter', 'Tab');
  assert.equal(await focused(), 'Measure again');
  while (!`${await focused()}`.startsWith('Reduce JavaScript')) await press('Tab');
  await press('Enter');
  await page.getByText('Description of bootup-time').waitFor();
  const outline = await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`);
  assert.equal(outline, 'solid', 'what has the focus can be seen');
});

test('when a run ends, a reader whose button is gone is led to the result', async t => {
  const { url: base, calls } = await startStubService(t, call => call.event('started', lane));
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'local' })}`);
  const [call] = await calls.waitFor(1);
  await page.getByRole('button', { name: 'Cancel' }).focus();
  call?.event('result', buildLocalReport({ url }));
  await page.locator('h2:focus', { hasText: 'Result for' }).waitFor();
  await page.getByRole('status').filter({ hasText: 'The result is there.' }).waitFor({ state: 'attached' });
});

test('nothing that a page under test wrote is run as markup', async t => {
  const bait = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
  const hostile = buildLocalReport({
    url,
    final_url: `${url}?${bait}`,
    warnings: [bait],
    failed_audits: [
      buildFailedAudit('x', {
        title: bait,
        description: `${bait} [${bait}](javascript:alert(1)) [x](https://example.com/"onclick="x)`,
        display_value: bait,
        error_message: bait,
      }),
    ],
    lighthouse_result: {
      audits: {
        x: {
          details: {
            type: 'table',
            headings: [{ key: 'a', label: bait }],
            items: [{ a: bait }, { a: { type: 'node', snippet: bait, explanation: `1\n${bait}` } }],
          },
        },
        'screenshot-thumbnails': { details: { items: [{ timing: 1, data: 'https://elsewhere.example/x.png' }] } },
      },
    },
  });
  hostile.environment.user_agent = bait;
  const { url: base } = await startStubService(t, call => call.json(hostile));
  const page = await openPage(t, browser);
  const asked: string[] = [];
  page.on('request', request => asked.push(request.url()));
  await page.goto(`${base}/?${new URLSearchParams({ url: `${url}?<b>"'`, backend: 'local' })}`);
  await page.getByText('What to fix').waitFor();
  for (const summary of await page.locator('summary').all()) await summary.click();
  const shown = await page.locator('#outcome').innerText();
  assert.ok(shown.split('<script>document.title=1</script>').length > 8, shown);
  assert.equal(await page.locator('#outcome img, #outcome script, #outcome [onerror], #outcome [onclick]').count(), 0);
  assert.deepEqual(
    await page
      .locator('#outcome a')
      .evaluateAll(links => links.map(link => (link as unknown as { protocol: string }).protocol)),
    ['https:'],
  );
  assert.match(await page.title(), /Rangelight$/);
  assert.ok(
    asked.every(target => target.startsWith(base)),
    asked.join('\n'),
  );
  assert.deepEqual(page.faults, []);
});

test('without scripts the form still leads to an address that holds the request', async t => {
  const { url: base } = await startStubService(t, call => call.end());
  const page = await openPage(t, browser, { javaScriptEnabled: false });
  await page.goto(base);
  await page.getByLabel('Address of the page').fill('harbour.example');
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  await page.waitForURL(/\?url=harbour\.example&backend=remote&strategy=mobile&categories=performance/);
});
