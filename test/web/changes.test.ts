/** The comparison of two stored results: the ways to reach it, and its content. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { buildKeptFacts } from '../support/builders/history.ts';
import { buildResultsComparison, buildUndecided, idOfSide } from '../support/builders/results-comparison.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { openPage, startBrowser } from './browser.ts';
import { buildLocalResult } from './reports.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });
const url = 'https://harbour.example/';

test('the verdict is a sentence, every value has its interval, and changed audits and requests are listed', async t => {
  const { page } = await openState(t, browser, 'changed');
  await page.locator('.verdict', { hasText: 'Performance score 92 → 81' }).waitFor();
  const row = page.getByRole('row', { name: /^Largest Contentful Paint/ });
  assert.match(
    await row.innerText(),
    /1\.9\ss[\s\S]*2\.7\ss[\s\S]*\+800\sms[\s\S]*between \+640\sms and \+980\sms[\s\S]*worse/,
  );
  for (const text of ['Fail now', 'No longer fail', 'passed → failed', 'browser version', 'may be a cause'])
    await page.getByText(text).first().waitFor();
  await page.getByText('consent-manager-with-a-rather-long-name').first().waitFor();
  await page.getByText('Before: 34 requests').waitFor();
  assert.match(await page.title(), /^What changed on harbour\.example/);
  const links = await page.getByRole('link', { name: /^Open .*: the run nearest to the medians/ }).all();
  const addresses = await Promise.all(links.map(link => link.getAttribute('href')));
  assert.deepEqual(
    addresses.map(address => new URLSearchParams(address ?? '').get('result')),
    [idOfSide('before'), idOfSide('after')],
  );
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as JSON' }).click(),
  ]);
  assert.equal(JSON.parse(await readFile(await file.path(), 'utf8')).verdict.status, 'worse');
  assert.deepEqual(page.faults, []);
});

test('both loads are pictures with the same time scale, and other results are selected by time, score and label', async t => {
  const { page } = await openState(t, browser, 'changedPictures');
  const strips = page.locator('.filmstrip');
  assert.deepEqual(
    (await strips.locator('legend').allInnerTexts()).map(text => text.trim()),
    ['Before', 'After'],
  );
  const times = async (at: number) => strips.nth(at).locator('.frame-time').allTextContents();
  const before = await times(0);
  assert.ok(before.length > 1, before.join());
  assert.deepEqual(await times(1), before);
  const choice = page.locator('select[name=before]');
  assert.equal(await choice.inputValue(), idOfSide('before'));
  assert.match((await choice.locator('option').first().textContent()) ?? '', /performance \d+/);
  // Two labels of several pages are compared on the page that is displayed.
  assert.equal(await page.locator('.change-form input[name=page]').getAttribute('value'), url);
  assert.deepEqual(page.faults, []);
});

test('if the runs do not decide, more runs are a click away, and what differed is shown', async t => {
  const { page } = await openState(t, browser, 'changedUndecided');
  assert.match((await page.getByRole('link', { name: 'Measure it with 5 runs' }).getAttribute('href')) ?? '', /runs=5/);
  await page.getByText('prevents a verdict').waitFor();
});

test('changed files are bars of points that add up with their rest, and a switch leads from the same conditions to the values as measured', async t => {
  const { page } = await openState(t, browser, 'changedAlike');
  const visible = page.locator('.measures').filter({ visible: true });
  assert.equal(await visible.locator('tbody tr').count(), 2);
  await page.getByText('As measured').click();
  assert.ok((await visible.locator('tbody tr').count()) > 2);
  const file = page.getByRole('row', { name: /timetable\.js/ });
  assert.match(await file.innerText(), /−6\.4\s+\+64\skB\s+\+310\sms/);
  assert.equal(await file.locator('.points-bar .loss').count(), 1);
  assert.match(await page.getByRole('row', { name: /^The rest/ }).innerText(), /−2\.5/);
  assert.deepEqual(page.faults, []);
});

test('a single result is compared with the previous one, and the URL then names both', async t => {
  const [earlier, asked] = [buildKeptFacts(1), buildKeptFacts(2)];
  const { url: base, calls } = await startStubService(t, call => {
    if (call.path === '/compare-results') return call.json(buildResultsComparison());
    if (call.path === '/results') return call.json({ results: [asked, earlier], next: null });
    if (call.path.endsWith('/screenshot')) return call.picture();
    call.json({ ...buildLocalResult({ url }), id: asked.id });
  });
  const page = await openPage(t, browser);
  await page.goto(`${base}/?after=${asked.id}&before=`);
  await page.locator('.measures').first().waitFor();
  const compared = calls.all.find(({ path }) => path === '/compare-results');
  assert.deepEqual([compared?.params.get('before'), compared?.params.get('after')], [earlier.id, asked.id]);
  await page.waitForURL(address => address.searchParams.get('before') === earlier.id);
  await page.reload();
  await page.locator('.measures').first().waitFor();
  assert.equal(
    calls.all.filter(({ path, params }) => path === '/results' && params.has('until')).length,
    1,
    'it is not looked for again',
  );
});

test('missing parts are named, and the form next to them leads to a comparison', async t => {
  const { url: base } = await startStubService(t, call => {
    if (call.path === '/compare-results') return call.json(buildResultsComparison());
    if (call.path === '/results') return call.json({ results: [], next: null });
    if (call.path.endsWith('/screenshot')) return call.picture();
    call.json(buildLocalResult({ url }));
  });
  const page = await openPage(t, browser);
  await page.goto(`${base}/?after=${idOfSide('after')}`);
  await page.getByText('No earlier result of this page is stored').waitFor();
  await page.goto(`${base}/?before=&after=`);
  await page.getByText('A comparison needs two results').waitFor();
  await page.getByLabel('Before: an id or a label').fill('build-41');
  await page.getByLabel('After: an id or a label').fill('build-42');
  await page.keyboard.press('Enter');
  await page.locator('.measures').first().waitFor();
  await page.waitForURL(address => address.searchParams.get('after') === 'build-42');
});

test('in a history two results are selected with the keyboard or in the table, and lead to their comparison', async t => {
  const { page } = await openState(t, browser, 'historyMarked');
  const link = page.getByRole('link', { name: 'Compare the two marked results' });
  const focused = () => page.evaluate('document.activeElement.textContent');
  assert.equal(await focused(), 'Compare the two marked results');
  const idsOf = async () => {
    const query = new URLSearchParams((await link.getAttribute('href')) ?? '');
    return ['before', 'after'].map(name => Number(query.get(name)?.slice(-12)));
  };
  assert.deepEqual(await idsOf(), [0, 1]);
  await page.getByText('All 20 results as a table').click();
  const newest = page.locator('.history tbody').getByRole('checkbox').first();
  await newest.check();
  assert.deepEqual(await idsOf(), [1, 19], 'a third takes the place of the first, and the older one is before');
  await newest.uncheck();
  await page.getByText('Mark another one to compare the two.').waitFor();
  assert.equal(await page.getByRole('link', { name: /^Compare the results on both sides/ }).count(), 1);
  assert.deepEqual(page.faults, []);
});

const readStored = async (at: string): Promise<{ id: string }[]> =>
  ((await (await fetch(`${at}/results`)).json()) as { results: { id: string }[] }).results;

test('with a real service: after measuring again, the two results are compared, and the comparison is found again', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t), PSI_ENDPOINT: fake.endpoint });
  const page = await openPage(t, browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${service.url}/?${new URLSearchParams({ url, backend: 'remote', strategy: 'mobile' })}`);
  await page.waitForURL(/result=/);
  const toPrevious = page.getByRole('link', { name: 'Compare with the previous result' });
  const copy = page.locator('.copy');
  const before = await copy.boundingBox();
  await copy.click();
  await page.getByText('The link opens on this machine only.').waitFor();
  assert.match((await copy.textContent()) ?? '', /[Cc]opied$/);
  assert.deepEqual(await copy.boundingBox(), before, 'the button stays where it is');
  assert.equal(await toPrevious.count(), 0, 'there is none yet');
  await page.getByRole('button', { name: 'Measure again' }).click();
  const note = page.getByLabel('Compared with the result before');
  await note.locator('strong').waitFor();
  await note.getByRole('link', { name: 'What changed' }).click();
  await page.locator('.measures').first().waitFor();
  assert.equal(fake.calls.all.length, 2);
  const [measuredAgain] = await readStored(service.url);
  const opened = await openPage(t, browser);
  await opened.goto(`${service.url}/r/${measuredAgain?.id}`);
  await opened.getByRole('link', { name: 'Compare with the previous result' }).click();
  await opened.locator('.measures').first().waitFor();
  const permalink = page.url();
  await page.goto(permalink);
  await page.locator('.change-verdict .verdict').waitFor();
  assert.deepEqual(page.faults, []);
});

test('on a phone, the result does not move when the verdict of the comparison arrives', async t => {
  const held = Promise.withResolvers<void>();
  const { url: base } = await startStubService(t, call => {
    if (call.path === '/compare-results') return void held.promise.then(() => call.json(buildUndecided()));
    const isAgain = call.headers['cache-control'] === 'no-cache';
    call.json({ ...buildLocalResult({ url }), id: idOfSide(isAgain ? 'after' : 'before') });
  });
  const page = await openPage(t, browser, { viewport: { width: 360, height: 740 } });
  await page.goto(`${base}/?${new URLSearchParams({ url, backend: 'local' })}`);
  await page.getByRole('button', { name: 'Measure again' }).click();
  await page.getByText('Comparing …').waitFor();
  const before = await page.locator('.column').boundingBox();
  held.resolve();
  await page.locator('.change-note strong').waitFor();
  assert.deepEqual(await page.locator('.column').boundingBox(), before);
});
