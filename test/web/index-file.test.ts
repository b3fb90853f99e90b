/** The index of a folder of reports in a real browser, opened as a file. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Column } from '../../src/presentation/answer.ts';
import { toSideNames } from '../../src/presentation/side-names.ts';
import type { IndexEntry } from '../../src/web/report/index/index-order.ts';
import { renderIndex } from '../../src/web/report/index/render-index.ts';
import { assertAccessible } from './accessible.ts';
import { startBrowser } from './browser.ts';
import { openFile } from './html-files.ts';
import { buildProblem } from './reports.ts';
import { local, richResult, url } from './sample-answers.ts';
import { assertFits } from './widths.ts';

const browser = await startBrowser({ after });

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const psi: Column = { source: 'psi', strategy: 'mobile', part: { ok: true, result: richResult() } };
const lighthouse: Column = { source: 'lighthouse', strategy: 'mobile', part: { ok: true, result: local() } };
const failed: Column = {
  source: 'lighthouse',
  strategy: 'mobile',
  part: { ok: false, url, failure: { kind: 'problem', problem: buildProblem({}) } },
};
const entry = (path: string, ...columns: Column[]): IndexEntry => ({
  url: `${url}${path}`,
  strategy: 'mobile',
  columns,
  report: 'report.html',
  picture: pixel,
});
const names = toSideNames({ kind: 'google' });
const long = `&${'a-rather-long-word'.repeat(12)}`;
const indexes = {
  'one side': [entry('', lighthouse), { ...entry(long, lighthouse), picture: undefined }, entry('&gone', failed)],
  'both sides': [entry('', psi, lighthouse), entry(long, psi, failed), entry('&gone', failed, failed)],
};

for (const [name, entries] of Object.entries(indexes))
  test(`an index of ${name} has no horizontal scrolling at any width and no axe violations, light and dark`, async t => {
    const { page, asked } = await openFile(t, browser, renderIndex({ entries, names, asked: 4 }));
    assert.equal(await page.getByRole('row').count(), 3);
    assert.equal(await page.getByRole('link', { name: url, exact: true }).getAttribute('href'), './report.html');
    await assertAccessible(page);
    await assertFits(page);
    await page.setViewportSize({ width: 320, height: 740 });
    await assertAccessible(page);
    assert.deepEqual([asked.length, page.faults], [1, []]);
  });

test('an index is sorted by the pressed column, worst first; rows without a value stay last', async t => {
  const scored = (path: string, performance: number | null, paintMs: number): IndexEntry => {
    const result = local();
    const paint = { ...result.metrics.largest_contentful_paint, value: paintMs };
    const part = {
      ok: true,
      result: {
        ...result,
        scores: { ...result.scores, performance },
        metrics: { ...result.metrics, largest_contentful_paint: paint },
      },
    } as const;
    return entry(path, { source: 'lighthouse', strategy: 'mobile', part });
  };
  const entries = [scored('&b', 40, 900), scored('&c', 9, 3000), scored('&a', null, 20_000), entry('&gone', failed)];
  const { page } = await openFile(t, browser, renderIndex({ entries, names, asked: 4 }));
  const shown = async () => (await page.locator('tbody a').allInnerTexts()).map(text => text.slice(-1)).join('');
  assert.equal(await shown(), 'cba');
  const button = (name: string) => page.locator('thead button', { hasText: name });
  const press = (name: string) => button(name).press('Enter');
  await press('LCP');
  assert.equal(await shown(), 'acb');
  await press('LCP');
  assert.equal(await shown(), 'bca');
  await press('Performance');
  assert.equal(await shown(), 'cba');
  await press('Performance');
  assert.equal(await shown(), 'bca');
  assert.equal(await page.getByRole('columnheader', { name: 'Performance' }).getAttribute('aria-sort'), 'descending');
  await press('Page');
  assert.equal(await shown(), 'abc');
  await page.setViewportSize({ width: 360, height: 740 });
  await button('LCP').click();
  assert.equal(await shown(), 'acb');
  assert.deepEqual(page.faults, []);
});
