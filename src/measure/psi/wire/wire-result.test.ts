import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildLhr, buildMeasuredLhr, buildPlainLhr } from '../../../../test/support/builders/lhr.ts';
import { isLhr, type Lhr } from '../../lhr/lhr.ts';
import { isPsiResult, toPsiResult } from './wire-result.ts';

type Wire = {
  lighthouseResult: Record<string, unknown> & {
    audits: Record<string, Record<string, unknown>>;
    categories: Record<string, Record<string, unknown> & { auditRefs: object[] }>;
  };
} & Record<string, unknown>;

/** Returns the answer as received: JSON omits undefined fields. */
const wire = (lhr: object): Wire => JSON.parse(JSON.stringify(toPsiResult(lhr as unknown as Lhr)));
const { lighthouseResult: plain, ...around } = wire(buildPlainLhr());

const detailsOf = (id: string) => (plain.audits[id]?.details ?? {}) as Record<string, unknown>;

test('the answer around the result has the format and order of PSI', () => {
  assert.deepEqual(Object.keys(wire(buildPlainLhr())), [
    'captchaResult',
    'kind',
    'id',
    'loadingExperience',
    'lighthouseResult',
    'analysisUTCTimestamp',
  ]);
  assert.deepEqual(around, {
    captchaResult: 'CAPTCHA_NOT_NEEDED',
    kind: 'pagespeedonline#result',
    id: 'https://example.com/#top',
    loadingExperience: { initial_url: 'https://example.com/#top' },
    analysisUTCTimestamp: '2026-11-20T10:00:00.000Z',
  });
});

test('the id is the final URL, even if an older result names it otherwise', () => {
  const { finalDisplayedUrl: _, ...older } = buildLhr({ requestedUrl: 'http://a.test/', finalUrl: 'http://b.test/' });
  assert.equal(wire({ ...older, finalDisplayedUrl: 'http://c.test/' }).id, 'http://c.test/');
  assert.equal(wire(older).id, 'http://b.test/');
  const { finalUrl: __, ...oldest } = older;
  assert.equal(wire(oldest).id, 'http://a.test/');
});

test('the top level has the fields of PSI, in its order', () => {
  assert.deepEqual(Object.keys(plain), [
    'requestedUrl',
    'finalUrl',
    'mainDocumentUrl',
    'finalDisplayedUrl',
    'lighthouseVersion',
    'userAgent',
    'fetchTime',
    'environment',
    'runWarnings',
    'configSettings',
    'audits',
    'categories',
    'categoryGroups',
    'timing',
    'entities',
    'fullPageScreenshot',
  ]);
});

test('run warnings are passed on, and are an empty list without any', () => {
  assert.deepEqual(plain.runWarnings, ['The page may not be loading as expected.']);
  const { runWarnings: _, ...without } = buildPlainLhr();
  assert.deepEqual(wire(without).lighthouseResult.runWarnings, []);
});

test('the settings are the few that PSI sends, without throttling', () => {
  assert.deepEqual(plain.configSettings, {
    emulatedFormFactor: 'mobile',
    formFactor: 'mobile',
    locale: 'en-US',
    onlyCategories: ['performance', 'accessibility'],
    channel: 'lr',
  });
});

test('the environment is passed on unchanged', () => {
  assert.deepEqual(plain.environment, buildPlainLhr().environment);
});

test('only the total timing is sent', () => {
  assert.deepEqual(plain.timing, { total: 6543.21 });
});

test('categories lose their modes, and references their relevant audits; a weight of 0 stays', () => {
  assert.deepEqual(plain.categories, {
    performance: {
      id: 'performance',
      title: 'Performance',
      score: 0.99,
      auditRefs: [
        { id: 'first-contentful-paint', weight: 10, group: 'metrics', acronym: 'FCP' },
        { id: 'unused-css-rules', weight: 0, group: 'diagnostics' },
        { id: 'deprecations', weight: 0 },
      ],
    },
    accessibility: {
      id: 'accessibility',
      title: 'Accessibility',
      description: 'These checks highlight opportunities.',
      manualDescription: 'These items address areas.',
      categoryScoreDisplayMode: 'gauge',
      score: null,
      auditRefs: [{ id: 'image-alt', weight: 10, group: 'a11y-names-labels' }],
    },
  });
});

test('audits lose scoring options, guidance level, replaced audits and stack', () => {
  assert.deepEqual(plain.audits['first-contentful-paint'], {
    id: 'first-contentful-paint',
    title: 'First Contentful Paint',
    description: 'Marks the time at which the first text or image is painted.',
    score: 0.99,
    scoreDisplayMode: 'numeric',
    displayValue: '0.9 s',
    numericValue: 900.5,
    numericUnit: 'millisecond',
  });
  assert.deepEqual(plain.audits.deprecations, {
    id: 'deprecations',
    title: 'Uses deprecated APIs',
    description: 'Deprecated APIs will be removed.',
    score: null,
    scoreDisplayMode: 'error',
    explanation: 'No source maps.',
    errorMessage: 'Required SourceMaps gatherer did not run.',
  });
});

test('an audit keeps details, warnings and savings, including zeros and null scores', () => {
  const { details, ...audit } = plain.audits['unused-css-rules'] ?? {};
  assert.deepEqual(audit, {
    id: 'unused-css-rules',
    title: 'Reduce unused CSS',
    description: 'Reduce unused rules.',
    score: 0,
    scoreDisplayMode: 'metricSavings',
    warnings: [],
    numericValue: 0,
    numericUnit: 'millisecond',
    metricSavings: { FCP: 0, LCP: 150 },
  });
  assert.ok(details);
  assert.equal(detailsOf('unused-css-rules').overallSavingsMs, 0);
  assert.equal(plain.audits['image-alt']?.score, null);
});

test('empty strings are removed at any depth, with groups that contain nothing else, and lone surrogates are replaced', () => {
  const json = JSON.stringify(plain);
  assert.ok(!json.includes(':""'));
  assert.ok(!('description' in (plain.audits['image-alt'] ?? {})));
  assert.deepEqual(detailsOf('unused-css-rules').items, [
    { wastedBytes: 10 },
    { url: 'https://example.com/\ufffd.css' },
  ]);
  assert.deepEqual(plain.categoryGroups, {
    metrics: { title: 'Metrics' },
    webmcp: { title: 'WebMCP', description: 'Tools for agents.' },
  });
});

test('old spellings of a display mode become the current one', () => {
  for (const scoreDisplayMode of ['not-applicable', 'not_applicable', 'notApplicable']) {
    const audits = { x: { id: 'x', title: 'X', score: null, scoreDisplayMode } };
    assert.equal(wire({ ...buildPlainLhr(), audits }).lighthouseResult.audits.x?.scoreDisplayMode, 'notApplicable');
  }
});

test('entities and the full-page screenshot are passed on as they are', () => {
  assert.deepEqual(plain.entities, buildPlainLhr().entities);
  assert.deepEqual(plain.fullPageScreenshot, buildPlainLhr().fullPageScreenshot);
});

test('stack packs are present only if there are some', () => {
  const pack = { id: 'wordpress', title: 'WordPress', descriptions: { 'unused-css-rules': 'Use a plugin.' } };
  assert.deepEqual(wire({ ...buildPlainLhr(), stackPacks: [pack] }).lighthouseResult.stackPacks, [pack]);
});

test('an empty list of entities is not sent', () => {
  assert.ok(!('entities' in wire({ ...buildPlainLhr(), entities: [] }).lighthouseResult));
});

test('a runtime error is written only if there is one', () => {
  const runtimeError = { code: 'NO_FCP', message: 'The page did not paint any content.' };
  assert.deepEqual(wire({ ...buildPlainLhr(), runtimeError }).lighthouseResult.runtimeError, runtimeError);
  const noError = { code: 'NO_ERROR', message: '' };
  assert.ok(!('runtimeError' in wire({ ...buildPlainLhr(), runtimeError: noError }).lighthouseResult));
});

test('a result with few fields becomes an answer with few fields', () => {
  const { lighthouseResult } = wire(buildLhr());
  assert.deepEqual(lighthouseResult.timing, {});
  assert.deepEqual(lighthouseResult.configSettings, {});
  assert.ok(!('entities' in lighthouseResult) && !('fullPageScreenshot' in lighthouseResult));
});

test('a written answer is read back unchanged, and writing it again changes nothing', () => {
  for (const lhr of [buildPlainLhr(), buildMeasuredLhr(), buildLhr()]) {
    const answer = wire(lhr);
    assert.ok(isPsiResult(answer));
    assert.deepEqual(wire(answer.lighthouseResult), answer);
  }
});

test('the given result is not changed', () => {
  const lhr: unknown = JSON.parse(JSON.stringify(buildPlainLhr()));
  assert.ok(isLhr(lhr));
  const before = structuredClone(lhr);
  toPsiResult(lhr);
  assert.deepEqual(lhr, before);
});

test('garbage is not a PSI answer', () => {
  const sound = buildLhr();
  const garbage: unknown[] = [
    undefined,
    null,
    0,
    1,
    true,
    '',
    'lighthouseResult',
    [],
    [{ lighthouseResult: sound }],
    {},
    sound,
    { lighthouseResult: undefined },
    { lighthouseResult: null },
    { lighthouseResult: 'x' },
    { lighthouseResult: [] },
    { lighthouseResult: {} },
    { lighthouseResult: [sound] },
    { lighthouseResult: { ...sound, audits: undefined } },
    { lighthouseResult: { ...sound, audits: [] } },
    { lighthouseResult: { ...sound, audits: { x: null } } },
    { lighthouseResult: { ...sound, audits: { x: { id: 'x' } } } },
    { lighthouseResult: { ...sound, categories: { seo: { auditRefs: 'none' } } } },
    { lighthouseResult: { ...sound, categories: { seo: { auditRefs: [null] } } } },
    { lighthouseResult: { ...sound, fetchTime: 7 } },
    { lighthouseResult: { ...sound, runWarnings: 'careful' } },
    { error: { code: 400, message: 'No.' } },
  ];
  for (const body of garbage) assert.equal(isPsiResult(body), false, JSON.stringify(body));
});

test('an answer is valid whatever the other fields of the result', () => {
  assert.ok(isPsiResult({ lighthouseResult: buildLhr() }));
  assert.ok(isPsiResult({ lighthouseResult: buildLhr(), loadingExperience: null, id: 7, more: [] }));
});
