import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { UsageError } from '../../input/usage-error.ts';
import { sayAssertion } from '../judge-runs.ts';
import { readAuditIds, toPreset } from './known-audits.ts';
import { fromLighthouserc } from './lighthouserc.ts';

const presetOf = (name: string) =>
  createRequire(createRequire(import.meta.url).resolve('@lhci/cli/src/cli.js'))(`@lhci/utils/src/presets/${name}.js`)
    .assertions as Record<string, unknown>;

const read = (ci: object) => {
  const value = { ci: { collect: { url: 'http://localhost:3000/' }, ...ci } };
  const source = { path: 'lighthouserc.json', value, lineOf: (pointer: string) => `lighthouserc.json${pointer}` };
  return fromLighthouserc(source, []);
};
const textsOf = async (assert: object) =>
  (await read({ assert })).lhci.flatMap(one => one.limits.map(limit => sayAssertion(one, limit)));
const notesOf = async (ci: object) => (await read(ci)).notes.join('\n');
const faultsOf = (ci: object): Promise<string> =>
  read(ci).then(
    () => 'no fault',
    error => (error instanceof UsageError ? error.faults.join('\n') : String(error)),
  );

test('an assertion of Lighthouse CI keeps its limit: a score, a length, a value', async () => {
  const assertions = {
    'categories:performance': ['warn', { minScore: '0.85' }],
    'categories.seo': 'error',
    'unused-javascript': 'error',
    'render-blocking-resources': ['error', { maxLength: 0 }],
    'largest-contentful-paint': ['error', { maxNumericValue: 2500, minScore: 0.5 }],
    'bootup-time': ['error', { maxNumericValue: '500' }],
    'resource-summary:script:size': ['error', { maxNumericValue: 100_000 }],
    'user-timings:hero': ['error', { maxNumericValue: 5 }],
    'meta-description': 'off',
    'errors-in-console': null,
    'image-alt': 0,
  };
  assert.deepEqual(await textsOf({ assertions }), [
    'warn categories:performance minScore>=0.85',
    'categories:seo minScore>=0.9',
    'unused-javascript minScore>=0.9',
    'render-blocking-insight maxLength<=0',
    'largest-contentful-paint maxNumericValue<=2500',
    'largest-contentful-paint minScore>=0.5',
    'bootup-time maxNumericValue<=500',
    'resource-summary:script:size maxNumericValue<=100000',
    'user-timings:hero maxNumericValue<=5',
  ]);
});

test('what asserts nothing as it is written is a fault with its line', async () => {
  const limits = { minScore: 0.9 };
  for (const [given, fault] of [
    [
      { assertions: { 'categories:seo': 'warning' } },
      "categories:seo: the level 'warning' is unknown; choose from off, warn, error",
    ],
    [{ assertions: { 'categories:seo': 'OFF' } }, "the level 'OFF' is unknown"],
    [
      { assertions: { 'categories:seo': limits } },
      'categories:seo: it has no level; write ["error", { "minScore": 0.9 }]',
    ],
    [{ assertions: { 'categories:seo': [limits] } }, 'it has no level'],
    [{ assertions: { 'categories:seo': true } }, 'it has no level'],
    [{ assertions: { 'categories:seo': ['error', 0.9] } }, 'its limits must be one object'],
    [{ assertions: { 'categories:seo': ['error', { minScore: '90%' }] } }, 'minScore is "90%"; write a number'],
    [{ assertions: { 'categories:seo': ['error', { minScore: null }] } }, 'minScore is null; write a number'],
    [
      { assertions: { 'categories:seo': ['error', { minScore: 90 }] } },
      'minScore is 90; scores range from 0 to 1, so write 0.9',
    ],
    [
      { assertions: { 'categories:seo': ['error', { minscore: 0.9 }] } },
      "unknown limit 'minscore'; did you mean minScore?",
    ],
    [
      { assertions: { 'categories:seo': ['error', { aggregationMethod: 'mean' }] } },
      "aggregationMethod 'mean' is unknown",
    ],
    [
      { assertions: { 'categories:seo': 'error' }, aggregationMethod: 'best' },
      "aggregationMethod: aggregationMethod 'best' is",
    ],
    [{ assertions: { 'unused-javscript': 'error' } }, 'no such audit; did you mean unused-javascript?'],
    [
      { assertions: { accessibility: ['error', { minScore: 0.9 }] } },
      'no such audit; did you mean categories:accessibility?',
    ],
    [{ assertions: { 'categories:sea': 'error' } }, 'no such category'],
    [
      { assertions: { 'resource-summary:scripts:size': 'error' } },
      'unknown resource type scripts; did you mean script?',
    ],
    [{ assertions: { firstContentfulPaint: 'error' } }, 'no such audit'],
    [{ assertions: { constructor: 'error' } }, 'no such audit'],
    [{ preset: ['lighthouse:all'] }, 'the preset lighthouse:all is unknown'],
    [{ assertions: [{ 'categories:seo': 'error' }] }, 'assert/assertions: assertions must be an object'],
    [{ assertMatrix: { assertions: { 'categories:seo': 'error' } } }, 'assertMatrix must be a list'],
    [{ assertMatrix: ['categories:seo'] }, 'assertMatrix/0: an entry must be an object'],
    [
      { assertMatrix: [{ matchingUrlPattern: '(', assertions: { 'categories:seo': 'error' } }] },
      'Invalid regular expression',
    ],
    [
      { assertMatrix: [{ matchingUrlPatern: 'a', assertions: { 'categories:seo': 'error' } }] },
      'did you mean matchingUrlPattern?',
    ],
    [
      { assertMatrix: [{ assertions: { 'categories:seo': 'error' } }], preset: 'lighthouse:all' },
      'refuses preset next to',
    ],
    [{ budgetsFile: 'none.json' }, 'assert/budgetsFile: none.json does not exist'],
    [
      { preset: 'lighthouse:recomended' },
      'the preset lighthouse:recomended is unknown; did you mean lighthouse:recommended?',
    ],
    [{ 'categories:seo': 'error' }, 'unknown setting \'categories:seo\'; move it into "assertions"'],
    [{ assertion: { 'categories:seo': 'error' } }, "unknown setting 'assertion'; did you mean assertions?"],
    [{}, 'nothing is left to assert'],
    [{ assertions: {} }, 'nothing is left to assert'],
    [{ assertions: { 'categories:pwa': 'error', 'uses-text-compression': 'error' } }, 'nothing is left to assert'],
    [['categories:seo'], '/ci/assert: assert must be an object'],
    ['lighthouse:all', '/ci/assert: assert must be an object'],
  ] as const) {
    const found = await faultsOf({ assert: given });
    assert.ok(
      found.includes(fault) && found.startsWith('lighthouserc.json/ci/assert'),
      `${JSON.stringify(given)}\n${found}`,
    );
  }
});

test('settings of "assert" elsewhere, and sections of the wrong type, are faults', async () => {
  const url = 'http://localhost:3000/';
  const assertions = { 'categories:seo': 'error' };
  for (const [ci, fault] of [
    [{ assertions }, '/ci/assertions: ci.assertions asserts nothing here; move it into "assert"'],
    [{ collect: { url, assert: { assertions } } }, '/ci/collect/assert: ci.collect.assert asserts nothing here'],
    [{ collect: { url, settings: { assertions } } }, '/ci/collect/settings/assertions: '],
    [{ upload: { assertMatrix: [] } }, '/ci/upload/assertMatrix: '],
    [{ preset: 'lighthouse:all' }, '/ci/preset: ci.preset asserts nothing here'],
    [{ collect: { url, settings: { preset: 'lighthouse:all' } } }, 'lighthouse:all belongs in "preset" of "assert"'],
    [{ asserts: { assertions } }, "/ci/asserts: unknown section 'asserts'; did you mean assert?"],
    [{ collect: [url] }, '/ci/collect: collect must be an object'],
    [{ collect: { url, settings: ['desktop'] } }, '/ci/collect/settings: settings must be an object'],
    [{ collect: { url, settings: 'desktop' } }, '/ci/collect/settings: settings must be an object'],
    [{ collect: { url: [{ url }] } }, '/ci/collect/url/0: url must be a list of strings'],
    [
      { collect: { url, numberOfRuns: 'many' } },
      '/ci/collect/numberOfRuns: numberOfRuns must be a whole number from 1',
    ],
    [{ collect: { url, numberOfRuns: 0 } }, '/ci/collect/numberOfRuns: '],
    [{ collect: { url, startServerReadyTimeout: '30s' } }, '/ci/collect/startServerReadyTimeout: '],
    [{ collect: { url, startServerCommand: ['npm', 'start'] } }, '/ci/collect/startServerCommand: '],
    [
      { collect: { staticDistDir: 'dist' } },
      "staticDistDir: staticDistDir is not known; serve the folder with startServerCommand, such as 'npx serve dist'",
    ],
    [{ collect: {} }, '/ci/collect/url: collect.url is missing'],
  ] as const)
    assert.ok((await faultsOf(ci)).includes(fault), `${JSON.stringify(ci)}\n${await faultsOf(ci)}`);
});

test('an option without a counterpart, a removed audit and a mapping are notes with their lines', async () => {
  const notes = await notesOf({
    collect: {
      url: ['http://localhost:3000/', 'http://localhost:3000'],
      numberOfRuns: 9,
      puppeteerScript: 'login.js',
      settings: { onlyCategories: 'performance,pwa', throttlingMethod: 'devtools', preset: 'experimental' },
    },
    assert: {
      preset: 'lighthouse:recommended',
      includePassedAssertions: true,
      assertions: {
        'categories:pwa': 'error',
        'uses-text-compression': ['error', { maxLength: 0 }],
        'service-worker': 'error',
        'uses-http2': 'warn',
        'no-such-audit': 'warn',
        'render-blocking-resources': ['error', { maxNumericValue: 500 }],
      },
    },
    upload: { target: 'temporary-public-storage' },
  });
  for (const said of [
    '/ci/upload: ci.upload has no counterpart',
    '/ci/collect/url/1: http://localhost:3000 is listed twice and measured once.',
    '/ci/collect/puppeteerScript: ci.collect.puppeteerScript has no counterpart',
    '/ci/collect/settings/throttlingMethod: ',
    '/ci/collect/settings/preset: the preset experimental is not used',
    '/ci/collect/settings/onlyCategories: Lighthouse has removed the category pwa',
    '/ci/collect/numberOfRuns: a page has 5 runs at most, not 9.',
    '/ci/assert/preset: audits of lighthouse:recommended that Lighthouse 13 has removed are left out.',
    '/ci/assert/assertions/categories:pwa: categories:pwa: Lighthouse has removed this category',
    'uses-text-compression: Lighthouse has removed this audit, and no other one means the same. The assertion is left out.',
    'service-worker: Lighthouse has removed this audit',
    'uses-http2: it is modern-http-insight since Lighthouse 13.',
    'no-such-audit: Lighthouse has no such audit',
    'render-blocking-resources: it is render-blocking-insight since Lighthouse 13, which has no numeric value. The asser',
  ])
    assert.ok(notes.includes(said), `${said}\n${notes}`);
  assert.match(await notesOf({ assert: { assertions: { 'image-alt': 'off' } } }), /every assertion is off/);
  const upload = { target: 'temporary-public-storage' };
  assert.match(await notesOf({ upload }), /The file asserts nothing: pages are compared with their baseline only/);
  assert.match(await notesOf({ assert: { lhr: 'old.json', preset: 'lighthouse:all' } }), /lhr is not used/);
});

test('without assert and upload, the preset that lhci autorun takes applies', async () => {
  const preset = await read({ assert: { preset: 'lighthouse:recommended' } });
  const { lhci, notes } = await read({});
  assert.deepEqual(
    lhci.map(({ audit, limits }) => [audit, limits]),
    preset.lhci.map(({ audit, limits }) => [audit, limits]),
  );
  assert.match(notes.join(), /lighthouse:recommended applies, as with lhci autorun/);
});

test('a misspelt setting is a fault', async () => {
  const url = 'http://localhost:3000/';
  assert.match(await faultsOf({ collect: { url, numberOfRun: 1 } }), /'numberOfRun'; did you mean numberOfRuns\?/);
  const settings = {
    formfactor: 'desktop',
    throttling: { rttMs: 40 },
    throttlingMethod: 'devtools',
    maxWaitForLoad: 9,
  };
  const faults = await faultsOf({ collect: { url, settings } });
  assert.match(faults, /'formfactor'; did you mean formFactor\?/);
  assert.doesNotMatch(faults, /throttling|maxWaitForLoad/, 'settings of Lighthouse without a counterpart are noted');
});

test('the presets assert the audits of Lighthouse CI that the installed Lighthouse has, at their levels', async () => {
  const known = await readAuditIds();
  const normal = (value: unknown) => {
    const [level, limits = {}] = [value].flat();
    return [level, level === 'off' ? {} : limits];
  };
  for (const name of ['all', 'recommended', 'no-pwa']) {
    const theirs = Object.entries(presetOf(name))
      .filter(([id, value]) => known.has(id) && normal(value)[0] !== 'off')
      .map(([id, value]) => [id, normal(value)]);
    const own = Object.entries(toPreset(`lighthouse:${name}`, known))
      .filter(([, value]) => normal(value)[0] !== 'off')
      .map(([id, value]) => [id, normal(value)]);
    assert.deepEqual(Object.fromEntries(own), Object.fromEntries(theirs), name);
  }
});

test('formFactor selects the device and overrides the preset; without either it is mobile', async () => {
  for (const [settings, strategy] of [
    [{ formFactor: 'desktop' }, 'desktop'],
    [{ preset: 'desktop', formFactor: 'mobile' }, 'mobile'],
    [{ preset: 'desktop' }, 'desktop'],
    [{ throttlingMethod: 'simulate' }, 'mobile'],
  ] as const) {
    const { config } = await read({ collect: { url: ['http://localhost:3000/'], settings } });
    assert.deepEqual(config.strategies, [strategy]);
  }
  const notes = await notesOf({ collect: { url: ['http://localhost:3000/'], settings: { formFactor: 'tablet' } } });
  assert.match(notes, /settings\/formFactor: ci\.collect\.settings\.formFactor has no counterpart/);
});

test('the server, pages and runs of a lighthouserc are used; a late server gets a minute', async () => {
  const collect = { url: ['http://localhost:3000/', 'http://localhost:3000/about'], startServerCommand: 'npm start' };
  const { config } = await read({
    collect: { ...collect, startServerReadyTimeout: '12500', settings: { preset: 'desktop' } },
  });
  assert.deepEqual(config, {
    urls: collect.url,
    strategies: ['desktop'],
    server: { command: 'npm start', url: 'http://localhost:3000/', timeout: 60 },
    runs: 3,
  });
  const slow = await read({ collect: { ...collect, numberOfRuns: '5', startServerReadyTimeout: 120_500 } });
  assert.deepEqual([slow.config.runs, (slow.config.server as { timeout: number }).timeout], [5, 121]);
});
