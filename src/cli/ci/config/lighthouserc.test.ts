import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfPage, readAssertion } from '../../input/assertion.ts';
import { fromLighthouserc } from './lighthouserc.ts';

const read = (ci: object) => {
  const value = { ci: { collect: { url: 'http://localhost:3000/' }, ...ci } };
  return fromLighthouserc({ path: 'lighthouserc.json', value, lineOf: pointer => `lighthouserc.json${pointer}` });
};
const textsOf = async (assert: object) => (await read({ assert })).asserts.map(({ text }) => text);
const notesOf = async (ci: object) => (await read(ci)).notes.join('\n');

test('an assertion of Lighthouse CI keeps its limit: a score, a length, a value', async () => {
  const assertions = {
    'categories:performance': ['warn', { minScore: 0.85 }],
    'categories.seo': 'error',
    'unused-javascript': 'error',
    'uses-text-compression': ['error', { maxLength: 0 }],
    'color-contrast': ['error', { minScore: 1 }],
    'first-contentful-paint': 'error',
    'largest-contentful-paint': ['error', { maxNumericValue: 2500, minScore: 0.5 }],
    'total-byte-weight': ['error', { maxNumericValue: 500_000 }],
    'resource-summary:script:size': ['error', { maxNumericValue: 100_000 }],
    'resource-summary:third-party:count': ['error', { maxNumericValue: 5 }],
    'meta-description': 'off',
  };
  const texts = await textsOf({ assertions });
  assert.deepEqual(texts, [
    'warn performance>=85',
    'seo>=90',
    'unused-javascript-score>=90',
    'document-latency-insight<=0',
    'color-contrast-score>=100',
    'first-contentful-paint-score>=90',
    'largest-contentful-paint<=2500',
    'largest-contentful-paint-score>=50',
    'total-size<=500000',
    'script-size<=100000',
    'third-party-count<=5',
  ]);
  for (const text of texts) assert.doesNotThrow(() => readAssertion(text), text);
});

test('an unsupported option is reported with its line, never ignored', async () => {
  const notes = await notesOf({
    collect: {
      url: ['http://localhost:3000/'],
      numberOfRuns: 9,
      puppeteerScript: 'login.js',
      settings: { onlyCategories: ['performance', 'pwa'], throttlingMethod: 'devtools', preset: 'experimental' },
    },
    assert: {
      preset: 'lighthouse:recommended',
      includePassedAssertions: true,
      assertions: {
        'categories:pwa': 'error',
        'offscreen-images': 'error',
        'unused-javscript': 'error',
        'user-timings:start': ['error', { maxNumericValue: 1 }],
        'resource-summary:scripts:size': ['error', { maxNumericValue: 1 }],
        'bootup-time': ['error', { maxNumericValue: 1 }],
        'speed-index': ['error', { maxNumericValue: 1, aggregationMethod: 'pessimistic' }],
      },
    },
    upload: { target: 'temporary-public-storage' },
  });
  for (const said of [
    '/ci/upload: ci.upload has no counterpart',
    '/ci/collect/puppeteerScript: ci.collect.puppeteerScript has no counterpart',
    '/ci/collect/settings/throttlingMethod: ',
    '/ci/collect/settings/preset: the preset experimental is not used',
    '/ci/collect/settings/onlyCategories: Lighthouse has removed the category pwa',
    '/ci/collect/numberOfRuns: a page has 5 runs at most, not 9.',
    '/ci/assert/includePassedAssertions: ci.assert.includePassedAssertions has no counterpart',
    '/ci/assert/preset: the preset lighthouse:recommended is not used',
    '/ci/assert/assertions/categories:pwa: categories:pwa: Lighthouse has removed this category',
    'offscreen-images: Lighthouse 13 has removed this audit, and no other one replaces it',
    'unused-javscript: Lighthouse 13 has no such audit; did you mean unused-javascript?',
    'user-timings:start: assertions on user timing marks and measures are not supported',
    'unknown resource type scripts; did you mean script?',
    'bootup-time: maxNumericValue applies to metrics and sizes only',
    'speed-index: aggregationMethod pessimistic is not used',
  ])
    assert.ok(notes.includes(said), `${said}\n${notes}`);
});

test('the pages of a matrix are those that its regular expression matches', async () => {
  const matrixOf = (matchingUrlPattern: string) =>
    textsOf({ assertMatrix: [{ matchingUrlPattern, assertions: { 'categories:seo': 'error' } }] });
  for (const [pattern, url, isFound] of [
    ['shop', 'http://localhost:3000/shop/boots', true],
    ['/shop/$', 'http://localhost:3000/shop/', true],
    ['/shop/$', 'http://localhost:3000/shop/boots', false],
    ['^http://localhost:3000/about', 'http://localhost:3000/about/us', true],
    ['^https', 'http://localhost:3000/?next=https', false],
    ['http://[^/]+/$', 'http://localhost:3000/', undefined],
    ['.*\\/about\\.html', 'http://localhost:3000/about.html', true],
  ] as const) {
    const [text] = await matrixOf(pattern);
    assert.equal(text && isOfPage(readAssertion(text), url), isFound, pattern);
    if (text) assert.equal(new RegExp(pattern).test(url), isFound, pattern);
  }
  const notes = await notesOf({ assert: { assertMatrix: [{ matchingUrlPattern: 'a|b', assertions: {} }] } });
  assert.match(notes, /assertMatrix\/0\/matchingUrlPattern: matchingUrlPattern a\|b: only \.\* is known/);
});

test('formFactor selects the device and overrides the preset; without either it is mobile', async () => {
  for (const [settings, strategy] of [
    [{ formFactor: 'desktop' }, 'desktop'],
    [{ preset: 'desktop', formFactor: 'mobile' }, 'mobile'],
    [{ preset: 'desktop' }, 'desktop'],
    [{ throttlingMethod: 'simulate' }, 'mobile'],
  ] as const) {
    const { config, notes } = await read({ collect: { url: ['http://localhost:3000/'], settings } });
    assert.deepEqual(config.strategies, [strategy]);
    assert.deepEqual(notes, []);
  }
  const notes = await notesOf({ collect: { url: ['http://localhost:3000/'], settings: { formFactor: 'tablet' } } });
  assert.match(notes, /settings\/formFactor: ci\.collect\.settings\.formFactor has no counterpart/);
});

test('the server, pages and budgets of a lighthouserc are used, and a static folder is rejected', async () => {
  const { config } = await read({
    collect: {
      url: ['http://localhost:3000/', 'http://localhost:3000/about'],
      startServerCommand: 'npm start',
      startServerReadyTimeout: 12_500,
      numberOfRuns: 3,
      settings: { preset: 'desktop' },
    },
    assert: { budgetsFile: 'budget.json' },
  });
  assert.deepEqual(config, {
    urls: ['http://localhost:3000/', 'http://localhost:3000/about'],
    strategies: ['desktop'],
    server: { command: 'npm start', url: 'http://localhost:3000/', timeout: 13 },
    runs: 3,
    budgets: 'budget.json',
  });
  await assert.rejects(read({ collect: { staticDistDir: 'dist' } }), /staticDistDir: .*'npx serve dist'/);
  await assert.rejects(read({ collect: {} }), /collect\/url: collect\.url is missing; name the pages/);
});
