/** Private pages and staging hosts: the form, its faults, and pages that are watched under the same conditions. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ScheduleList } from '../../src/contract/jobs/schedule.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';
import { openPage, startBrowser } from './browser.ts';
import { answerHome } from './home-answers.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });
/** A real load takes its time. */
const patience = { timeout: 100_000 };
const viewports = [360, 1280].map(width => ({ width, height: 800 }));

for (const viewport of viewports)
  test(`${viewport.width} px: a fault of the conditions is at its field, of the service, too`, async t => {
    const { url, calls } = await startStubService(t, call =>
      call.path === '/sites'
        ? answerHome(call)
        : call.json(
            {
              detail: [
                { loc: ['body', 'hosts', 'a.example'], msg: 'Value error, the address is wrong', type: 'value_error' },
              ],
            },
            422,
          ),
    );
    const page = await openPage(t, browser, { viewport });
    await page.goto(url);
    const measure = page.getByRole('button', { name: 'Measure', exact: true });
    const active = 'document.activeElement';
    const focused = () =>
      page.evaluate<[string, string]>(`[${active}.id || ${active}.value, ${active}.validationMessage]`);
    await page.getByLabel('Page URL').fill('https://a.example/');
    await page.getByText('Private page or staging').click();
    const [hosts, block, state] = [/^Hosts/, /^Blocked/, /^Login/].map(name => page.getByLabel(name));
    await hosts?.fill('a.example');
    await measure.click();
    assert.deepEqual(await focused(), ['hosts', 'Write NAME=ADDRESS, such as www.example.com=10.0.0.5:8443.']);
    await hosts?.fill('');
    await state?.setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
    await page.waitForFunction(`document.querySelector('#state').validationMessage.includes('not')`);
    await measure.click();
    assert.deepEqual(await focused(), ['state', 'This file is not a storage state of Playwright.']);
    await state?.setInputFiles([]);
    await block?.fill('*/ads.js');
    await page.getByRole('radio', { name: 'PSI settings' }).check();
    await measure.click();
    assert.deepEqual(await focused(), ['remote', 'Local or Compare measures a private page or a staging host.']);
    await page.getByRole('radio', { name: 'Local' }).check();
    await hosts?.fill('a.example=wrong:99999');
    await measure.click();
    const sent = await calls.waitFor(1);
    assert.ok(sent.length > 0);
    await page.getByText('At fault: the request').waitFor();
    assert.deepEqual(await focused(), ['hosts', 'Value error, the address is wrong']);
    assert.equal(await page.locator('.unfold').isVisible(), false);
    assert.ok((await page.evaluate('document.documentElement.scrollWidth')) === viewport.width);
    await hosts?.fill('a.example=10.0.0.5');
    assert.deepEqual(await focused(), ['hosts', '']);
    assert.deepEqual(page.faults, []);
  });

test('a page under conditions is measured, watched and reopened under them, or the reason why not is shown', async t => {
  const site = await startLocalServer(t, (_, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end('<title>Harbour</title><h1>Harbour</h1><script src="ads.js"></script>');
  });
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t) });
  const page = await openPage(t, browser);
  await page.goto(service.url);
  await page.getByLabel('Page URL').fill(site.url);
  for (const name of ['Performance', 'Accessibility', 'Best practices']) await page.getByLabel(name).uncheck();
  await page.getByText('Private page or staging').click();
  await page.getByLabel(/^Blocked/).fill('*/ads.js');
  await page.keyboard.press('Enter');
  await page.locator('.verdict').waitFor(patience);
  await page.getByRole('link', { name: 'Watch this page' }).click();
  await page.getByText('As measured: */ads.js blocked (1 request)').waitFor();
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.getByText(/every day at 3:00 .* under block-/).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Watch', exact: true }).isVisible(), false);
  const { schedules } = (await (await fetch(`${service.url}/schedules`)).json()) as ScheduleList;
  assert.match(schedules[0]?.conditions ?? '', /^block-/);
  await page.getByRole('link', { name: 'Sites' }).click();
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('link', { name: /^Watched: next/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: / history$/ }).click();
  await page.locator('.history .notice').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Measure again' }).isVisible(), false);

  const body = JSON.stringify({ url: site.url, categories: ['seo'], access: { headers: { 'x-staff': 'a-secret' } } });
  const headers = { 'content-type': 'application/json' };
  const measured = await fetch(`${service.url}/lighthouse`, { method: 'POST', headers, body });
  const { id } = (await measured.json()) as { id: string };
  await page.goto(`${service.url}/r/${id}`);
  await page.getByRole('link', { name: 'Watch this page' }).click();
  await page.getByText(/cannot be watched from here\. Its access is not stored/).waitFor();
  assert.deepEqual(page.faults, []);
});
