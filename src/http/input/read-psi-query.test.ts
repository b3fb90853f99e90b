/** The parameters of PSI v5, one by one, as real clients spell them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indentOf, Refusal, readPsiQuestion } from './read-psi-query.ts';

const page = 'https://example.com/';
const read = (query: string) => readPsiQuestion(new URLSearchParams(query));
const withPage = (query: string) => read(`url=${page}&${query}`);

const refusal = (query: string) => {
  try {
    read(query);
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error.body.error;
  }
  return assert.fail(`${query} was accepted`);
};

test('url: on its own, it requests the whole result for performance, on desktop, in English', () => {
  assert.deepEqual(withPage(''), {
    url: page,
    strategy: 'desktop',
    categories: ['performance'],
    isPwaAsked: false,
    locale: 'en-US',
    fields: 'all',
    indent: 2,
  });
});

test('url: the prefixes of its pattern are removed, in any case', () => {
  for (const prefix of ['url:', 'origin:', 'URL:', 'Origin:']) assert.equal(read(`url=${prefix}${page}`).url, page);
  assert.equal(read('url=URL:HTTPS://EXAMPLE.com:443/').url, page);
});

test('url: query and fragment are preserved, because some clients use them to distinguish their runs', () => {
  const given = 'https://example.com/a?b=c%26d#1732188000000';
  assert.equal(read(`url=${encodeURIComponent(given)}`).url, given);
});

test('url: a value outside the pattern is an INVALID_PARAMETER that shows the pattern', () => {
  for (const given of ['', 'foo', 'example.com', 'ftp://example.com/', 'url:foo', 'site:https://example.com/']) {
    const message = `Invalid value '${given}'. Values must match the following regular expression: '(?i)(url:|origin:)?http(s)?://.*'`;
    assert.deepEqual(refusal(`url=${encodeURIComponent(given)}`), {
      code: 400,
      message,
      errors: [
        {
          message,
          domain: 'gdata.CoreErrorDomain',
          reason: 'INVALID_PARAMETER',
          location: 'url',
          locationType: 'other',
        },
      ],
    });
  }
});

test('url: a missing URL is rejected like an empty one', () => {
  assert.deepEqual(refusal(''), refusal('url='));
});

test('url: a value within the pattern that is not a page is rejected with the reason and not repeated', () => {
  for (const [given, reason] of [
    ['http://', /empty host/],
    ['https://user:secret@example.com/', /user name or password is not allowed/],
    ['url:http://example.com:22/', /port 22 is not allowed/],
    [`http://example.com/${'a'.repeat(2048)}`, /URL should have at most 2048 characters$/],
  ] as const) {
    const { code, message, errors } = refusal(`url=${encodeURIComponent(given)}`);
    assert.deepEqual([code, errors[0]?.location], [400, 'url']);
    assert.match(message, /^Invalid value for 'url': /);
    assert.match(message, reason);
    assert.doesNotMatch(message, /secret|regular expression/);
  }
});

test('category: repeated values are kept in order, each once', () => {
  assert.deepEqual(withPage('category=seo&category=performance&category=SEO').categories, ['seo', 'performance']);
});

test('category: values may have any case, with - or _', () => {
  for (const spelled of ['BEST_PRACTICES', 'best-practices', 'best_practices', 'Best-Practices', ' best-practices '])
    assert.deepEqual(withPage(`category=${spelled}`).categories, ['best-practices'], spelled);
  for (const name of ['accessibility', 'best-practices', 'performance', 'seo', 'agentic-browsing'])
    assert.deepEqual(withPage(`category=${name.toUpperCase().replaceAll('-', '_')}`).categories, [name]);
});

test('category: several values with commas are split', () => {
  assert.deepEqual(withPage('category=PERFORMANCE,SEO&category=accessibility').categories, [
    'performance',
    'seo',
    'accessibility',
  ]);
});

test('category: none, empty or CATEGORY_UNSPECIFIED means performance', () => {
  for (const query of ['', 'category=', 'category=CATEGORY_UNSPECIFIED', 'category=category-unspecified'])
    assert.deepEqual(withPage(query).categories, ['performance'], query);
});

test('category: AGENTIC_BROWSING is measured only on request', () => {
  assert.deepEqual(withPage('category=AGENTIC_BROWSING&category=SEO').categories, ['agentic-browsing', 'seo']);
  assert.ok(!withPage('').categories.includes('agentic-browsing'));
});

test('category: PWA is ignored, but recorded as requested', () => {
  const { categories, isPwaAsked } = withPage('category=seo&category=PWA');
  assert.deepEqual([categories, isPwaAsked], [['seo'], true]);
  assert.deepEqual(withPage('category=pwa').categories, ['performance']);
});

test("category: any other value is Google's INVALID_ARGUMENT", () => {
  const { code, message, status, errors } = refusal(`url=${page}&category=seo&category=speed`);
  assert.deepEqual([code, status, errors[0]?.reason], [400, 'INVALID_ARGUMENT', 'invalid']);
  assert.match(message, /^Invalid value at 'category' \(type\.googleapis\.com\/.+\.Category\), "speed"$/);
});

test('strategy: values may have any case; absent, empty or STRATEGY_UNSPECIFIED means desktop', () => {
  for (const spelled of ['MOBILE', 'mobile', 'Mobile'])
    assert.equal(withPage(`strategy=${spelled}`).strategy, 'mobile', spelled);
  for (const query of ['', 'strategy=', 'strategy=desktop', 'strategy=DESKTOP', 'strategy=STRATEGY_UNSPECIFIED'])
    assert.equal(withPage(query).strategy, 'desktop', query);
});

test("strategy: any other value is Google's INVALID_ARGUMENT", () => {
  for (const spelled of ['tablet', 'both', 'mobile,desktop']) {
    const { code, message, status } = refusal(`url=${page}&strategy=${spelled}`);
    assert.deepEqual([code, status], [400, 'INVALID_ARGUMENT']);
    assert.ok(message.startsWith("Invalid value at 'strategy'") && message.endsWith(`.Strategy), "${spelled}"`));
  }
});

test('locale: values may have - or _, in any case', () => {
  for (const [given, expected] of [
    ['en_US', 'en-US'],
    ['en-US', 'en-US'],
    ['de', 'de'],
    ['DE_de', 'DE-de'],
    ['', 'en-US'],
  ] as const)
    assert.equal(withPage(`locale=${given}`).locale, expected, given);
});

test('locale: a value within the pattern that is not a language tag means English', () => {
  for (const given of ['a', 'abcdefghi', 'en_a', 'en_abcdefghi', 'i_x'])
    assert.equal(withPage(`locale=${given}`).locale, 'en-US', given);
});

test('locale: a value outside the pattern is an INVALID_PARAMETER', () => {
  for (const given of ['../../etc', 'zh-Hant-TW', 'es-419', '1', 'en_', 'de,en']) {
    const { code, message, errors } = refusal(`url=${page}&locale=${encodeURIComponent(given)}`);
    assert.deepEqual([code, errors[0]?.location, errors[0]?.reason], [400, 'locale', 'INVALID_PARAMETER']);
    assert.equal(
      message,
      `Invalid value '${given}'. Values must match the following regular expression: '[a-zA-Z]+((_|-)[a-zA-Z]+)?'`,
    );
  }
});

test('fields: all spellings of a mask are equivalent', () => {
  const { fields } = withPage('fields=lighthouseResult.categories.performance.score');
  for (const mask of [
    'lighthouseResult/categories/performance/score',
    'lighthouseResult(categories(performance(score)))',
  ])
    assert.deepEqual(withPage(`fields=${encodeURIComponent(mask)}`).fields, fields);
  assert.equal(withPage('fields=').fields, 'all');
});

test('fields: an empty or invalid mask is rejected with its text', () => {
  for (const mask of ['lighthouseResult/foo', 'kind(']) {
    const { code, message, status, details } = refusal(`url=${page}&fields=${encodeURIComponent(mask)}`);
    assert.deepEqual([code, status], [400, 'INVALID_ARGUMENT']);
    assert.equal(message, 'Request contains an invalid argument.');
    assert.equal(details?.[0]?.fieldViolations?.[0]?.field, mask);
  }
});

test('prettyPrint: it is on unless turned off', () => {
  for (const [query, expected] of [
    ['', true],
    ['prettyPrint=true', true],
    ['prettyPrint=', true],
    ['prettyPrint=1', true],
    ['prettyPrint=false', false],
    ['prettyPrint=False', false],
    ['prettyPrint=0', false],
  ] as const)
    assert.equal(indentOf(new URLSearchParams(query)), expected ? 2 : 0, query);
});

test('the other parameters, and unknown ones, have no effect', () => {
  const plain = withPage('');
  for (const query of [
    'utm_campaign=a&utm_source=b',
    'captchaToken=t',
    'key=k',
    'access_token=t&oauth_token=t',
    'quotaUser=q',
    'alt=json',
    'callback=f',
    'uploadType=media&upload_protocol=raw',
    '$.xgafv=2',
    'nokey=true&format=cli&threshold=70',
    'screenshot=true&snapshots=true&filter_third_party_resources=false',
    '__proto__=x&constructor=y',
  ])
    assert.deepEqual(withPage(query), plain, query);
});

test('faults are reported in the order of the parameters', () => {
  assert.equal(refusal('url=foo&strategy=x&category=y').errors[0]?.location, 'url');
  assert.match(refusal(`url=${page}&strategy=x&category=y`).message, /'strategy'/);
});
