/** The name of the remote source on the page: it depends on the configuration, from the first paint on. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { openPage, startBrowser } from './browser.ts';
import { buildLocalResult, buildProblem, buildResult } from './reports.ts';
import { comparison } from './sample-answers.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });
const fake = await startFakePsi({ after });

const url = 'https://harbour.example/';
const customHost = new URL(fake.endpoint).host;
const cases = {
  google: {
    settings: { PSI_API_KEY: 'a-key-of-google' },
    name: 'Google',
    full: 'PageSpeed Insights (Google)',
    usual: 'remote',
  },
  custom: {
    settings: { PSI_ENDPOINT: fake.endpoint },
    name: customHost,
    full: `PageSpeed Insights at ${customHost}`,
    usual: 'remote',
  },
  embedded: { settings: {}, name: 'PSI settings', full: 'this service', usual: 'local' },
} as const;

for (const [kind, { settings, name, full, usual }] of Object.entries(cases)) {
  test(`${kind}: the choice is called ${name} before any script has run, and ${usual} is selected`, async t => {
    const { url: base } = await startStubService(t, () => {}, settings);
    const page = await openPage(t, browser, { javaScriptEnabled: false });
    await page.goto(base);
    await page.locator('.switch label', { hasText: name }).waitFor();
    assert.equal(await page.locator('[name=backend]:checked').getAttribute('value'), usual);
    assert.equal(await page.getByText('Remote', { exact: true }).count(), 0);
    await page.getByRole('heading', { name }).waitFor();
  });

  test(`${kind}: a URL without a backend has the default one, and a shared link keeps its own`, async t => {
    const { url: base, calls } = await startStubService(t, call => call.json(buildResult({ url })), settings);
    const page = await openPage(t, browser);
    const paths = async (query: string) => {
      const before = calls.all.length;
      await page.goto(`${base}/?url=${encodeURIComponent(url)}${query}`);
      await page.getByText('Result for').waitFor();
      return calls.all.slice(before).map(({ path }) => path);
    };
    assert.deepEqual(await paths(''), [usual === 'local' ? '/lighthouse' : '/psi']);
    assert.deepEqual(await paths('&backend=remote'), ['/psi']);
    assert.equal(await page.getByLabel(name).isChecked(), true);
    assert.deepEqual(await paths('&backend=local'), ['/lighthouse']);
  });

  test(`${kind}: progress and failures use the name ${name}`, async t => {
    const { url: base, calls } = await startStubService(t, () => {}, settings);
    const page = await openPage(t, browser);
    await page.goto(`${base}/?${new URLSearchParams({ url, backend: 'compare' })}`);
    await page.locator('.lane', { hasText: name }).waitFor();
    const [call] = await calls.waitFor(1);
    const error = buildProblem({ code: 'psi_timeout', title: 'PSI server timed out' });
    call?.event('result', { ...comparison(), psi: { url, error }, lighthouse: buildLocalResult(), comparison: null });
    await page.getByRole('heading', { name }).waitFor();
    await page.getByText(`At fault: ${full}`).waitFor();
    assert.deepEqual(page.faults, []);
  });
}

test('a result shows which analyser measured it, whatever the current configuration', async t => {
  const { url: base } = await startStubService(t, call => call.json(comparison()));
  const page = await openPage(t, browser);
  await page.goto(`${base}/?${new URLSearchParams({ url, backend: 'compare' })}`);
  await page.locator('.compared').waitFor();
  const shown = await page.locator('#outcome').innerText();
  assert.ok(shown.includes('PageSpeed Insights (Google)'));
  assert.doesNotMatch(shown, /\bRemote\b|PSI settings|this machine, mobile/);
});
