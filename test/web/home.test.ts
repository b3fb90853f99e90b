/** Views of all pages: search, schedules and running jobs, with a real service and with a stub. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import type { JobFacts, JobPage } from '../../src/contract/jobs/job.ts';
import type { ScheduleList } from '../../src/contract/jobs/schedule.ts';
import type { SitePage } from '../../src/contract/stored/sites.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { openPage, startBrowser } from './browser.ts';
import { answerHome, sitePage } from './home-answers.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });

test('stored pages are on the start page, and are not requested if nothing is stored', async t => {
  const { page } = await openState(t, browser, 'recent');
  assert.equal(await page.locator('.site-page').count(), 3);
  const [first] = await page.locator('.site').allInnerTexts();
  assert.match(first ?? '', /^harbour\.example/);
  const row = await page.locator('.site-page').first().innerText();
  assert.match(
    row.replaceAll(/\s+/g, ' '),
    /^\/ .*mobile.* 72.* 70–74 .*3\.1 s.* 240 ms.* 0\.02.* Worse since Nov 14: 92 → 73/,
  );
  assert.equal(await page.getByRole('button', { name: 'Measure', exact: true }).isVisible(), true);
  const { url: base, calls } = await startStubService(t, () => {});
  const other = await openPage(t, browser);
  await other.goto(base);
  await other.getByLabel('Page URL').fill('https://harbour.example/');
  await other.keyboard.press('Enter');
  const [call] = await calls.waitFor(1);
  assert.equal(call?.path, '/lighthouse');
});

test('a page with only failures is listed, a disturbed score is marked, and a change leads to its comparison', async t => {
  const { page } = await openState(t, browser, 'sites');
  await page.getByText('page unreachable').waitFor();
  await page.locator('.site-page', { hasText: 'rather-long' }).getByText('disturbed').waitFor();
  const compare = page.getByRole('link', { name: /^Compare before and after/ });
  assert.match((await compare.getAttribute('href')) ?? '', /before=.{36}&after=.{36}/);
  await page.getByRole('searchbox').fill('down');
  await page.locator('.site').nth(1).waitFor({ state: 'detached' });
  assert.equal(await page.locator('.site-page').count(), 1);
  await page.reload();
  await page.locator('.site-page').waitFor();
  assert.equal(await page.getByRole('searchbox').inputValue(), 'down');
  assert.equal(await page.locator('.site-page').count(), 1);
  assert.deepEqual(page.faults, []);
});

test('the operator sees slots, queue, store and back-off', async t => {
  const { page } = await openState(t, browser, 'status');
  assert.deepEqual(await page.locator('nav [aria-current=page]').allInnerTexts(), ['Status']);
  const text = await page.locator('.status-facts').innerText();
  for (const words of ['1 of 2 slots in use, 4 in the queue', '10,000 in sqlite', 'throttled', '13.5.0'])
    assert.ok(text.includes(words), text);
});

test('a status that cannot be read again says so until it can', async t => {
  const { page } = await openState(t, browser, 'status');
  await page.route('**/health', route => route.abort('connectionrefused'));
  const failure = page.getByRole('heading', { name: 'The service cannot be reached' });
  await failure.waitFor();
  await page.unroute('**/health');
  await failure.waitFor({ state: 'detached' });
  assert.ok(await page.locator('.status-facts').isVisible());
});

test('the operator of a fleet sees each instance, and the reason why there is no browser', async t => {
  const { page } = await openState(t, browser, 'statusFleet');
  const rows = await page.getByRole('group', { name: 'Instances' }).locator('tbody tr').allInnerTexts();
  assert.deepEqual(
    rows.map(row => row.replace(/\s+/g, ' ').trim()),
    [
      'front-1 api, version 2.0.0 –',
      'worker-with-a-rather-long-name-7f9c4d5b8-x2x9q worker, version 2.0.0 4 of 4',
      'unknown host worker, version 1.9.0 2 of 4',
    ],
  );
  assert.match(await page.locator('.status-facts').innerText(), /not available\. No browser was found\./);
});

test('a job with a failed callback shows it, with the reason', async t => {
  const { page } = await openState(t, browser, 'callbackFailed');
  await page.getByText('Callback failed after 12 attempts: HTTP 500').waitFor();
});

test('the pages of an opened job follow it to its end', async t => {
  const now = { page: 'running', job: 'running' };
  const { url } = await startStubService(t, call => {
    const stub: Parameters<typeof answerHome>[0] = {
      ...call,
      json: body => {
        const { jobs, pages } = body as { jobs?: JobFacts[]; pages?: JobPage[] };
        const [job] = jobs ?? [];
        if (job) call.json({ jobs: [{ ...job, state: now.job }] });
        else if (pages) call.json({ ...(body as object), state: now.page, pages: [{ ...pages[2], state: now.page }] });
        else call.json(body);
      },
    };
    answerHome(stub);
  });
  const page = await openPage(t, browser);
  await page.goto(`${url}/?view=schedules`);
  await page.locator('.job details summary').click();
  await page.locator('.job-pages').getByText('running').waitFor();
  // The list may say that the job has ended before its pages do.
  now.job = 'succeeded';
  await page.locator('.job strong', { hasText: 'succeeded' }).waitFor();
  now.page = 'succeeded';
  await page.locator('.job-pages').getByText('succeeded').waitFor();
  assert.deepEqual(page.faults, []);
});

test('with a real service: a page is scheduled with one click, run now, paused and removed, and its job is cancelled or read', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t), PSI_ENDPOINT: fake.endpoint });
  const measured = await fetch(`${service.url}/psi?url=https://harbour.example/&strategy=mobile`);
  assert.equal(measured.status, 200);
  const page = await openPage(t, browser);
  await page.goto(`${service.url}/?view=sites`);
  const actions = page.getByRole('button', { name: /^Actions for https:\/\/harbour\.example/ });
  await actions.click();
  await page.getByRole('link', { name: 'Watch', exact: true }).click();
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.getByText('every day at 3:00').waitFor();
  await page.getByRole('link', { name: 'Sites' }).click();
  await actions.click();
  await page.getByRole('link', { name: /^Watched: next / }).waitFor();
  await page.getByRole('link', { name: 'Schedules' }).click();
  await page.getByRole('button', { name: /^Run now/ }).click();
  await page.locator('.job', { hasText: 'of a schedule' }).getByText('succeeded').waitFor();
  await page.locator('.job details summary').first().click();
  await page.locator('.job-pages a').waitFor();
  await page.getByRole('button', { name: /^Pause/ }).click();
  await page.getByRole('button', { name: /^Resume/ }).waitFor();
  page.once('dialog', dialog => dialog.accept());
  await page.getByRole('button', { name: /^Remove/ }).click();
  await page.getByText('No page is watched yet.').waitFor();
  await page.locator('.job-pages a').click();
  await page.locator('.verdict').waitFor();
  assert.deepEqual(page.faults, []);
});

test('a menu closes on Escape and on a click elsewhere, and deletes the results of its page', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t), PSI_ENDPOINT: fake.endpoint });
  for (const name of ['first', 'second'])
    await fetch(`${service.url}/psi?url=https://harbour.example/${name}&strategy=mobile`);
  const page = await openPage(t, browser);
  await page.goto(`${service.url}/?view=sites`);
  const actions = page.getByRole('button', { name: /^Actions for .*first/ });
  const menu = page.locator('.row-menu:popover-open');
  for (const close of [() => page.keyboard.press('Escape'), () => page.mouse.click(5, 5)]) {
    await actions.click();
    await menu.waitFor();
    await close();
    await menu.waitFor({ state: 'detached' });
  }
  // Scrolled or not, it is below its button.
  await page.evaluate('document.querySelector("main").style.paddingBlock = "2000px"');
  await actions.scrollIntoViewIfNeeded();
  await actions.click();
  const [button, opened] = [await actions.boundingBox(), await menu.boundingBox()];
  assert.ok(button && opened && Math.abs(opened.y - button.y) < 200, `${opened?.y} and ${button?.y}`);
  const asked = page.waitForEvent('dialog');
  await Promise.all([
    asked.then(dialog => {
      assert.match(dialog.message(), /^Delete everything stored of http\S+first\S*\n.+, mobile: \d+ results?$/);
      return dialog.accept();
    }),
    menu.getByText('Delete results').click(),
  ]);
  await menu.waitFor({ state: 'detached' });
  await page.locator('.site-page', { hasText: 'first' }).waitFor({ state: 'detached' });
  assert.equal(await page.locator('.site-page', { hasText: 'second' }).count(), 1);
  assert.deepEqual(page.faults, []);
});

test('pages of a template are one line with their median and worst, which opens; headers sort', async t => {
  const pages = Array.from({ length: 30 }, (_, at) =>
    sitePage({
      url:
        at < 12
          ? `https://harbour.example/berths/${1000 + at}`
          : `https://harbour.example/${String.fromCharCode(85 + at)}`,
      last: { ...(sitePage().last as NonNullable<SitePage['last']>), performance: 20 + at },
      change: null,
    }),
  );
  const { url } = await startStubService(t, call =>
    call.json(call.path === '/sites' ? { pages, is_complete: true } : { schedules: [] }),
  );
  const page = await openPage(t, browser, { viewport: { width: 1280, height: 800 } });
  await page.goto(`${url}/?view=sites`);
  const template = page.locator('.template', { hasText: '/berths/*' });
  assert.match((await template.innerText()).replaceAll(/\s+/g, ' '), /12 pages, median.* 26.* worst 20/);
  assert.equal(await page.locator('.site-page', { hasText: 'berths/1003' }).count(), 0);
  await template.getByRole('button').click();
  await page.locator('.site-page', { hasText: 'berths/1003' }).waitFor();
  await page.getByRole('button', { name: 'Performance' }).click();
  assert.match(await page.locator('.site-page').first().innerText(), /berths/);
  await page.getByRole('button', { name: 'Performance' }).click();
  assert.match(await page.locator('.site-page').first().innerText(), /\/r/);
  await page.evaluate('document.querySelector(".sites").scrollIntoView()');
  const rows = page.locator('.site-page');
  const boxes = await Promise.all((await rows.all()).slice(0, 30).map(row => row.boundingBox()));
  assert.ok(boxes.filter(box => box && box.y >= 0 && box.y + box.height <= 800).length >= 20);
  assert.ok(boxes.every(box => box && box.height <= 37));
  assert.deepEqual(page.faults, []);
});

test('a list of pages is watched at an hour of a time zone, with a webhook that is tested first', async t => {
  const fake = await startFakePsi(t);
  const received: string[] = [];
  const bodies: string[] = [];
  const receiver = createServer((request, response) => {
    received.push(`${request.headers['webhook-signature']}`);
    text(request).then(body => bodies.push(body));
    response.writeHead(received.length > 1 ? 204 : 500).end();
  });
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
  t.after(() => receiver.close());
  const service = await startService(t, {
    DATA_DIR: makeScratchFolder(t),
    PSI_ENDPOINT: fake.endpoint,
    CALLBACK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  });
  const page = await openPage(t, browser, { timezoneId: 'Europe/Berlin' });
  const query = new URLSearchParams([
    ...[1, 2, 3].map((at): [string, string] => ['url', `https://harbour.example/${at}`]),
  ]);
  await page.goto(`${service.url}/?${query}&backend=remote&strategy=mobile`);
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.locator('select[name=hour]').selectOption('4');
  const rhythms = await page.getByLabel('How often').locator('option').allTextContents();
  assert.deepEqual(rhythms, ['every hour', 'every 6 hours', 'every day', 'every Monday']);
  const zone = page.getByLabel('Time zone');
  const faultOf = (field: typeof zone) =>
    field.evaluate((input: { validationMessage?: string }) => input.validationMessage ?? '');
  await zone.fill('Munich');
  await zone.blur();
  assert.match(await faultOf(zone), /such as Europe\/Berlin/);
  for (const entered of ['europe/berlin', 'berlin']) {
    await zone.fill(entered);
    await zone.blur();
    assert.deepEqual([await faultOf(zone), await zone.inputValue()], ['', 'Europe/Berlin']);
  }
  const { port } = receiver.address() as AddressInfo;
  await page.getByLabel('Webhook URL').fill(`127.0.0.1:${port}/hook`);
  const test = page.getByRole('button', { name: 'Test the webhook' });
  await test.click();
  await page.getByText('The test failed: HTTP 500.').waitFor();
  await page.getByLabel('Format').selectOption('Text');
  await test.click();
  await page.getByText('The webhook accepted the test.').waitFor();
  assert.match(received[0] ?? '', /^v1,/);
  assert.equal(bodies[1], `Rangelight reaches this webhook.\n${service.url}/?view=schedules`);
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.getByText('every day at 4:00 (Europe/Berlin)').waitFor();
  await page.locator('.job', { hasText: 'https://harbour.example/1 and 2 more' }).first().waitFor();
  const { schedules } = (await (await fetch(`${service.url}/schedules`)).json()) as ScheduleList;
  assert.deepEqual([schedules[0]?.cron, schedules[0]?.timezone], ['0 4 * * *', 'Europe/Berlin']);
  assert.deepEqual(page.faults, []);
});

test('a single measurement is not among the jobs, a list is, with its first URL', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t), PSI_ENDPOINT: fake.endpoint });
  const headers = { prefer: 'respond-async', 'content-type': 'application/json' };
  const urls = [1, 2].map(at => `https://harbour.example/${at}`);
  for (const body of [{ url: 'https://alone.example/' }, { urls }])
    await fetch(`${service.url}/psi`, { method: 'POST', headers, body: JSON.stringify(body) });
  const page = await openPage(t, browser);
  await page.goto(`${service.url}/?view=schedules`);
  await page.locator('.job', { hasText: 'https://harbour.example/1 and 1 more' }).waitFor();
  assert.equal(await page.locator('.job').count(), 1);
});
