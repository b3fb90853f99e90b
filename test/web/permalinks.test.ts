/** The address after a run leads to its result, in any browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { openPage, startBrowser } from './browser.ts';

const browser = await startBrowser({ after });
const fake = await startFakePsi({ after });
const service = await startService({ after }, { DATA_DIR: makeScratchFolder({ after }), PSI_ENDPOINT: fake.endpoint });

const addressOf = (url: string, strategy: string) =>
  `${service.url}/?${new URLSearchParams({ url, backend: 'remote', strategy })}`;
const idsIn = (address: string) => new URL(address).searchParams.get('result')?.split(',') ?? [];

for (const [strategy, count] of [
  ['mobile', 1],
  ['both', 2],
] as const)
  test(`${strategy}: the address after a run shows the same to a colleague, and its report, without a measurement`, async t => {
    const url = `https://harbour.example/${strategy}`;
    const page = await openPage(t, browser);
    await page.goto(addressOf(url, strategy));
    await page.getByRole('heading', { name: `Result for ${url}` }).waitFor();
    await page.waitForURL(/result=/);
    const permalink = page.url();
    assert.equal(idsIn(permalink).length, count);
    const shown = await page.locator('#outcome').innerText();
    const calls = fake.calls.all.length;
    await fetch(`${service.url}/cache/clear`, { method: 'POST' });

    const colleague = await openPage(t, browser);
    await colleague.goto(permalink);
    await colleague.getByRole('heading', { name: `Result for ${url}` }).waitFor();
    const withoutCache = (text: string) => text.replaceAll(/from the cache.*|just now/gi, '');
    assert.equal(withoutCache(await colleague.locator('#outcome').innerText()), withoutCache(shown));
    const links = colleague.getByRole('link', { name: /^HTML report/ });
    assert.equal(await links.count(), count);
    for (const link of await links.all()) {
      const report = await fetch(new URL((await link.getAttribute('href')) ?? '', service.url));
      assert.deepEqual([report.status, report.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    }
    assert.equal(fake.calls.all.length, calls, 'nothing was measured');
    assert.deepEqual([...page.faults, ...colleague.faults], []);
  });

test('a result that is gone says so, and is measured again with a click', async t => {
  const url = 'https://harbour.example/gone';
  const page = await openPage(t, browser);
  await page.goto(`${addressOf(url, 'mobile')}&result=01a201e3-ac0c-7234-9a1b-bd2e414329fe`);
  await page.getByText('Result not found').waitFor();
  const calls = fake.calls.all.length;
  await page.getByRole('button', { name: 'Measure again' }).click();
  await page.getByRole('heading', { name: `Result for ${url}` }).waitFor();
  assert.equal(fake.calls.all.length, calls + 1);
  await page.waitForURL(address => idsIn(`${address}`).length === 1 && !`${address}`.includes('01a201e3-ac0c'));
});

test('a step back leads to the result of before, also after a reload', async t => {
  const [first, second] = ['https://harbour.example/first', 'https://harbour.example/second'];
  const page = await openPage(t, browser);
  await page.goto(addressOf(first, 'mobile'));
  await page.waitForURL(/result=/);
  const permalink = page.url();
  await page.getByLabel('Address of the page').fill(second);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `Result for ${second}` }).waitFor();
  await page.waitForURL(address => address.searchParams.get('url') === second && address.searchParams.has('result'));
  const calls = fake.calls.all.length;
  await page.reload();
  await page.getByRole('heading', { name: `Result for ${second}` }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: `Result for ${first}` }).waitFor();
  assert.equal(page.url(), permalink);
  assert.equal(fake.calls.all.length, calls, 'nothing was measured');
});
