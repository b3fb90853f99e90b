/** HTML reports in a real browser: sent by the service, and opened from a saved file. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, type TestContext, test } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContextOptions } from 'playwright-core';
import type { Result } from '../../src/contract/result/result.ts';
import { renderReport } from '../../src/web/report/render-report.ts';
import { renderComparison, renderStrategies } from '../../src/web/report/render-strategies.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { usualAudits } from '../support/audits/quick-audits.ts';
import { startPages } from '../support/sites/pages.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { assertAccessible } from './accessible.ts';
import { openPage, startBrowser } from './browser.ts';
import { drawn, openFile, untilDrawn, watchRequests } from './html-files.ts';
import { buildProblem } from './reports.ts';
import { comparison, richResult } from './sample-answers.ts';
import { openState } from './states.ts';
import { assertFits, openFolds } from './widths.ts';

const browser = await startBrowser({ after });
type Measured = { categories: Record<string, unknown> } & Record<string, unknown>;
type Compared = Parameters<typeof renderComparison>[0];
const sample = () => structuredClone(JSON.parse(JSON.stringify(comparison()))) as Compared;

/** One real local Lighthouse result, with everything that its report can draw. */
const pages = await startPages({ after });
const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint }, undefined, { audits: usualAudits });
const measured: Result = (await ask<Result>(service, withQuery('/lighthouse', { url: `${pages.url}/faulty` }))).body;
// The PSI server measures nothing: it answers with the local result.
const { audits, categories, categoryGroups, i18n, fullPageScreenshot } = measured.lighthouse_result as Measured;
fake.answerWith(call => ({
  body: toPsiBody(call, { audits, categories: { seo: categories.seo }, categoryGroups, i18n, fullPageScreenshot }),
}));

const open = (t: Scope, html: string, options: BrowserContextOptions = {}) => openFile(t, browser, html, options);

test('each report is drawn from its own data: sent by the service, and from a saved copy', async t => {
  const target = (path: string, more: Record<string, string> = {}) =>
    withQuery(path, { url: `${pages.url}/good`, strategy: 'mobile', categories: 'seo', ...more });
  const cases = [
    [target('/psi/report'), drawn],
    [target('/psi/report', { strategy: 'both' }), '.strategies iframe'],
    [target('/lighthouse/report'), drawn],
    [target('/compare/report'), '.compared .fixes'],
  ] as const;
  for (const [path, shows] of cases) {
    const page = await openPage(t, browser);
    const asked = watchRequests(page);
    const response = await page.goto(service.url + path, { timeout: 100_000 });
    await page.locator(shows).first().waitFor({ state: 'attached' });
    for (const frame of page.frames().slice(1)) await frame.locator(drawn).waitFor({ state: 'attached' });
    assert.equal(await page.evaluate('self.origin'), 'null', path);
    assert.deepEqual(asked, [service.url + path]);
    assert.deepEqual(page.faults, [], path);
    const saved = await open(t, (await response?.text()) ?? '');
    await saved.page.locator(shows).first().waitFor({ state: 'attached' });
    for (const frame of saved.page.frames().slice(1)) await frame.locator(drawn).waitFor({ state: 'attached' });
    assert.equal(saved.asked.length, 1, saved.asked.join());
    assert.deepEqual(saved.page.faults, [], `${path}, saved`);
  }
});

test("Lighthouse's report shows its scores, opens its details and changes its colors", async t => {
  const { page, asked } = await open(t, renderReport(measured));
  await untilDrawn(page);
  const scores = await page.locator('.lh-scores-header .lh-gauge__percentage').allInnerTexts();
  assert.deepEqual(scores.map(Number), Object.values(measured.scores));
  assert.equal(await page.title(), `${new URL(pages.url).host}, mobile · Lighthouse report`);
  const details = page.locator('.lh-audit details');
  assert.ok((await details.count()) > 10);
  assert.ok(
    (await page.locator('.lh-element-screenshot').count()) > 0,
    'elements are shown in the picture of the page',
  );
  await page.locator('.lh-tools__button').click();
  await page.locator('[data-action="toggle-dark"]').click();
  assert.equal(await page.locator('.lh-root.lh-dark').count(), 1);
  assert.deepEqual([asked.length, page.faults], [1, []]);
});

test("nothing in Lighthouse's report sends the result to another site", async t => {
  const { page } = await open(t, renderReport(measured));
  await untilDrawn(page);
  assert.equal(await page.locator('[data-action="open-viewer"], .lh-report-icon--treemap').count(), 0);
});

test("a copy that Lighthouse's report saves of itself is drawn again, once", async t => {
  const { page } = await open(t, renderReport(measured), { acceptDownloads: true });
  await untilDrawn(page);
  await page.locator('.lh-tools__button').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('[data-action="save-html"]').click(),
  ]);
  const again = await open(t, await readFile(await download.path(), 'utf8'));
  await untilDrawn(again.page);
  assert.equal(await again.page.locator('.lh-root').count(), 1);
  assert.deepEqual([again.asked.length, again.page.faults], [1, []]);
});

test('a file can also be saved from a report that the service sent', async t => {
  const page = await openPage(t, browser, { acceptDownloads: true });
  const target = withQuery('/psi/report', { url: `${pages.url}/good`, strategy: 'mobile', categories: 'seo' });
  await page.goto(service.url + target, { timeout: 100_000 });
  await untilDrawn(page);
  await page.locator('.lh-tools__button').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('[data-action="save-json"]').click(),
  ]);
  assert.match(download.suggestedFilename(), /\.json$/);
  assert.equal(JSON.parse(await readFile(await download.path(), 'utf8')).requestedUrl, `${pages.url}/good`);
  assert.deepEqual(page.faults, []);
});

test('of two strategies one is shown, and the other is one key away', async t => {
  const desktop = { ...measured, strategy: 'desktop' as const };
  const { page } = await open(t, renderStrategies({ url: measured.url, mobile: measured, desktop }));
  const [mobileFrame, desktopFrame] = [page.frameLocator('iframe.mobile'), page.frameLocator('iframe.desktop')];
  await mobileFrame.locator('.lh-scores-header .lh-gauge__percentage').first().waitFor();
  assert.equal(await page.locator('iframe.desktop').isVisible(), false);
  await page.getByRole('radio', { name: 'Mobile' }).focus();
  await page.keyboard.press('ArrowRight');
  await desktopFrame.locator('.lh-scores-header .lh-gauge__percentage').first().waitFor();
  assert.equal(await page.locator('iframe.mobile').isVisible(), false);
  assert.deepEqual(page.faults, []);
});

test('a failed strategy is shown with its reason, and the other one first', async t => {
  const failure = { url: measured.url, error: buildProblem({ code: 'psi_timeout', detail: 'Not within 150 s.' }) };
  const { page } = await open(t, renderStrategies({ url: measured.url, mobile: failure, desktop: measured }));
  await page.frameLocator('iframe.desktop').locator('.lh-scores-header .lh-gauge__percentage').first().waitFor();
  await page.getByRole('radio', { name: 'Mobile' }).check();
  await page.getByText('Not within 150 s.').waitFor();
  const { violations } = await new AxeBuilder({ page }).exclude('iframe').analyze();
  assert.deepEqual(
    violations.map(({ id }) => id),
    [],
  );
});

test('a comparison in a file equals what the page draws, without links to the service', async t => {
  const { page: live } = await openState(t, browser, 'compared');
  const { page: filed } = await open(t, renderComparison(sample()));
  /**
   * Reads the elements with sorted attributes, and the text. Markers of lit-html are removed, and times, which depend
   * on the reader's time zone.
   */
  const read = `(() => {
    const root = document.querySelector('.pairing').cloneNode(true);
    for (const time of root.querySelectorAll('time')) time.textContent = '';
    for (const link of root.querySelectorAll('a[href^="?"]')) link.closest('p')?.remove();
    const marks = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
    const comments = [];
    while (marks.nextNode()) comments.push(marks.currentNode);
    for (const comment of comments) comment.remove();
    for (const element of root.querySelectorAll('*')) {
      const attributes = [...element.attributes].map(({ name, value }) => [name, value]).sort();
      for (const [name] of attributes) element.removeAttribute(name);
      for (const [name, value] of attributes) element.setAttribute(name, value);
    }
    root.normalize();
    return root.outerHTML.replace(/\\s+/g, ' ').replace(/> </g, '><');
  })()`;
  assert.equal(await filed.evaluate(read), await live.evaluate(read));
});

test('a comparison without scripts is complete: verdict, scores, metrics, folds', async t => {
  const { page } = await open(t, renderComparison(sample()), { javaScriptEnabled: false });
  await page.getByText('Local Lighthouse scores 35, Google 61.').waitFor();
  await page.getByRole('img', { name: 'Performance: 61 of 100, needs improvement' }).waitFor();
  const finding = page.locator('.finding', { hasText: 'Improve image delivery' });
  await finding.locator('summary').click();
  await finding.getByText('Reducing the download time of images').waitFor();
  await page.locator('.metric-filter label', { hasText: 'TBT' }).click();
  assert.deepEqual(await page.locator('.finding-title:visible').allInnerTexts(), ['Reduce JavaScript execution time']);
});

test('a comparison in a file has no horizontal scrolling at any width and no axe violations, light and dark', async t => {
  const failure = { url: measured.url, error: buildProblem({ source: 'psi' }) };
  const half = { ...sample(), psi: failure, comparison: null } as Compared;
  for (const body of [sample(), half]) {
    const { page } = await open(t, renderComparison(body));
    await openFolds(page);
    await assertFits(page);
    await assertAccessible(page);
  }
});

test("a browser without scripts shows the scores of Lighthouse's report", async t => {
  const { page } = await open(t, renderReport(measured), { javaScriptEnabled: false });
  const text = await page.locator('body').innerText();
  assert.ok(text.includes(`Performance: ${measured.scores.performance} of 100`), text);
});

const recordedFile = (name: string) => new URL(`../../../shared/data/psi-responses/${name}`, import.meta.url);

async function openRecorded(t: TestContext, name: string, strategy: 'mobile' | 'desktop') {
  if (!existsSync(recordedFile(name))) return t.skip('skipped: there are no recorded responses next to this project');
  const { lighthouseResult } = JSON.parse(readFileSync(recordedFile(name), 'utf8'));
  const { page, asked } = await open(
    t,
    renderReport({ ...richResult({ strategy }), lighthouse_result: lighthouseResult }),
  );
  await untilDrawn(page);
  const scores = await page.locator('.lh-scores-header .lh-gauge__percentage').allInnerTexts();
  const categories = Object.values(lighthouseResult.categories) as { score: number }[];
  assert.deepEqual(
    scores.map(Number),
    categories.map(({ score }) => Math.round(score * 100)),
  );
  const footer = await page.locator('.lh-meta__items').innerText();
  assert.match(footer, strategy === 'mobile' ? /Emulated (Moto|mobile|Phone)/i : /Emulated Desktop/i);
  assert.deepEqual([asked.length, page.faults], [1, []]);
}

for (const [name, strategy] of [
  ['mobile-field-full.json', 'mobile'],
  ['desktop-basic.json', 'desktop'],
] as const)
  test(`the recorded ${name}, which omits parts of a plain result, is drawn`, t => openRecorded(t, name, strategy));
