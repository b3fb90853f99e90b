/**
 * Holds `rangelight ci` against the Lighthouse CI command: the same files, the same pages and runs, the same pass or
 * fail. `lhci collect` writes a prepared result for each run, so there is no browser.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/cli/ci/config/read-config.ts';
import { judgeRuns } from '../../src/cli/ci/judge-runs.ts';
import { toPlan } from '../../src/cli/ci/plan.ts';
import { UsageError } from '../../src/cli/input/usage-error.ts';
import { readWanted } from '../support/asking/read-wanted.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const require = createRequire(import.meta.url);
const command = require.resolve('@lhci/cli/src/cli.js');
const presetOf = (name: string) =>
  createRequire(command)(`@lhci/utils/src/presets/${name}.js`).assertions as Record<string, unknown>;

const lhci = (folder: string, ...parameters: string[]): Promise<{ status: number; output: string }> =>
  new Promise(done => {
    const env = { PATH: process.env.PATH, HOME: folder, LHCITEST_MOCK_LHR: '{}' };
    execFile(process.execPath, [command, ...parameters], { cwd: folder, env }, (error, output) =>
      done({ status: error ? Number(error.code ?? 1) : 0, output }),
    );
  });

const site = 'http://localhost:3000';

/** Values of three runs: the best is the second, the median the first, the nearest to both medians the first. */
const runs = [
  { performance: 0.8, seo: 0.92, fcp: 1500, interactive: 4000, unused: 2, tbt: 210, hero: 800, score: 0.7 },
  { performance: 0.95, seo: 0.92, fcp: 1200, interactive: 3000, unused: 0, tbt: 90, hero: 500, score: 1 },
  { performance: 0.6, seo: 0.88, fcp: 2100, interactive: 6000, unused: 5, tbt: 650, hero: 1300, score: 0.3 },
];

/** A result with every audit that Lighthouse CI knows, in which a page may end on another URL. */
function buildRun(url: string, at: number): Record<string, unknown> {
  const run = runs[at % runs.length] as (typeof runs)[number];
  const passed = Object.keys(presetOf('all')).map(id => [id, { score: 1, scoreDisplayMode: 'binary' }]);
  const list = (count: number) => ({ items: Array.from({ length: count }, () => ({})) });
  const own = {
    'first-contentful-paint': { score: run.score, numericValue: run.fcp },
    interactive: { score: run.score, numericValue: run.interactive },
    'total-blocking-time': { score: run.score, numericValue: run.tbt },
    'max-potential-fid': { score: run.score, numericValue: run.tbt },
    'bootup-time': { score: 0.5, numericValue: 900 },
    'unused-javascript': { score: run.unused === 0 ? 1 : 0, details: list(run.unused) },
    canonical: { score: null, scoreDisplayMode: 'notApplicable' },
    'structured-data': { score: null, scoreDisplayMode: 'manual' },
    'network-requests': { score: null, scoreDisplayMode: 'informative', details: list(12) },
    'image-alt': { score: at === 0 ? null : 1, scoreDisplayMode: at === 0 ? 'error' : 'binary' },
    'resource-summary': {
      score: null,
      scoreDisplayMode: 'informative',
      details: {
        items: [
          { resourceType: 'script', transferSize: 120_000 + at, requestCount: 4 },
          { resourceType: 'font', transferSize: 0, requestCount: 0 },
        ],
      },
    },
    'user-timings': {
      score: null,
      scoreDisplayMode: 'informative',
      details: {
        items: [
          { name: 'Hero shown', startTime: run.hero },
          { name: 'load:data', startTime: 10, duration: run.hero / 2 },
        ],
      },
    },
  };
  const categories = { performance: { score: run.performance }, seo: { score: run.seo } };
  const finalUrl = url.endsWith('/old') ? url.replace('/old', '/new/') : url;
  return { requestedUrl: url, finalUrl, audits: { ...Object.fromEntries(passed), ...own }, categories };
}

type Case = { readonly says: string; readonly files: Readonly<Record<string, string>> };

const pages = [`${site}/`, `${site}/shop/boots`];
const json = (says: string, assert: unknown, collect: object = {}): Case => ({
  says,
  files: { 'lighthouserc.json': JSON.stringify({ ci: { collect: { url: pages, ...collect }, assert } }) },
});
const asserted = (id: string, value: unknown, more: object = {}) =>
  json(`${id} ${JSON.stringify(value)} ${JSON.stringify(more)}`, { assertions: { [id]: value }, ...more });
const matrix = (...patterns: string[]) =>
  json(`matrix ${patterns.join(' ')}`, {
    assertMatrix: patterns.map((matchingUrlPattern, at) => ({
      matchingUrlPattern,
      assertions:
        at === 0 ? { 'categories:performance': ['error', { minScore: 0.99 }] } : { 'categories:seo': 'error' },
    })),
  });
const budget = (rows: object[]): Case => ({
  says: `budget ${JSON.stringify(rows)}`,
  files: {
    'lighthouserc.json': JSON.stringify({
      ci: { collect: { url: pages }, assert: { budgetsFile: './budget.json' } },
    }),
    'budget.json': JSON.stringify(rows),
  },
});
const sized = (kib: number) => ({ resourceSizes: [{ resourceType: 'script', budget: kib }] });

const cases: readonly Case[] = [
  asserted('categories:performance', 'error'),
  asserted('categories:performance', 'warn'),
  asserted('categories.performance', ['error', { minScore: 0.9, aggregationMethod: 'median' }]),
  asserted('categories:performance', ['error', { minScore: 0.8 }], { aggregationMethod: 'median' }),
  asserted('categories:performance', ['error', { minScore: 0.7 }], { aggregationMethod: 'pessimistic' }),
  asserted('categories:performance', ['error', { minScore: 0.9 }], { aggregationMethod: 'median-run' }),
  asserted('categories:performance', ['error', { minScore: '0.9' }]),
  asserted('categories:accessibility', ['error', { minScore: 0.1 }]),
  asserted('first-contentful-paint', ['error', { maxNumericValue: 1300 }]),
  asserted('first-contentful-paint', ['error', { maxNumericValue: 1300, aggregationMethod: 'median' }]),
  asserted('first-contentful-paint', ['error', { maxNumericValue: 1500 }], { aggregationMethod: 'median-run' }),
  asserted('first-contentful-paint', ['error', { maxNumericValue: '1600' }], { aggregationMethod: 'pessimistic' }),
  asserted('interactive', ['error', { maxNumericValue: 3500, minScore: 0.9 }]),
  asserted('unused-javascript', ['error', { maxLength: 0 }]),
  asserted('unused-javascript', ['error', { maxLength: 1 }], { aggregationMethod: 'median' }),
  asserted('bootup-time', ['error', { maxNumericValue: 850 }]),
  asserted('color-contrast', ['error', {}]),
  asserted('color-contrast', ['error', { maxNumericValue: 1 }]),
  asserted('image-alt', ['error', { minScore: 1 }]),
  asserted('image-alt', ['error', { minScore: 1 }], { aggregationMethod: 'pessimistic' }),
  asserted('canonical', 'error'),
  asserted('structured-data', 'error'),
  asserted('network-requests', 'error'),
  asserted('network-requests', ['error', { maxLength: 12 }]),
  asserted('resource-summary:script:size', ['error', { maxNumericValue: 120_000 }]),
  asserted('resource-summary:script:count', ['error', { maxNumericValue: 3 }]),
  asserted('resource-summary.font.size', ['error', { maxNumericValue: 0 }]),
  asserted('resource-summary:media:size', ['error', { maxNumericValue: 0 }]),
  asserted('user-timings:hero-shown', ['error', { maxNumericValue: 600 }]),
  asserted('user-timings:load-data', ['error', { maxNumericValue: 200 }], { aggregationMethod: 'median' }),
  asserted('user-timings:none', ['error', { maxNumericValue: 1 }]),
  json('off, null, 0 and false', {
    assertions: {
      'categories:performance': null,
      'categories:seo': 0,
      'image-alt': false,
      canonical: 'error',
      'network-requests': ['off', {}],
    },
  }),
  json('preset all', { preset: 'lighthouse:all' }),
  json('preset recommended', { preset: 'lighthouse:recommended' }),
  json('preset with overrides', {
    preset: 'lighthouse:no-pwa',
    assertions: {
      'unused-javascript': ['warn'],
      'image-alt': 'off',
      'first-contentful-paint': ['error', { minScore: 1 }],
    },
  }),
  json('preset with a merged limit', {
    preset: 'lighthouse:no-pwa',
    assertions: { 'unused-javascript': ['error', { minScore: 0.5 }] },
  }),
  matrix('https?://', '.*'),
  matrix('(boots|shoes)$', '/shop'),
  matrix('^http://[^/]+/$', '.*'),
  matrix('/\\d+/', 'shop'),
  matrix('^(?!.*shop)', 'shop'),
  matrix('/shop/b[a-z]+$', '.*'),
  json(
    'the final URL of a redirect',
    {
      assertMatrix: [
        { matchingUrlPattern: '/old', assertions: { 'categories:seo': ['error', { minScore: 1 }] } },
        { matchingUrlPattern: '/new/$', assertions: { 'categories:seo': 'error' } },
      ],
    },
    { url: [`${site}/old`] },
  ),
  json('one page, runs as text', { assertions: { 'categories:seo': 'error' } }, { url: `${site}/`, numberOfRuns: '2' }),
  budget([sized(100)]),
  budget([
    { path: '/', ...sized(200) },
    { path: '/shop/*', timings: [{ metric: 'interactive', budget: 2000 }] },
  ]),
  budget([{ path: '/nowhere', ...sized(1) }, sized(118)]),
  budget([
    { path: '/shop/boots$', ...sized(100) },
    { path: '/*', ...sized(200) },
  ]),
  {
    says: 'YAML with a merge key and an anchor',
    files: {
      'lighthouserc.yml': `
x-limits: &limits
  minScore: 0.99
ci:
  collect:
    numberOfRuns: 1 # one
    url: [${pages.join(', ')}]
  assert:
    assertions:
      categories:performance: [error, { <<: *limits, aggregationMethod: median }]
`,
    },
  },
  {
    says: 'a script with a regular expression and an extended file',
    files: {
      'lighthouserc.js': `module.exports = { ci: { extends: './base.json', assert: { aggregationMethod: 'median' } } };`,
      'base.json': JSON.stringify({
        'ci:client': {
          collect: { url: pages, numberOfRuns: 3 },
          assert: { assertions: { 'categories.performance': ['error', { minScore: 0.9 }] } },
        },
      }),
    },
  },
];

/** Returns the pages with the number of their runs, and whether the command fails. */
async function runLhci(folder: string, file: string) {
  const flags = [`--config=${join(folder, file)}`];
  const { status, output } = await lhci(folder, 'collect', ...flags);
  if (status !== 0) return { pages: [], fails: true };
  const found = [...output.matchAll(/^Running Lighthouse (\d+) time\(s\) on (\S+)$/gm)].map(([, count, url = '']) => ({
    url,
    runs: Number(count),
  }));
  const saved = join(folder, '.lighthouseci');
  rmSync(saved, { recursive: true });
  mkdirSync(saved);
  for (const [page, { url, runs: count }] of found.entries())
    for (let at = 0; at < count; at += 1)
      writeFileSync(join(saved, `lhr-${1000 + 10 * page + at}.json`), JSON.stringify(buildRun(url, at)));
  return { pages: found, fails: (await lhci(folder, 'assert', ...flags)).status !== 0 };
}

async function runOwn(folder: string, file: string) {
  const names = { branch: 'a', target: 'a', note: { text: 'main at 1a2b3c4d' }, toLabel: (branch: string) => branch };
  try {
    const plan = toPlan(await readConfig(file, folder), readWanted('ci', []), names, {});
    const found = plan.urls.map(url => ({ url, runs: Number(plan.runs) }));
    const checks = found.flatMap(({ url, runs: count }) => {
      const judged = Array.from({ length: count }, (_, at) => ({ run: at + 1, lhr: buildRun(url, at) }));
      return plan.lhci.flatMap(assertion => judgeRuns(assertion, judged));
    });
    assert.ok(checks.length > 0 || /off/.test(plan.notes.join()), 'something is asserted');
    return { pages: found, fails: checks.some(({ passed, isWarning }) => !passed && !isWarning) };
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return { pages: [], fails: error.faults };
  }
}

test('50 files have the same pages, runs, and pass or fail as with the lhci command', async t => {
  assert.ok(cases.length >= 40);
  const failed = { yes: 0, no: 0 };
  const one = async ({ says, files }: Case) => {
    const folder = makeScratchFolder(t);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const [file = ''] = Object.keys(files);
    const [theirs, own] = [await runLhci(folder, file), await runOwn(folder, file)];
    assert.deepEqual(own, theirs, `${basename(file)}: ${says}`);
    failed[theirs.fails ? 'yes' : 'no'] += 1;
  };
  const waiting = cases.values();
  const next = async () => {
    for (const each of waiting) await one(each);
  };
  await Promise.all([next(), next(), next()]);
  assert.ok(failed.yes >= 10 && failed.no >= 10, JSON.stringify(failed));
  t.diagnostic(`${cases.length} files, of which ${failed.yes} fail in both`);
});
