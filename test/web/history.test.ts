/** Stored results of a page: its history by keyboard, recently measured pages, and a label for the next result. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { History } from '../../src/contract/stored/history.ts';
import { buildHistory } from '../support/builders/history.ts';
import { buildResultsComparison } from '../support/builders/results-comparison.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { openPage, startBrowser } from './browser.ts';
import { sitePage } from './home-answers.ts';
import { buildLocalResult, buildProblem } from './reports.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });
const url = 'https://harbour.example/';

test('every point leads to its result, and arrow keys step through the points', async t => {
  const { page } = await openState(t, browser, 'history');
  const points = page.locator('.chart a');
  assert.equal(await points.count(), 20);
  await points.first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const focused = () => page.evaluate('document.activeElement.getAttribute("href")');
  assert.match(`${await focused()}`, /backend=local&strategy=mobile&result=01a201e3-ac0c-7234-9a1b-000000000002$/);
  await page.keyboard.press('ArrowLeft');
  assert.match(`${await focused()}`, /0001$/);
  const tip = page.locator('.chart-tip');
  assert.match(await tip.innerText(), /, build-41$/, 'the point with the focus');
  // A line without a width has no box to hover: its words are dispatched to it.
  await page.locator('.chart .change .reach').dispatchEvent('pointerover');
  assert.match(await tip.innerText(), /^worse: 92 → 74/);
  await page.locator('.chart-frame').dispatchEvent('pointerleave');
  assert.equal(await tip.isVisible(), false);
  assert.deepEqual(page.faults, []);
});

test('a change of one value is a line through the small charts of all', async t => {
  const { page } = await openState(t, browser, 'history');
  await page.locator('.mini', { hasText: 'SEO' }).locator('.change').waitFor({ state: 'attached' });
  assert.equal(await page.locator('.mini-chart:has(.change[data-status=worse])').count(), 10);
});

test('a change of another value is in the large chart and in words, with its name', async t => {
  const { url } = await startStubService(t, call => {
    const metric = (call.params.get('metric') ?? 'performance') as History['metric'];
    if (call.path !== '/history') return call.json({});
    call.json(buildHistory(metric, metric === 'largest_contentful_paint' ? {} : { change_points: [] }));
  });
  const page = await openPage(t, browser);
  await page.goto(`${url}/?history=https://harbour.example/&source=lighthouse&strategy=mobile`);
  await page.locator('.changes li', { hasText: /Largest Contentful Paint worse: 1\.9\ss → 3\.4\ss/ }).waitFor();
  assert.equal(await page.locator('.chart .change').count(), 1);
  assert.deepEqual(page.faults, []);
});

test('the newest change and the one before it have their causes next to them', async t => {
  const causes = ['heavy.js was added (90 kB) and costs 11 points.', 'ads.js was added (20 kB) and costs 7 points.'];
  const { change_points: usual, points } = buildHistory('performance');
  const [newest] = usual;
  const [last, first] = [points[3], points[4]];
  assert.ok(newest && last && first);
  const earlier = { ...newest, id: first.id, fetched_at: first.fetched_at, previous_id: last.id };
  const changes = [{ ...earlier, previous_fetched_at: last.fetched_at }, newest];
  const { url, calls } = await startStubService(t, call => {
    const metric = (call.params.get('metric') ?? 'performance') as History['metric'];
    if (call.path === '/history')
      return call.json(buildHistory(metric, metric === 'performance' ? { change_points: changes } : {}));
    if (call.path !== '/compare-results') return call.json({});
    const change = buildResultsComparison();
    const cause = causes[call.params.get('before') === last.id ? 1 : 0];
    const explanation = `${cause} The page got worse: performance score 92 → 74 (−18).`;
    call.json({ ...change, verdict: { ...change.verdict, status: 'worse', explanation } });
  });
  const page = await openPage(t, browser);
  await page.goto(`${url}/?history=https://harbour.example/&source=lighthouse&strategy=mobile`);
  for (const cause of causes) await page.locator('.changes li', { hasText: cause }).waitFor();
  const asked = calls.all.filter(({ path }) => path === '/compare-results');
  assert.match(asked[0]?.params.get('before') ?? '', /0009$/, 'the newest first');
  assert.deepEqual(page.faults, []);
});

test('a result says since when its page is worse, if it is from after the change', async t => {
  const id = '01a201e3-ac0c-7234-9a1b-000000000019';
  const words = /^Worse since Nov 11, .*: 92 → 74$/;
  for (const [time, isTold] of [
    ['2026-11-22T09:00:00.000Z', true],
    ['2026-11-05T09:00:00.000Z', false],
  ] as const) {
    const { url: base, calls } = await startStubService(t, call => {
      if (call.path === '/history') return call.json(buildHistory('performance'));
      if (call.path.startsWith('/results/')) return call.json(buildLocalResult({ id, url, fetched_at: time }));
      call.json({});
    });
    const page = await openPage(t, browser);
    await page.goto(`${base}/?${new URLSearchParams({ url, backend: 'local', strategy: 'mobile', result: id })}`);
    const link = page.getByRole('link', { name: words });
    if (isTold) await link.waitFor();
    else {
      await calls.waitFor(1, ({ path }) => path === '/results');
      assert.equal(await link.count(), 0);
    }
    assert.deepEqual(page.faults, []);
  }
});

test('one metric is shown at a time, its change and its gap in words, and all of it as a table', async t => {
  const { page } = await openState(t, browser, 'history');
  await page.getByText('worse: 92 → 74').waitFor();
  await page.getByRole('button', { name: 'Largest Contentful Paint' }).click();
  await page.getByText(/worse: 1\.9\ss → 3\.4\ss/).waitFor();
  await page.locator('li', { hasText: 'it returned status 503' }).waitFor();
  assert.match(await page.locator('.history .facts-line').innerText(), /last 3\.5\ss disturbed$/);
  await page.getByText('All 20 results as a table').click();
  assert.equal(
    await page.locator('.history tbody a[href*="runs=3"]').count(),
    1,
    'measured again, it has as many runs',
  );
  assert.equal(await page.locator('.history tbody .disturbed').count(), 2);
  assert.equal(await page.locator('.history tbody tr').count(), 20);
  await page.reload();
  await page.getByText(/worse: 1\.9\ss → 3\.4\ss/).waitFor();
  assert.match(
    (await page.getByRole('link', { name: 'desktop' }).getAttribute('href')) ?? '',
    /metric=largest_contentful_paint/,
  );
});

test('field data are next to the lab values if results have them, and an uncertain change is called possible', async t => {
  const { page } = await openState(t, browser, 'historyField');
  assert.equal(await page.locator('.chart .field').count(), 11);
  assert.match(
    await page.locator('.field-line').innerText(),
    /Field:\s+3\.2\ss.*visits to the whole site.*; 2\.4\ss on/s,
  );
  await page.getByRole('button', { name: 'Total Blocking Time' }).click();
  await page.locator('.field-line').waitFor({ state: 'detached' });
  const { page: other } = await openState(t, browser, 'historyPossible');
  await other.getByText(/^Possible change since Nov 9, 2026/).waitFor();
  assert.equal(await other.getByText('No lasting change').count(), 0);
});

test('the URL of a history is parsed, with the side and the device', async t => {
  const asked: string[] = [];
  const { url: base } = await startStubService(t, call => {
    if (call.path !== '/history') return call.json({});
    asked.push(`${call.params.get('url')} ${call.params.get('source')} ${call.params.get('strategy')}`);
    call.json(buildHistory(call.params.get('metric') as never));
  });
  const page = await openPage(t, browser);
  await page.goto(`${base}/?${new URLSearchParams({ history: url, source: 'psi', strategy: 'desktop' })}`);
  await page.locator('.chart').waitFor();
  assert.deepEqual(new Set(asked), new Set([`${url} psi desktop`]));
  assert.match(await page.title(), /^History of harbour\.example/);
  assert.equal(await page.getByLabel('Desktop').isChecked(), true);
});

test('without a key, the start page requests nothing from a service that requires one', async t => {
  const settings = { API_KEYS: 'a-key-of-some-client', DATA_DIR: makeScratchFolder(t) };
  const { url: base, calls } = await startStubService(
    t,
    call => {
      if (call.headers.authorization !== 'Bearer a-key-of-some-client')
        return call.json(buildProblem({ code: 'unauthorized', status: 401 }), 401);
      call.json(
        call.path === '/history'
          ? buildHistory(call.params.get('metric') as never)
          : call.path === '/sites'
            ? { pages: [sitePage()], is_complete: true }
            : { schedules: [] },
      );
    },
    settings,
  );
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.goto(`${base}/?${new URLSearchParams({ history: url })}`);
  await page.getByLabel('Key').fill('a-key-of-some-client');
  await page.keyboard.press('Enter');
  await page.locator('.chart').waitFor();
  await page.goto(base);
  await page.locator('.site-page').waitFor();
  const keyless = calls.all.filter(({ headers }) => headers.authorization === undefined);
  // The history that was wanted before the key was known, and nothing of the start page.
  assert.deepEqual(
    keyless.map(({ path }) => path),
    ['/history'],
  );
});

test('label, runs and settings are sent with the request, and stay in the URL', async t => {
  const { url: base, calls } = await startStubService(t, call => call.json(buildLocalResult({ url })));
  const page = await openPage(t, browser);
  await page.goto(base);
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel(/^Label/).fill('build-42');
  await page.getByRole('radio', { name: '5' }).check();
  await page.getByRole('radio', { name: 'PageSpeed Insights', exact: true }).check();
  await page.getByLabel('Page URL').fill(url);
  await page.keyboard.press('Enter');
  const [call] = await calls.waitFor(1);
  assert.deepEqual(
    ['label', 'runs', 'profile'].map(name => call?.params.get(name)),
    ['build-42', '5', 'psi'],
  );
  await page.waitForURL(({ search }) =>
    ['label=build-42', 'runs=5', 'profile=psi'].every(part => search.includes(part)),
  );
  await page.reload();
  assert.equal(await page.getByLabel(/^Label/).inputValue(), 'build-42');
});
