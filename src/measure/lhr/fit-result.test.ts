import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import type { FailedAudit, Result } from '../../contract/result/result.ts';
import { fitResult, maxResultBytes } from './fit-result.ts';
import { toResult } from './to-result.ts';

const small = (): Result =>
  toResult(buildMeasuredLhr(), {
    source: 'psi',
    analyser: { kind: 'google', host: 'www.googleapis.com' },
    url: 'https://example.com/',
    strategy: 'mobile',
    categories: ['performance'],
    conditions: null,
    requestedAt: '2026-11-20T09:59:30.000Z',
    field: null,
  });

const buildFailedAudit = (id: string, fields: Partial<FailedAudit> = {}): FailedAudit => ({
  id,
  title: `Title of ${id}`,
  description: `Description of ${id}`,
  score: 0,
  display_value: null,
  categories: ['performance'],
  savings: {},
  ...fields,
});

const manyAudits = (count: number, fields: Partial<FailedAudit> = {}) =>
  Array.from({ length: count }, (_, index) => buildFailedAudit(`audit-${index}`, fields));

const bytesOf = (result: Result) => Buffer.byteLength(JSON.stringify(result));

/** The limit holds for the result with its cache note, which is added later. */
const assertSmall = (result: Result) =>
  assert.ok(
    bytesOf({ ...result, cache: { status: 'joined', age: 99_999_999, expires_at: '2026-11-20T10:00:00.000Z' } }) <
      40_000,
    `${bytesOf(result)} bytes`,
  );

test('a small result is unchanged', () => {
  const result = { ...small(), failed_audits: manyAudits(20), warnings: ['Careful.'] };
  assert.deepEqual(fitResult(result), result);
});

test('long texts are cut, and end with an ellipsis', () => {
  const long = 'x'.repeat(10_000);
  const audit = buildFailedAudit('a', { title: long, description: long, display_value: long, error_message: long });
  const fitted = fitResult({ ...small(), final_url: long, failed_audits: [audit], warnings: [long] });
  const [cut] = fitted.failed_audits;
  const texts = {
    final_url: [fitted.final_url, 4096],
    title: [cut?.title, 300],
    description: [cut?.description, 700],
    display_value: [cut?.display_value, 200],
    error_message: [cut?.error_message, 300],
    warning: [fitted.warnings[0], 300],
  } as const;
  for (const [name, [text, length]] of Object.entries(texts)) {
    assert.equal(text?.length, length, name);
    assert.ok(text?.endsWith('x…'), name);
  }
  assertSmall(fitted);
});

test('a text that just fits is not truncated', () => {
  const title = 'x'.repeat(300);
  assert.equal(
    fitResult({ ...small(), failed_audits: [buildFailedAudit('a', { title })] }).failed_audits[0]?.title,
    title,
  );
});

test('an absent error message stays absent, an absent display value null', () => {
  const [audit] = fitResult({ ...small(), failed_audits: [buildFailedAudit('a')] }).failed_audits;
  assert.deepEqual(audit, buildFailedAudit('a'));
});

test('at most the first 20 warnings are kept', () => {
  const warnings = Array.from({ length: 25 }, (_, index) => `warning ${index}`);
  assert.deepEqual(fitResult({ ...small(), warnings }).warnings, warnings.slice(0, 20));
});

test('the descriptions of the least useful audits are dropped first, and no more than necessary', () => {
  const fitted = fitResult({ ...small(), failed_audits: manyAudits(100, { description: 'd'.repeat(400) }) });
  assertSmall(fitted);
  assert.equal(fitted.failed_audits.length, 100);
  const kept = fitted.failed_audits.findIndex(audit => audit.description === '');
  assert.ok(kept > 0);
  assert.ok(fitted.failed_audits.slice(0, kept).every(audit => audit.description.length === 400));
  assert.ok(fitted.failed_audits.slice(kept).every(audit => audit.description === ''));
  assert.ok(bytesOf(fitted) > maxResultBytes - 400, 'one more description would not have fitted');
});

test('if that is not enough, the least useful audits are dropped, and the most useful stay', () => {
  const fitted = fitResult({ ...small(), failed_audits: manyAudits(500, { description: 'd'.repeat(400) }) });
  assertSmall(fitted);
  const ids = fitted.failed_audits.map(({ id }) => id);
  assert.ok(ids.length > 100);
  assert.deepEqual(
    ids,
    manyAudits(ids.length).map(({ id }) => id),
  );
  assert.ok(bytesOf(fitted) > maxResultBytes - 400, 'one more audit would not have fitted');
});

test('the size is counted in bytes of JSON, not in characters', () => {
  for (const character of ['語', '😀', '"', '\\', '\u0001', '\ud800']) {
    const text = character.repeat(1000);
    const audits = manyAudits(40, { title: text, description: text, display_value: text, error_message: text });
    assertSmall(fitResult({ ...small(), failed_audits: audits }));
  }
});

test('warnings and URLs alone never make a result too large', () => {
  for (const character of ['語', '😀', '"', '\u0001', '\ud800']) {
    const text = character.repeat(5000);
    const warnings = Array.from({ length: 100 }, () => text);
    const url = `https://example.com/${'x'.repeat(2028)}`;
    const fitted = fitResult({ ...small(), url, final_url: text, warnings, failed_audits: manyAudits(300) });
    assertSmall(fitted);
    assert.equal(fitted.url, url);
  }
});

test('truncation never leaves half a character', () => {
  for (const offset of ['', 'x']) {
    const text = offset + '😀'.repeat(5000);
    const audit = buildFailedAudit('a', { title: text, description: text, display_value: text, error_message: text });
    const fitted = fitResult({ ...small(), final_url: text, failed_audits: [audit], warnings: [text] });
    for (const cut of [fitted.final_url, ...fitted.warnings, ...Object.values(fitted.failed_audits[0] ?? {})])
      if (typeof cut === 'string') assert.ok(cut.isWellFormed(), cut.slice(-5));
  }
});

const payload = 'iVBORw0KGgoAAAANSUhEUg+/='.repeat(20);
const base64Forms = [
  `data:image/png;base64,${payload}`,
  `DATA:IMAGE/PNG;BASE64,${payload}`,
  `data:;base64,${payload}`,
  `data:image/svg+xml;charset=utf-8;base64,${payload}`,
  `data:image/svg+xml;charset="utf-8";base64,${payload}`,
  `data:image/png; base64, ${payload}`,
  `data:font/woff2;base64,${payload.slice(0, 7)}…`,
  `data:image/png;base64,${encodeURIComponent(payload)}`,
  `data:image/png;base64,${payload.replaceAll('+', '-').replaceAll('/', '_')}`,
  encodeURIComponent(`data:image/png;base64,${payload}`),
  encodeURIComponent(`data:image/png;base64,${payload}`).toLowerCase(),
];

test('base64 is removed everywhere, whatever text contains it and however it is written', () => {
  for (const form of base64Forms) {
    const text = `before ${form} after`;
    const audit = buildFailedAudit('a', { title: text, description: text, display_value: text, error_message: text });
    const fitted = fitResult({
      ...small(),
      final_url: `https://example.com/?img=${form}&x=1`,
      failed_audits: [audit],
      warnings: [text],
    });
    const json = JSON.stringify(fitted);
    assert.ok(!/base64|iVBOR/i.test(json), form);
    assert.match(fitted.failed_audits[0]?.title ?? '', /^before data(:|%3A)…{1,2} after$/i, form);
    assert.match(fitted.final_url, /img=data(:|%3A)…{1,2}&x=1$/i, form);
  }
});

test('every base64 text is removed, and the text between them stays', () => {
  const one = `data:image/png;base64,${payload}`;
  const [audit] = fitResult({
    ...small(),
    failed_audits: [buildFailedAudit('a', { description: `url(${one}) url(${one}), see data: here ${one}${one}` })],
  }).failed_audits;
  assert.equal(audit?.description, 'url(data:…) url(data:…), see data: here data:…data:…');
});

test('words about base64 and data are not changed', () => {
  const title = 'Avoid data: URLs; base64 grows by a third. data:text/plain,hello';
  assert.equal(
    fitResult({ ...small(), failed_audits: [buildFailedAudit('a', { title })] }).failed_audits[0]?.title,
    title,
  );
});

test('the given result is not changed', () => {
  const result = {
    ...small(),
    failed_audits: manyAudits(300, { description: 'd'.repeat(900) }),
    warnings: Array.from({ length: 30 }, () => 'w'.repeat(900)),
  };
  const before = structuredClone(result);
  fitResult(result);
  assert.deepEqual(result, before);
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3000 }),
  fc.constantFrom(...base64Forms),
  fc.constantFrom(
    '語'.repeat(4000),
    '\ud800'.repeat(4000),
    '\u0000'.repeat(4000),
    'data:'.repeat(2000),
    ';'.repeat(9000),
  ),
);

test('any text gives a small result of well-formed text without base64', () => {
  const audit = fc.record({ title: anyText, description: anyText, display_value: anyText, error_message: anyText });
  fc.assert(
    fc.property(
      fc.array(audit, { maxLength: 60 }),
      fc.array(anyText, { maxLength: 30 }),
      anyText,
      (audits, warnings, url) => {
        const failed = audits.map((fields, index) => buildFailedAudit(`audit-${index}`, fields));
        const fitted = fitResult({ ...small(), final_url: url, warnings, failed_audits: failed });
        assertSmall(fitted);
        assert.ok(!/;base64,|\\ud[89a-f]/i.test(JSON.stringify(fitted)));
      },
    ),
    { numRuns: 60 },
  );
});

test('a result of tens of thousands of failed audits, or with long facts, is fitted as any other', () => {
  assertSmall(fitResult({ ...small(), failed_audits: manyAudits(50_000, { description: 'data:'.repeat(2000) }) }));
  const long = 'x'.repeat(5_000_000);
  const { metrics, environment, ...rest } = small();
  const largest = { ...metrics.largest_contentful_paint, display_value: long };
  const fitted = fitResult({
    ...rest,
    lighthouse_version: long,
    metrics: { ...metrics, largest_contentful_paint: largest },
    environment: { ...environment, user_agent: long },
    failed_audits: [buildFailedAudit(long)],
  });
  assertSmall(fitted);
  assert.equal(fitted.failed_audits.length, 1);
});
