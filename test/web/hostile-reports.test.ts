/** Text from a page or a PSI server never runs in an HTML report, and loads nothing. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { renderReport } from '../../src/web/report/render-report.ts';
import { renderComparison, renderStrategies } from '../../src/web/report/render-strategies.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { type OpenedPage, openPage, startBrowser } from './browser.ts';
import { drawn, openFile, untilDrawn, watchRequests } from './html-files.ts';
import { comparison } from './sample-answers.ts';

const browser = await startBrowser({ after });
const pages = await startPages({ after });
const service = await startService({ after }, {}, undefined, { pool: sharedPool() });
const measured: Result = (await ask<Result>(service, withQuery('/lighthouse', { url: `${pages.url}/faulty` }))).body;

type Compared = Parameters<typeof renderComparison>[0];
const sample = () => structuredClone(JSON.parse(JSON.stringify(comparison()))) as Compared;

const open = (t: Parameters<typeof openFile>[0], html: string) => openFile(t, browser, html);

/** Texts that a page can contain. They must remain text wherever they are shown. */
const baits = [
  '</script><script>window.ran=1</script>',
  '<img src=x onerror="window.ran=2">',
  '<!--<script>window.ran=3',
  '\u2028window.ran=4//\u2029',
  '"\'><svg onload=window.ran=5>',
  '</title></style></noscript></iframe><script>window.ran=6</script>',
  '&lt;img src=x onerror=window.ran=7&gt;&#34;&#39;',
  '[x](javascript:window.ran=8) `</code><script>window.ran=9</script>`',
  '$& $` \ud800',
].join(' ');

/** The same result with the bait appended to every text. */
const poison = (value: unknown, key = ''): unknown => {
  if (typeof value === 'string') {
    const isFixed =
      /type|mode|unit|time|method|version|^(id|group|acronym|key|lhId|locale|channel|strategy|source|kind|code|certainty|rating|scope|first_date|last_date|status|expires_at|fetched_at|cause)$/i.test(
        key,
      );
    if (isFixed || value.startsWith('data:')) return value;
    return /^https?:/.test(value) ? `${value}#${baits}` : `${value} ${baits}`;
  }
  if (Array.isArray(value))
    return value.map(entry => (typeof entry === 'string' && key === 'categories' ? entry : poison(entry, key)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, poison(inside, name)]));
};

async function assertHarmless(page: OpenedPage, asked: readonly string[], scripts: number): Promise<void> {
  for (const frame of page.frames()) {
    assert.equal(await frame.evaluate('window.ran'), undefined);
    assert.equal(await frame.locator('[onerror], [onload], [onclick], a[href^="javascript:"]').count(), 0);
    assert.equal(await frame.locator('img:not([src^="data:"])').count(), 0);
  }
  assert.equal(await page.mainFrame().locator('script:not([type="application/json"])').count(), scripts);
  assert.equal(asked.length, 1, asked.join('\n'));
  assert.deepEqual(page.faults, []);
}

test('no text of a page runs in any report', async t => {
  const hostile = poison(measured) as Result;
  hostile.url = hostile.final_url = `${pages.url}/?${baits}`;
  const one = await open(t, renderReport(hostile));
  await untilDrawn(one.page);
  assert.ok((await one.page.locator('body').innerText()).includes('window.ran=1'), 'the bait is shown');
  await assertHarmless(one.page, one.asked, 3);

  const both = await open(t, renderStrategies({ url: hostile.url, mobile: hostile, desktop: hostile }));
  for (const frame of both.page.frames().slice(1)) await frame.locator(drawn).waitFor({ state: 'attached' });
  assert.equal(both.page.frames().length, 3);
  await assertHarmless(both.page, both.asked, 0);

  const compared = await open(t, renderComparison(poison(sample()) as Compared));
  assert.ok((await compared.page.locator('body').innerText()).includes('</script><script>window.ran=1</script>'));
  await assertHarmless(compared.page, compared.asked, 0);
});

test('a hostile analyser cannot make a report run or load anything either', async t => {
  const fake = await startFakePsi(t);
  fake.answerWith(call => ({ body: poison(toPsiBody(call)) }));
  const behind = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  const page = await openPage(t, browser);
  const asked = watchRequests(page);
  const response = await page.goto(
    behind.url +
      withQuery('/psi/report', {
        url: `https://harbour.example/?${encodeURIComponent(baits.toWellFormed())}`,
        strategy: 'mobile',
      }),
  );
  assert.equal(response?.status(), 200, (await response?.text())?.slice(0, 500));
  await untilDrawn(page);
  await assertHarmless(page, asked, 3);
});

test('the policy of a report stops anything that still gets in', async t => {
  for (const html of [renderReport(measured), renderComparison(sample())]) {
    const broken = html.replace(
      '<body>',
      '<body><script>window.ran=1</script><img src="https://elsewhere.example/x.png"><img src="data:," onerror="window.ran=2">',
    );
    const { page, asked } = await open(t, broken);
    await page.locator('h1, .lh-footer').first().waitFor({ state: 'attached' });
    assert.equal(await page.evaluate('window.ran'), undefined);
    // The browser also reports the request of the picture, although the policy blocks it before it is sent.
    assert.deepEqual(asked.slice(1), ['https://elsewhere.example/x.png']);
    assert.equal(
      page.faults.filter(fault => fault.includes('Content Security Policy')).length >= 3,
      true,
      page.faults.join('\n'),
    );
  }
});
