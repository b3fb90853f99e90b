import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyFieldMask, InvalidFieldMask, readFieldMask } from './field-mask.ts';
import { answerFields, anything } from './wire-fields.ts';

const answer = {
  kind: 'pagespeedonline#result',
  id: 'https://example.com/',
  loadingExperience: { initial_url: 'https://example.com/' },
  lighthouseResult: {
    fetchTime: '2026-11-20T10:00:00.000Z',
    runWarnings: ['Careful.'],
    configSettings: { formFactor: 'desktop', channel: 'lr' },
    audits: {
      'speed-index': { id: 'speed-index', score: 0, details: { items: [{ url: 'a', ms: 1 }, { url: 'b' }, 7] } },
      'image-alt': { id: 'image-alt', score: null },
    },
    categories: {
      performance: { id: 'performance', score: 1, auditRefs: [{ id: 'speed-index', weight: 10 }] },
      'best-practices': { id: 'best-practices', score: 0, auditRefs: [] },
    },
  },
};

const select = (mask: string, value: unknown = answer) => applyFieldMask(readFieldMask(mask, answerFields), value);
const refusal = (mask: string): string => {
  try {
    readFieldMask(mask, answerFields);
  } catch (error) {
    assert.ok(error instanceof InvalidFieldMask, `${mask}: ${error}`);
    return error.reason;
  }
  return assert.fail(`${mask} was accepted`);
};

const { lighthouseResult } = answer;
const scores = { performance: { score: 1 }, 'best-practices': { score: 0 } };

test('a path with slashes, dots or parentheses selects the same', () => {
  const expected = { lighthouseResult: { categories: { performance: { score: 1 } } } };
  for (const mask of [
    'lighthouseResult/categories/performance/score',
    'lighthouseResult.categories.performance.score',
    'lighthouseResult(categories(performance(score)))',
    'lighthouseResult/categories.performance(score)',
    'lighthouseResult(categories/performance/score)',
    ' lighthouseResult ( categories . performance / score ) ',
  ])
    assert.deepEqual(select(mask), expected, mask);
});

test('a name alone selects the whole object', () => {
  assert.deepEqual(select('lighthouseResult.categories'), {
    lighthouseResult: { categories: lighthouseResult.categories },
  });
  assert.deepEqual(select('kind'), { kind: answer.kind });
});

test('several paths are joined, in the order of the answer', () => {
  const masked = select('lighthouseResult/fetchTime,kind,lighthouseResult/configSettings/channel') as object;
  assert.deepEqual(masked, {
    kind: answer.kind,
    lighthouseResult: { fetchTime: lighthouseResult.fetchTime, configSettings: { channel: 'lr' } },
  });
  assert.deepEqual(Object.keys(masked), ['kind', 'lighthouseResult']);
});

test('parentheses select several parts of a parent, to any depth', () => {
  assert.deepEqual(select('lighthouseResult(categories,audits(speed-index/score)),id'), {
    id: answer.id,
    lighthouseResult: { audits: { 'speed-index': { score: 0 } }, categories: lighthouseResult.categories },
  });
});

test('a wildcard matches every name at its level', () => {
  assert.deepEqual(select('lighthouseResult/categories/*/score'), { lighthouseResult: { categories: scores } });
  assert.deepEqual(select('lighthouseResult.audits.*.score'), {
    lighthouseResult: { audits: { 'speed-index': { score: 0 }, 'image-alt': { score: null } } },
  });
  assert.deepEqual(select('*'), answer);
  assert.deepEqual(select('*/initial_url'), {
    loadingExperience: { initial_url: 'https://example.com/' },
    lighthouseResult: {},
  });
});

test('a wildcard and a name can be combined', () => {
  const { categories } = (select('lighthouseResult.categories(*/score,performance/id)') as typeof answer)
    .lighthouseResult;
  assert.deepEqual(categories, { performance: { id: 'performance', score: 1 }, 'best-practices': { score: 0 } });
});

test('the wider of two paths applies, whichever is first', () => {
  for (const mask of ['lighthouseResult,lighthouseResult/fetchTime', 'lighthouseResult/fetchTime,lighthouseResult'])
    assert.deepEqual(select(mask), { lighthouseResult });
});

test('a mask applies within a list and drops entries without matching fields', () => {
  assert.deepEqual(select('lighthouseResult.audits.speed-index.details.items.ms'), {
    lighthouseResult: { audits: { 'speed-index': { details: { items: [{ ms: 1 }, {}] } } } },
  });
  assert.deepEqual(select('lighthouseResult/categories/performance/auditRefs(weight)'), {
    lighthouseResult: { categories: { performance: { auditRefs: [{ weight: 10 }] } } },
  });
});

test('missing fields are omitted, and their parents stay', () => {
  assert.deepEqual(select('lighthouseResult/categories/seo/score'), { lighthouseResult: { categories: {} } });
  assert.deepEqual(select('originLoadingExperience,version'), {});
  assert.deepEqual(select('lighthouseResult/audits/no-such-audit/score'), { lighthouseResult: { audits: {} } });
});

test('zero and null are values', () => {
  assert.deepEqual(select('lighthouseResult/audits(speed-index/score,image-alt/score)'), {
    lighthouseResult: { audits: { 'speed-index': { score: 0 }, 'image-alt': { score: null } } },
  });
});

test('a path into a list of plain values selects nothing', () => {
  assert.deepEqual(select('lighthouseResult/runWarnings/x'), { lighthouseResult: { runWarnings: [] } });
});

test('an empty mask selects everything', () => {
  for (const mask of ['', ' ', '   ']) assert.deepEqual(select(mask), answer);
});

test('every field that recorded clients request exists', () => {
  for (const mask of [
    'lighthouseResult/categories/*/score',
    'lighthouseResult(categories(performance(score)),audits)',
    'lighthouseResult.categories.performance.score',
    'captchaResult,kind,id,analysisUTCTimestamp,version(major,minor)',
    'loadingExperience(metrics(LARGEST_CONTENTFUL_PAINT_MS/percentile),overall_category,origin_fallback)',
    'originLoadingExperience/metrics/*/category',
    'lighthouseResult(runtimeError/code,i18n/rendererFormattedStrings,stackPacks/id,entities/name,timing/total)',
    'lighthouseResult/categories(agentic-browsing,pwa,best-practices)',
    'lighthouseResult/audits/final-screenshot/details/data',
    'lighthouseResult/fullPageScreenshot/screenshot/data',
  ])
    assert.doesNotThrow(() => readFieldMask(mask, answerFields), mask);
});

test('an unknown path is rejected with the path', () => {
  for (const [mask, path] of [
    ['id/kind', 'id.kind'],
    ['kind/*', 'kind.*'],
    ['lighthouseResult/categories/performance/score/x', 'lighthouseResult.categories.performance.score.x'],
    ['lighthouseResult/timing/total/x', 'lighthouseResult.timing.total.x'],
    ['lighthouseResult/environment(benchmarkIndex,nonsense)', 'lighthouseResult.environment.nonsense'],
    ['loadingExperience/nonsense', 'loadingExperience.nonsense'],
    ['originLoadingExperience/metrics/*/p75', 'originLoadingExperience.metrics.*.p75'],
    ['foo', 'foo'],
    ['kind,foo', 'foo'],
    ['lighthouseResult/foo', 'lighthouseResult.foo'],
    ['lighthouseResult(fetchTime,foo/bar)', 'lighthouseResult.foo'],
    ['lighthouseResult/categories/performace/score', 'lighthouseResult.categories.performace'],
    ['lighthouseResult/audits/speed-index/scoringOptions', 'lighthouseResult.audits.speed-index.scoringOptions'],
    ['lighthouseResult/audits/*/foo', 'lighthouseResult.audits.*.foo'],
    ['lighthouseResult/categories/*/foo', 'lighthouseResult.categories.*.foo'],
    ['KIND', 'KIND'],
    ['__proto__', '__proto__'],
    ['constructor/name', 'constructor'],
    ['lighthouseResult/hasOwnProperty', 'lighthouseResult.hasOwnProperty'],
  ] as const)
    assert.equal(
      refusal(mask),
      `Error expanding 'fields' parameter. Cannot find matching fields for path '${path}'.`,
      mask,
    );
});

test('an invalid mask is rejected with the position', () => {
  for (const [mask, character] of [
    [',', 1],
    ['kind,', 6],
    ['kind,,id', 6],
    ['/kind', 1],
    ['kind/', 6],
    ['lighthouseResult..audits', 18],
    ['lighthouseResult(', 18],
    ['lighthouseResult()', 18],
    ['lighthouseResult(audits', 24],
    ['lighthouseResult(audits))', 25],
    ['lighthouseResult(audits)categories', 25],
    ['kind id', 6],
    ['(kind)', 1],
    ['kind;id', 5],
    ['ki"nd', 3],
    ['ä', 1],
    ['**', 2],
  ] as const)
    assert.equal(
      refusal(mask),
      `Error expanding 'fields' parameter. The mask cannot be read at character ${character}.`,
      mask,
    );
});

test('a mask of any depth or length is parsed or rejected, never an internal error', () => {
  const below = 'lighthouseResult/audits/treemap/details/';
  assert.doesNotThrow(() => readFieldMask(`${below}${'a/'.repeat(27)}a`, answerFields));
  assert.match(refusal(`${below}${'a/'.repeat(28)}a`), /cannot be read/);
  for (const open of ['a(', '(', 'a/', 'a.']) assert.match(refusal(open.repeat(20_000)), /cannot be read/);
  assert.doesNotThrow(() => readFieldMask(Array(20_000).fill('kind').join(','), answerFields));
});

/** Any JSON, with names that the masks below can match. */
const name = fc.constantFrom('a', 'b', 'c-d', '__proto__', 'constructor');
const json = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, 0, '', 'x', false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 4 })
      .map(entries => JSON.parse(`{${entries.map(([key, part]) => `"${key}":${JSON.stringify(part)}`).join(',')}}`)),
  ),
})).value;

const mask = fc.letrec<{ path: string; list: string }>(tie => ({
  path: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(name, fc.constant('*')),
    fc.tuple(name, fc.constantFrom('/', '.'), tie('path')).map(parts => parts.join('')),
    fc.tuple(fc.oneof(name, fc.constant('*')), tie('list')).map(([parent, list]) => `${parent}(${list})`),
  ),
  list: fc.array(tie('path'), { minLength: 1, maxLength: 3 }).map(paths => paths.join(',')),
})).list;

/** Returns whether every part of `part` is in `whole` at the same place; a list may lack some items. */
function isSubTree(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part)) return Array.isArray(whole) && isSubSequence(part, whole);
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false;
  const names = Object.keys(part);
  const inOrder = Object.keys(whole).filter(name => names.includes(name));
  return (
    inOrder.join() === names.join() && names.every(name => isSubTree(Reflect.get(part, name), Reflect.get(whole, name)))
  );
}

function isSubSequence(part: readonly unknown[], whole: readonly unknown[]): boolean {
  let next = 0;
  for (const entry of whole) if (next < part.length && isSubTree(part[next], entry)) next += 1;
  return next === part.length;
}

const apply = (text: string, value: unknown) => applyFieldMask(readFieldMask(text, anything), value);

test('property: a selection is a sub-tree in the same order, and does not change the value', () => {
  fc.assert(
    fc.property(mask, json, (text, value) => {
      const before = JSON.stringify(value);
      const selected = apply(text, value);
      assert.equal(JSON.stringify(value), before);
      if (selected !== undefined) assert.ok(isSubTree(selected, value), JSON.stringify(selected));
    }),
  );
});

test('property: selecting twice equals selecting once', () => {
  fc.assert(
    fc.property(mask, json, (text, value) => {
      const once = apply(text, value);
      if (once !== undefined) assert.deepEqual(apply(text, once), once);
    }),
  );
});

test('property: neither the order of paths nor repetition matters', () => {
  fc.assert(
    fc.property(mask, mask, json, (one, other, value) => {
      const joined = apply(`${one},${other}`, value);
      assert.deepEqual(apply(`${other},${one}`, value), joined);
      assert.deepEqual(apply(`${one},${other},${one}`, value), joined);
    }),
  );
});

test('property: any text is parsed, or rejected as an invalid mask', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'ab*,/.() -$') }), mask);
  fc.assert(
    fc.property(text, given => {
      try {
        readFieldMask(given, answerFields);
      } catch (error) {
        assert.ok(error instanceof InvalidFieldMask, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});
