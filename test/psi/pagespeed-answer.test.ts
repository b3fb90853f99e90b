/** How the PSI v5 endpoint formats a Lighthouse result, row by row, from real audits. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { generateReport } from 'lighthouse';
import { findBrowser } from '../../src/measure/lighthouse/browser/find-browser.ts';
import { endBrowser, launchBrowser } from '../../src/measure/lighthouse/worker/browser.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { psiAnswerSchema } from '../support/analysers/psi-v5-schema.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { usualAudits } from '../support/audits/quick-audits.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';

type LighthouseResult = Parameters<typeof generateReport>[0];
type Fields = Record<string, unknown>;
type Details = { type: string; items: Fields[]; data: string };
type Audit = { id: string; title: string; score: number | null; scoreDisplayMode: string; details?: Details };
type Category = { title: string; score: number; categoryScoreDisplayMode?: string; auditRefs: Fields[] };
type Answer = {
  id: string;
  loadingExperience: Fields;
  lighthouseResult: Record<'environment' | 'configSettings' | 'categoryGroups' | 'timing', Fields> & {
    requestedUrl: string;
    finalUrl: string;
    fetchTime: string;
    runWarnings: string[];
    audits: Record<string, Audit>;
    categories: Record<string, Category>;
    fullPageScreenshot: { screenshot: { data: string; width: number; height: number }; nodes: Fields };
  };
  analysisUTCTimestamp: string;
};

const pages = await startPages({ after });
const service = await startService({ after }, {}, undefined, { audits: usualAudits });
const run = async (path: string, query: Parameters<typeof withQuery>[1]) => {
  const target = withQuery('/pagespeedonline/v5/runPagespeed', { url: `${pages.url}${path}`, ...query });
  const { status, body, text } = await ask<Answer>(service, target);
  assert.equal(status, 200, text.slice(0, 500));
  return { body, text };
};

const allFour = ['performance', 'accessibility', 'best-practices', 'seo'];
const [whole, redirected] = await Promise.all([
  run('/faulty', { strategy: 'mobile', category: allFour, locale: 'en_US' }),
  run('/redirect#part', { category: ['SEO', 'AGENTIC_BROWSING', 'PWA'], locale: 'de_DE' }),
]);
const [failing, unsaid] = await Promise.all([
  run('/503', { category: 'seo', locale: 'xx_YY' }),
  run('/good', { strategy: 'mobile' }),
]);
const answers = { whole, redirected, failing, unsaid };
const { lighthouseResult: result } = whole.body;

const ajv = new Ajv2020({ allErrors: true, strict: true });
const validate = ajv.compile(psiAnswerSchema);
const faultsOf = (body: unknown) => (validate(body) ? [] : (validate.errors ?? [])).slice(0, 5);

for (const [name, { body }] of Object.entries(answers))
  test(`the answer "${name}" has the keys of v5, and no other`, () => {
    assert.deepEqual(faultsOf(body), []);
  });

test('the schema detects additional, missing and empty fields', () => {
  const spoil = (change: (lighthouseResult: Fields) => void): unknown => {
    const copy = structuredClone(whole.body);
    change(copy.lighthouseResult as unknown as Fields);
    return copy;
  };
  assert.notDeepEqual(faultsOf({ ...whole.body, more: 1 }), []);
  assert.notDeepEqual(faultsOf(spoil(lhr => Object.assign(lhr, { gatherMode: 'navigation' }))), []);
  assert.notDeepEqual(faultsOf(spoil(lhr => Reflect.deleteProperty(lhr, 'timing'))), []);
  assert.notDeepEqual(faultsOf(spoil(lhr => Object.assign(lhr, { userAgent: '' }))), []);
});

for (const name of ['mobile-field-full.json', 'desktop-basic.json'])
  test(`the recorded ${name} matches the same schema`, t => {
    const file = new URL(`../../../shared/data/psi-responses/${name}`, import.meta.url);
    if (!existsSync(file)) return t.skip('skipped: there are no recorded responses next to this project');
    assert.deepEqual(faultsOf(JSON.parse(readFileSync(file, 'utf8'))), []);
  });

test('id and initial_url are the final page; requestedUrl is the requested one, with its fragment', () => {
  const { id, loadingExperience, lighthouseResult } = redirected.body;
  assert.equal(id, `${pages.url}/good#part`);
  assert.equal(lighthouseResult.requestedUrl, `${pages.url}/redirect#part`);
  assert.equal(lighthouseResult.finalUrl, `${pages.url}/good`);
  assert.deepEqual(loadingExperience, { initial_url: id });
});

test('configSettings has five keys, without throttling; onlyCategories is in the order of the request', () => {
  assert.deepEqual(result.configSettings, {
    emulatedFormFactor: 'mobile',
    formFactor: 'mobile',
    locale: 'en-US',
    onlyCategories: allFour,
    channel: 'lr',
  });
  assert.deepEqual(redirected.body.lighthouseResult.configSettings.onlyCategories, ['seo', 'agentic-browsing']);
});

test('categories are hyphenated, without supportedModes; an agentic one has its display mode', () => {
  assert.deepEqual(Object.keys(result.categories), allFour);
  assert.ok(!whole.text.includes('supportedModes'));
  const agentic = redirected.body.lighthouseResult.categories['agentic-browsing'];
  assert.equal(agentic?.categoryScoreDisplayMode, 'fraction');
});

test('the audit set omits the two that PSI skips, and agentic ones unless requested', () => {
  const ids = Object.keys(result.audits);
  assert.equal(ids.length, 153);
  for (const id of ['modern-http-insight', 'bf-cache', 'llms-txt']) assert.ok(!ids.includes(id), id);
  assert.ok('llms-txt' in redirected.body.lighthouseResult.audits);
});

test('categoryGroups has all groups, also of categories that were not run, except the one without a title', () => {
  for (const { body } of Object.values(answers)) {
    const groups = body.lighthouseResult.categoryGroups;
    for (const id of ['metrics', 'insights', 'a11y-aria', 'seo-crawl', 'agent-accessibility', 'webmcp'])
      assert.ok(id in groups, id);
    assert.ok(!('hidden' in groups));
  }
});

test('fullPageScreenshot is at the top level, with the width of the screen and its nodes', () => {
  const { screenshot, nodes } = unsaid.body.lighthouseResult.fullPageScreenshot;
  assert.equal(screenshot.width, 412);
  assert.ok(screenshot.height > 0 && Object.keys(nodes).length > 0);
  assert.ok(!('full-page-screenshot' in result.audits));
});

test('the filmstrip has eight pictures of the load, and the last one', () => {
  const filmstrip = result.audits['screenshot-thumbnails']?.details;
  assert.deepEqual([filmstrip?.type, filmstrip?.items.length], ['filmstrip', 8]);
  for (const item of filmstrip?.items ?? []) {
    assert.deepEqual(Object.keys(item), ['timing', 'timestamp', 'data']);
    assert.match(String(item.data), /^data:image\/jpeg;base64,/);
  }
  assert.match(result.audits['final-screenshot']?.details?.data ?? '', /^data:image\/jpeg;base64,/);
});

test("locale: Lighthouse's texts are in the requested language, or English if it has none", () => {
  const { configSettings, audits } = redirected.body.lighthouseResult;
  assert.equal(configSettings.locale, 'de');
  assert.match(audits['document-title']?.title ?? '', /Dokument/);
  assert.equal(failing.body.lighthouseResult.configSettings.locale, 'en-US');
  assert.match(failing.body.lighthouseResult.audits['document-title']?.title ?? '', /^Document/);
});

test('a page that answers 503 is measured, and the answer has a warning', () => {
  const { categories, runWarnings } = failing.body.lighthouseResult;
  assert.equal(typeof categories.seo?.score, 'number');
  assert.match(runWarnings.join(), /\(Status code: 503\)$/);
});

test('PWA is omitted, with a warning', () => {
  const { categories, runWarnings } = redirected.body.lighthouseResult;
  assert.deepEqual(Object.keys(categories).toSorted(), ['agentic-browsing', 'seo']);
  assert.match(runWarnings.join(), /The category PWA was skipped/);
  assert.equal(result.runWarnings.length, 0);
});

test('metrics have everything that clients of v5 read: value, score, text', () => {
  const { audits, categories } = unsaid.body.lighthouseResult;
  const metrics = (categories.performance?.auditRefs ?? []).filter(({ group }) => group === 'metrics');
  assert.equal(metrics.length, 5);
  for (const { id } of metrics) {
    const audit = audits[String(id)] as Audit & { displayValue?: string; numericValue?: number };
    assert.ok(audit.displayValue && typeof audit.numericValue === 'number' && audit.score !== null, String(id));
  }
  assert.ok('interactive' in audits);
});

test("Lighthouse's own report renders the result, with a gauge for each category", async t => {
  const folder = await mkdtemp(join(tmpdir(), 'rangelight-report-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { PATH, XDG_CACHE_HOME, CHROME_PATH } = process.env;
  const { system } = readSettings({ PATH, XDG_CACHE_HOME });
  const prepared = await findBrowser({ ...system, chromePath: CHROME_PATH })?.prepare();
  assert.ok(prepared);
  // The content is trusted, and nothing loads, because the default proxy does not exist.
  const { browser, page } = await launchBrowser({
    browser: { ...prepared, sandbox: false, proxyUrl: undefined },
    folder,
    scratch: folder,
  });
  t.after(() => endBrowser(browser));
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(String(error)));
  for (const { body } of [whole, redirected]) {
    await page.setContent(String(generateReport(body.lighthouseResult as unknown as LighthouseResult)));
    await page.waitForSelector('.lh-footer');
    const shown = await page.$$eval('.lh-category', categories =>
      categories.map(({ id, textContent }) => [id, /^\s*(\d+)/.exec(textContent)?.[1]] as const),
    );
    const measured = Object.entries(body.lighthouseResult.categories).map(([id, { score }]) => [id, score] as const);
    assert.deepEqual(
      shown.map(([id]) => id),
      measured.map(([id]) => id),
    );
    const gauges = shown.filter(([id]) => id !== 'agentic-browsing').map(([, gauge]) => Number(gauge));
    const scores = measured.filter(([id]) => id !== 'agentic-browsing').map(([, score]) => Math.round(score * 100));
    assert.deepEqual(gauges, scores);
  }
  assert.deepEqual(faults, []);
});
