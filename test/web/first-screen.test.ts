/**
 * What stands first, without scrolling: of a result its scores, verdict, best fixes and filmstrip, of a comparison its
 * answer.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPage, startBrowser } from './browser.ts';
import { keptComparison, keptId, keptResult, localWhole, url, wholeResult } from './sample-answers.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });

const service = await startStubService({ after }, call => {
  if (call.path.endsWith('/screenshot')) return call.picture();
  if (call.path === '/results') return call.json({ results: [], next: null });
  if (call.path === `/results/${keptId}`)
    return call.json(call.params.has('detailed') ? { ...keptResult(), lighthouse_result: wholeResult } : keptResult());
  const { psi, lighthouse } = keptComparison();
  if (call.path.endsWith('1')) return call.json({ ...psi, lighthouse_result: wholeResult });
  if (call.path.startsWith('/results/')) return call.json({ ...lighthouse, lighthouse_result: localWhole });
  call.json(call.path === '/compare' ? keptComparison() : { ...keptResult(), lighthouse_result: wholeResult });
});

/** A window of 1280 pixels at a zoom of 200 % is 640 CSS pixels wide. */
const widths = [320, 360, 640, 768, 1280] as const;
const height = 800;

const cases = [
  { name: 'measured', query: { url, backend: 'remote' } },
  { name: 'a permalink', query: { url, backend: 'remote', result: keptId } },
  { name: 'a link that has the id alone', query: { result: keptId } },
] as const;

for (const { name, query } of cases)
  test(`${name}: scores, verdict, three fixes and the filmstrip are on the first screen at every width`, async t => {
    const page = await openPage(t, browser, { viewport: { width: 1280, height } });
    await page.goto(`${service.url}/?${new URLSearchParams(query as Record<string, string>)}`);
    await page.locator('.frames img').first().waitFor();
    for (const width of widths) {
      await page.setViewportSize({ width, height });
      await page.waitForFunction(`innerWidth === ${width}`);
      await page.evaluate('scrollTo(0, 0)');
      const parts = {
        line: '.unfold',
        score: '.dial svg',
        verdict: '.verdict',
        fix: '.best-fixes li:last-child',
        strip: '.frames',
      };
      for (const [part, selector] of Object.entries(parts)) {
        const box = await page.locator(selector).first().boundingBox();
        assert.ok(box && box.y + box.height <= height, `${width} px: ${part} ends at ${box && box.y + box.height} px`);
      }
      assert.equal(await page.locator('.best-fixes li').count(), 3);
      await page.evaluate('scrollTo(0, 1200)');
      const line = await page.locator('.unfold').boundingBox();
      assert.ok(line && line.y >= 0 && line.y < 20, `${width} px: the line of the page stays in view`);
    }
    assert.deepEqual(page.faults, []);
  });

test('compared: both scores, the waterfall and the causes are on the first screen, on two of a phone', async t => {
  const page = await openPage(t, browser, { viewport: { width: 1280, height } });
  await page.goto(`${service.url}/?${new URLSearchParams({ url, backend: 'compare' })}`);
  await page.locator('.frames img').first().waitFor({ state: 'attached' });
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction(`innerWidth === ${width}`);
    await page.evaluate('scrollTo(0, 0)');
    for (const selector of ['.both-scores', '.waterfall', '.causes > li:last-child h4', '.other-scores']) {
      const box = await page.locator(selector).boundingBox();
      const end = width < 1024 ? 2 * height : height;
      assert.ok(box && box.y + box.height <= end, `${width} px: ${selector} ends at ${box && box.y + box.height} px`);
    }
    assert.equal(await page.locator('.frames').first().isVisible(), false, 'filmstrips that look alike are folded');
  }
  assert.deepEqual(page.faults, []);
});

test('the tab has the path and the score, and the summary line leads back to the form', async t => {
  const page = await openPage(t, browser);
  await page.goto(`${service.url}/?${new URLSearchParams({ result: keptId })}`);
  await page.locator('.frames img').first().waitFor();
  assert.match(await page.title(), /^\/timetable\?season=winter&berth=4 · 61 · Rangelight$/);
  assert.equal(await page.getByLabel('Page URL').isVisible(), false);
  await page.getByRole('button', { name: /^Change harbour\.example/ }).click();
  assert.equal(await page.getByLabel('Page URL').inputValue(), url);
});

test('a link with an unknown or invalid id says so, on the first screen at every width', async t => {
  const missing = await startStubService(t, call =>
    call.json({ code: 'result_not_found', title: 'Result not found', detail: 'No result is kept.', status: 404 }, 404),
  );
  const page = await openPage(t, browser);
  await page.goto(`${missing.url}/?result=half-a-link`);
  await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
  assert.equal(missing.calls.all.length, 0);
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction(`innerWidth === ${width}`);
    const box = await page.locator('.failure').boundingBox();
    assert.ok(box && box.y + box.height <= height, `${width} px: the failure ends at ${box && box.y + box.height} px`);
  }
  await page.goto(`${missing.url}/?result=${keptId}`);
  await page.getByText('No result is kept.').waitFor();
});
