/** What the page draws of a result, and what it never draws. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPage, startBrowser } from './browser.ts';
import { buildComparison, buildFailedAudit, buildLocalResult, buildResult } from './reports.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });

const url = 'https://harbour.example/';
const withQuery = (fields: Record<string, string>) => `/?${new URLSearchParams({ url, ...fields })}`;

test('a comparison shows what the service reports', async t => {
  const { page } = await openState(t, browser, 'compared');
  const top = page.locator('.pairing-top');
  assert.match(await top.locator('.verdict').innerText(), /^Local Lighthouse scores 35, Google 61\. /);
  const waterfall = page.locator('.waterfall tbody tr');
  assert.deepEqual(
    (await waterfall.allInnerTexts()).map(text => text.replaceAll(/\s+/g, ' ').trim()),
    [
      'Google score 61',
      'Total Blocking Time −21.4',
      'Largest Contentful Paint −5.6',
      'Speed Index +0.8',
      'Rounding +0.2',
      'Local score 35',
    ],
  );
  assert.deepEqual(await page.locator('.cause > p:last-of-type').allInnerTexts(), [
    'Computed: audited again with this one change',
    'Observed on both sides',
    'Possible',
  ]);
  const range = page.locator('.metric.pair', { hasText: 'Largest Contentful Paint' }).locator('.range');
  assert.match(
    (await range.getAttribute('aria-label')) ?? '',
    /^Google: 4\.9\ss, poor; Local: 7\.2\ss, poor\. Good up to 2\.5\ss, poor above 4\.0\ss\.$/,
  );
});

test('a comparison names the side of each finding, and the range of a metric is drawn and written', async t => {
  const { page } = await openState(t, browser, 'comparedLoadDetails');
  const owner = page.locator('.facts', { hasText: /\w+ party|Tide|harbour/ });
  await owner.first().waitFor();
  const { page: ranged } = await openState(t, browser, 'disturbed');
  const range = ranged.locator('.metric', { hasText: 'Largest Contentful Paint' }).locator('.range');
  assert.match((await range.getAttribute('aria-label')) ?? '', /, range .* to /);
  assert.equal(await range.locator('.whisker').count(), 1);
});

test('a comparison with only scores and metrics is drawn too', async t => {
  const body = buildComparison(buildResult({ url }), buildLocalResult({ url, scores: { performance: 74 } }));
  const { url: base } = await startStubService(t, call => call.json(body));
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'compare' })}`);
  await page
    .getByText('Local against PageSpeed Insights settings, on this machine: Performance 26 points lower.')
    .waitFor();
  assert.equal(await page.locator('.waterfall, .causes').count(), 0);
  assert.deepEqual(page.faults, []);
});

test('one value has one rating, in every table of the page', async t => {
  const result = buildLocalResult({ url, strategy: 'desktop', metrics: { largest_contentful_paint: 2000 } });
  const { url: base } = await startStubService(t, call => call.json(result));
  const page = await openPage(t, browser);
  await page.goto(`${base}${withQuery({ backend: 'local', strategy: 'desktop' })}`);
  await page.locator('.vitals').waitFor();
  const shown = page.locator('.metric, .vital').filter({ hasText: 'Largest Contentful Paint' }).locator('.rated');
  assert.deepEqual(await shown.allTextContents(), ['2.0\u00a0s, needs improvement', '2.0\u00a0s, needs improvement']);
});

test('no text of a page under test runs as markup', async t => {
  const bait = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
  const hostile = buildLocalResult({
    url,
    final_url: `${url}?${bait}`,
    warnings: [bait],
    failed_audits: [
      buildFailedAudit('x', {
        title: bait,
        description: `${bait} [${bait}](javascript:alert(1)) [x](https://example.com/"onclick="x)`,
        display_value: bait,
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
  for (const summary of await page.locator('#outcome summary').all()) await summary.click();
  const shown = await page.locator('#outcome').innerText();
  assert.ok(shown.split('<script>document.title=1</script>').length > 7, shown);
  assert.equal(await page.locator('#outcome img, #outcome script, #outcome [onerror], #outcome [onclick]').count(), 0);
  assert.deepEqual(
    await page.locator('#outcome a:not(.button)').evaluateAll(
      (links, own) =>
        links
          .map(link => link as unknown as { protocol: string; href: string })
          .filter(({ href }) => !href.startsWith(own))
          .map(({ protocol }) => protocol),
      base,
    ),
    ['https:'],
  );
  assert.match(await page.title(), /Rangelight$/);
  assert.ok(
    asked.every(target => target.startsWith(base)),
    asked.join('\n'),
  );
  assert.deepEqual(page.faults, []);
});

test('a result links to its HTML report, which measures again if the result is not stored', async t => {
  const links = async (name: 'result' | 'both' | 'compared') => {
    const { page } = await openState(t, browser, name);
    const found = page.locator('.result-top a.button');
    for (const link of await found.all()) {
      assert.equal(await link.getAttribute('target'), '_blank');
      assert.equal(await link.getAttribute('rel'), 'noopener');
    }
    const addresses = await found.evaluateAll(all => all.map(link => `${(link as unknown as { href: string }).href}`));
    // The downloads menu is closed, so its links are not visible.
    return (await found.allTextContents()).map((text, at) => {
      const words = text.replaceAll(/\s+/g, ' ').trim();
      const { pathname, searchParams } = new URL(addresses[at] ?? '');
      return [words, pathname, searchParams.get('strategy')];
    });
  };
  assert.deepEqual(await links('result'), [['HTML report', '/psi/report', 'mobile']]);
  assert.deepEqual(await links('both'), [
    ['HTML report (measures again)', '/lighthouse/report', 'mobile'],
    ['HTML report (measures again)', '/lighthouse/report', 'desktop'],
  ]);
  assert.deepEqual(await links('compared'), [['HTML report (measures again)', '/compare/report', 'mobile']]);
});
