/** Predictions on the page: requested when opened; from then on the summary shows their first fix. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startBrowser } from './browser.ts';
import { keptComparison } from './sample-answers.ts';
import { openState } from './states.ts';

const browser = await startBrowser({ after });

test('predictions are opened by keyboard, requested once, and leave the ranking of the result', async t => {
  const { page, service } = await openState(t, browser, 'whatIf');
  const fixes = page.locator('.best-fixes li');
  assert.match(await fixes.first().innerText(), /Improve image delivery[\s\S]*Up to\s*\+12\s*points[\s\S]*Performance/);
  assert.equal(await fixes.count(), 3);
  assert.equal(await page.locator('.map-cell').count(), 25);
  const summary = page.locator('.what-if summary').first();
  await summary.press('Enter');
  await page.locator('.map-cell').first().waitFor({ state: 'detached' });
  await summary.press('Enter');
  await page.locator('.map-cell').first().waitFor();
  const words = await page.locator('.what-if').innerText();
  assert.match(words, /Now\s+61[\s\S]*\+9\.4[\s\S]*\+4\.2 ±4/);
  await page.getByText('How sure is this').click();
  const caveats = await page.locator('.what-if .fold .fold').innerText();
  assert.match(caveats, /error of 1\.2 points \(median\), 4 \(p90\), 6\.5 \(p95\)/);
  assert.match(caveats, /Tide Tables Inc\.[\s\S]*Not predicted: it requests/);
  assert.match(words, /This load scores\s+61[\s\S]*at 1\.2× CPU slowdown/);
  assert.match(words, /On the same network, predicted below 90 even without CPU slowdown\./);
  const asked = (await service.calls.waitFor(1)).filter(({ path }) => path.endsWith('/what-if'));
  assert.equal(asked.length, 1);
  assert.deepEqual(page.faults, []);
});

test('a comparison predicts for its local side', async t => {
  const { page, service } = await openState(t, browser, 'comparedWhatIf');
  assert.match(await page.locator('.what-if h3').innerText(), /^What if\s+Local/);
  const asked = (await service.calls.waitFor(1)).filter(({ path }) => path.endsWith('/what-if'));
  assert.deepEqual(
    asked.map(({ path }) => path),
    [`/results/${keptComparison().lighthouse.id}/what-if`],
  );
  assert.equal(await page.getByRole('button', { name: /^Measure the/ }).count(), 1);
  assert.deepEqual(page.faults, []);
});

test('until predictions are loaded, the audits say what to fix first', async t => {
  const { page } = await openState(t, browser, 'whatIfLoading');
  assert.match(await page.locator('.best-fixes li').first().innerText(), /Up to\s*\+12/);
});

test('missing artifacts are reported with advice, and predictions can be requested again', async t => {
  const { page } = await openState(t, browser, 'whatIfGone');
  const failure = await page.locator('.what-if .failure').innerText();
  assert.match(failure, /What to do: Measure the page again on this machine/);
  const asked = page.waitForRequest(request => request.url().endsWith('/what-if'));
  await page.getByRole('button', { name: 'Predict again' }).click();
  await asked;
  await page.locator('.what-if .failure').waitFor();
});
