/** The page in Firefox, by WebDriver BiDi: the main tasks, and every state at two widths. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { buildProblem, buildResult } from './reports.ts';
import { stateNames, states } from './states.ts';
import { type StubCall, startStubService } from './stub-service.ts';

function findFirefox(): string | undefined {
  const { FIREFOX_PATH, PATH = '' } = process.env;
  if (FIREFOX_PATH) return FIREFOX_PATH;
  const places = PATH.split(delimiter).flatMap(folder => ['firefox', 'firefox-esr'].map(name => join(folder, name)));
  return places.find(place => existsSync(place));
}

const executablePath = findFirefox();
const skip = executablePath
  ? false
  : 'There is no Firefox on this machine: install one (Debian: firefox-esr), or set FIREFOX_PATH';

const schemes = { dark: 0, light: 1 } as const;

async function startFirefox(scope: Scope, scheme: keyof typeof schemes): Promise<Browser> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: executablePath ?? '',
    headless: true,
    extraPrefsFirefox: { 'layout.css.prefers-color-scheme.content-override': schemes[scheme] },
  });
  scope.after(() => browser.close());
  return browser;
}

const light = skip ? undefined : await startFirefox({ after }, 'light');

/** Opens a page that records script errors, console errors and policy violations. */
async function openIn(scope: Scope, browser: Browser | undefined, address: string, width = 1280) {
  if (!browser) throw new Error('The browser has not been started');
  const page = await browser.newPage();
  scope.after(async () => {
    if (!page.isClosed()) await page.close();
  });
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(`${error}`));
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.evaluateOnNewDocument(
    `window.refused = []; addEventListener('securitypolicyviolation', event => refused.push(event.effectiveDirective));`,
  );
  await page.setViewport({ width, height: 900 });
  await page.goto(address);
  const assertNoFault = async (): Promise<void> =>
    assert.deepEqual([faults, await page.evaluate('window.refused')], [[], []]);
  return { page, assertNoFault };
}

const untilText = (page: Page, selector: string, text: string) =>
  page.waitForFunction(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].some(element => element.textContent.replaceAll(/\\s+/g, ' ').includes(${JSON.stringify(text)}))`,
  );
const click = (page: Page, selector: string, text: string) =>
  page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].find(element => element.textContent.includes(${JSON.stringify(text)})).click()`,
  );
const press = async (page: Page, ...keys: Parameters<Page['keyboard']['press']>[0][]) => {
  for (const key of keys) await page.keyboard.press(key);
};

const url = 'https://harbour.example/';

test('a page is measured by keyboard alone, and its result is reached', { skip }, async t => {
  const { url: base, calls } = await startStubService(t, call => call.json(buildResult({ url })));
  const { page, assertNoFault } = await openIn(t, light, base);
  await press(page, 'Tab', 'Tab', 'Tab', 'Tab');
  await page.keyboard.type('harbour.example');
  // Tab stops: Measure, the site's pages, the source, the device.
  await press(page, 'Tab', 'Tab', 'Tab', 'Tab', 'ArrowRight', 'Enter');
  await untilText(page, 'h2', 'Result for');
  assert.deepEqual([calls.all[0]?.path, calls.all[0]?.params.get('strategy')], ['/lighthouse', 'desktop']);
  assert.equal(new URL(page.url()).searchParams.get('strategy'), 'desktop');
  await page.focus('.skip');
  await press(page, 'Enter', 'Tab');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Measure again');
  assert.equal(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid');
  await assertNoFault();
});

test('the focus moves to the result when the focused element is gone', { skip }, async t => {
  const { url: base, calls } = await startStubService(t, () => {});
  const { page, assertNoFault } = await openIn(t, light, `${base}/?${new URLSearchParams({ url, backend: 'local' })}`);
  const [call] = await calls.waitFor(1);
  await page.focus('.progress-tools button');
  call?.event('result', buildResult({ url }));
  await untilText(page, 'h2:focus', 'Result for');
  await assertNoFault();
});

test('the details of a result show pictures, requests by keyboard, areas, third parties', { skip }, async t => {
  const { url: base } = await startStubService(t, states.loadDetails.answer);
  const { page, assertNoFault } = await openIn(t, light, `${base}${states.loadDetails.address}`);
  await page.waitForSelector('.load-details .part');
  await page.evaluate(`for (const summary of document.querySelectorAll('.part > summary')) summary.click()`);
  await page.waitForSelector('[aria-label="Third parties"]');
  const shown = `[...document.querySelectorAll('.large img')].filter(image => image.checkVisibility()).map(image => image.alt)`;
  const [last] = (await page.evaluate(shown)) as string[];
  await page.focus('.filmstrip input:checked');
  await press(page, 'ArrowLeft');
  const earlier = (await page.evaluate(shown)) as string[];
  assert.equal(earlier.length, 1);
  assert.notEqual(earlier[0], last);
  await page.focus('button.request');
  await press(page, 'ArrowDown', 'Enter');
  await untilText(page, '.request-facts', 'harbour.css');
  await page.type('.load-details input[type=search]', 'pixel.gif');
  await page.waitForFunction(`document.querySelectorAll('.request-name').length === 1`);
  assert.ok(Number(await page.evaluate(`document.querySelectorAll('.treemap .tile').length`)) > 1);
  await assertNoFault();
});

test('a list is searched, filtered and sorted while it runs, and shown again after a reload', { skip }, async t => {
  const names = ['a', 'b', 'c'];
  const { url: base, calls } = await startStubService(t, () => {});
  const query = new URLSearchParams(names.map((name): [string, string] => ['url', `${name}.example`]));
  const { page, assertNoFault } = await openIn(t, light, `${base}/?${query}&backend=remote`);
  const [call] = await calls.waitFor(1);
  const shown = async () =>
    (
      (await page.evaluate(
        `[...document.querySelectorAll('table.batch tbody a')].map(link => link.textContent.slice(8, 9))`,
      )) as string[]
    ).join('');
  call?.line({ index: 0, ...buildResult({ url: 'https://a.example/', scores: { performance: 40, seo: 90 } }) });
  call?.line({ index: 2, ...buildResult({ url: 'https://c.example/', scores: { performance: 90, seo: 20 } }) });
  await untilText(page, 'h2', '2 of 3 pages');
  await click(page, 'button.sort', 'SEO');
  assert.equal(await shown(), 'cab');
  await page.type('input[type=search]', 'a.ex');
  assert.equal(await shown(), 'a');
  await press(page, 'Backspace', 'Backspace', 'Backspace', 'Backspace');
  await click(page, 'button.chip', 'With a poor score');
  assert.equal(await shown(), 'ca');
  await click(page, 'button.chip', 'All');
  call?.line({ index: 1, url: 'https://b.example/', error: buildProblem({ source: 'psi' }) });
  call?.line({ total: 3, succeeded: 2, failed: 1 });
  call?.end();
  await untilText(page, 'h2', 'Measured 3 of 3 pages, 1 failed');
  assert.equal(await shown(), 'cab');
  await page.reload();
  await untilText(page, '.progress p', 'This service stores no results');
  assert.equal(calls.all.length, 1, 'nothing is measured again');
  await assertNoFault();
});

test('with a key, a stored list shows its results, and a result can be saved as a file', { skip }, async t => {
  const fake = await startFakePsi(t);
  const key = 'a-key-of-the-service-0123456789';
  const settings = { DATA_DIR: makeScratchFolder(t), PSI_ENDPOINT: fake.endpoint, API_KEYS: key };
  const service = await startService(t, settings);
  const query = `url=${encodeURIComponent(url)}&url=${encodeURIComponent(`${url}tides`)}&backend=remote&strategy=mobile`;
  const { page, assertNoFault } = await openIn(t, light, `${service.url}/?${query}`);
  await page.waitForSelector('#key');
  await page.type('#key', key);
  await press(page, 'Enter');
  await untilText(page, 'h2', 'Measured 2 of 2 pages');
  await page.reload();
  await untilText(page, 'h2', 'Measured before: 2 of 2 pages');
  assert.equal(fake.calls.all.length, 2);
  await click(page, 'table.batch tbody a', url);
  await untilText(page, 'h2', 'Result for');
  await untilText(page, 'button', 'Save: HTML report');
  await assertNoFault();
});

test('points of a history are stepped through and selected', { skip }, async t => {
  const { url: base } = await startStubService(t, states.history.answer);
  const { page, assertNoFault } = await openIn(t, light, `${base}${states.history.address}`);
  await page.waitForSelector('.chart a');
  await page.evaluate(`document.querySelector('.chart a').focus()`);
  await page.keyboard.down('Shift');
  await press(page, 'Enter');
  await page.keyboard.up('Shift');
  await press(page, 'ArrowRight');
  await page.keyboard.down('Shift');
  await press(page, 'Enter');
  await page.keyboard.up('Shift');
  await untilText(page, '.marked a:focus', 'Compare the two marked results');
  await assertNoFault();
});

test('dark and light mode follow the system', { skip }, async t => {
  const dark = await startFirefox(t, 'dark');
  const { url: base } = await startStubService(t, states.result.answer);
  const colours = await Promise.all(
    [light, dark].map(async browser => {
      const { page, assertNoFault } = await openIn(t, browser, `${base}${states.result.address}`);
      await page.waitForSelector(states.result.shows);
      await assertNoFault();
      return page.evaluate(`[document.body, document.querySelector('.sheet'), document.querySelector('.verdict')]
        .map(element => (({ backgroundColor, color }) => backgroundColor + color)(getComputedStyle(element)))`);
    }),
  );
  const [inLight, inDark] = colours as string[][];
  assert.ok(
    inLight?.every((colour, at) => colour !== inDark?.[at]),
    JSON.stringify(colours),
  );
});

/** States that need an action first are skipped, because the actions are written for Playwright. */
const atRest = stateNames.filter(name => !('act' in states[name]));

test('no state scrolls horizontally at 360 or 1280 px, and none has a fault', { skip }, async t => {
  let answer: (call: StubCall) => void = () => {};
  const settings = { DATA_DIR: makeScratchFolder(t) };
  const [plain, keeping] = await Promise.all([{}, settings].map(own => startStubService(t, call => answer(call), own)));
  const wide: string[] = [];
  for (const name of atRest)
    for (const width of [360, 1280]) {
      const state = states[name];
      answer = state.answer;
      const base = ('keeps' in state ? keeping : plain)?.url;
      const { page, assertNoFault } = await openIn(t, light, `${base}${state.address}`, width);
      const [selector = ''] = state.shows.split(' >> ');
      if (!/[:]has-text|^text=/.test(selector)) await page.waitForSelector(selector);
      const over = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      if (over > 0) wide.push(`${name} at ${width}: ${over} px`);
      await assertNoFault();
      await page.close();
    }
  assert.deepEqual(wide, []);
});
