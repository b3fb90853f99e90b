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

test('url: alone it asks for performance on desktop in English, whole', () => {
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

test('url: the prefixes of its pattern are taken off, in any case', () => {
  for (const prefix of ['url:', 'origin:', 'URL:', 'Origin:']) assert.equal(read(`url=${prefix}${page}`).url, page);
  assert.equal(read('url=URL:HTTPS://EXAMPLE.com:443/').url, page);
});

test('url: query and fragment are preserved, for clients that tell their runs apart by them', () => {
  const given = 'https://example.com/a?b=c%26d#1732188000000';
  assert.equal(read(`url=${encodeURIComponent(given)}`).url, given);
});

test('url: outside of the pattern it is an INVALID_PARAMETER that shows the pattern', () => {
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

test('url: a missing one is refused like an empty one', () => {
  assert.deepEqual(refusal(''), refusal('url='));
});

test('url: inside of the pattern and still no page, it is refused with the reason and not repeated', () => {
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

test('category: repeated, in the order asked, each once', () => {
  assert.deepEqual(withPage('category=seo&category=performance&category=SEO').categories, ['seo', 'performance']);
});

test('category: any case, with - or _', () => {
  for (const spelled of ['BEST_PRACTICES', 'best-practices', 'best_practices', 'Best-Practices', ' best-practices '])
    assert.deepEqual(withPage(`category=${spelled}`).categories, ['best-practices'], spelled);
  for (const name of ['accessibility', 'best-practices', 'performance', 'seo', 'agentic-browsing'])
    assert.deepEqual(withPage(`category=${name.toUpperCase().replaceAll('-', '_')}`).categories, [name]);
});

test('category: several with commas are taken apart', () => {
  assert.deepEqual(withPage('category=PERFORMANCE,SEO&category=accessibility').categories, [
    'performance',
    'seo',
    'accessibility',
  ]);
});

test('category: none, empty or CATEGORY_UNSPECIFIED is performance', () => {
  for (const query of ['', 'category=', 'category=CATEGORY_UNSPECIFIED', 'category=category-unspecified'])
    assert.deepEqual(withPage(query).categories, ['performance'], query);
});

test('category: AGENTIC_BROWSING is measured only on request', () => {
  assert.deepEqual(withPage('category=AGENTIC_BROWSING&category=SEO').categories, ['agentic-browsing', 'seo']);
  assert.ok(!withPage('').categories.includes('agentic-browsing'));
});

test('category: PWA is left out, and known to have been asked for', () => {
  const { categories, isPwaAsked } = withPage('category=seo&category=PWA');
  assert.deepEqual([categories, isPwaAsked], [['seo'], true]);
  assert.deepEqual(withPage('category=pwa').categories, ['performance']);
});

test('category: anything else is an INVALID_ARGUMENT of Google', () => {
  const { code, message, status, errors } = refusal(`url=${page}&category=seo&category=speed`);
  assert.deepEqual([code, status, errors[0]?.reason], [400, 'INVALID_ARGUMENT', 'invalid']);
  assert.match(message, /^Invalid value at 'category' \(type\.googleapis\.com\/.+\.Category\), "speed"$/);
});

test('strategy: any case; absent, empty or STRATEGY_UNSPECIFIED is desktop', () => {
  for (const spelled of ['MOBILE', 'mobile', 'Mobile'])
    assert.equal(withPage(`strategy=${spelled}`).strategy, 'mobile', spelled);
  for (const query of ['', 'strategy=', 'strategy=desktop', 'strategy=DESKTOP', 'strategy=STRATEGY_UNSPECIFIED'])
    assert.equal(withPage(query).strategy, 'desktop', query);
});

test('strategy: anything else is an INVALID_ARGUMENT of Google', () => {
  for (const spelled of ['tablet', 'both', 'mobile,desktop']) {
    const { code, message, status } = refusal(`url=${page}&strategy=${spelled}`);
    assert.deepEqual([code, status], [400, 'INVALID_ARGUMENT']);
    assert.ok(message.startsWith("Invalid value at 'strategy'") && message.endsWith(`.Strategy), "${spelled}"`));
  }
});

test('locale: with - or _, in any case', () => {
  for (const [given, expected] of [
    ['en_US', 'en-US'],
    ['en-US', 'en-US'],
    ['de', 'de'],
    ['DE_de', 'DE-de'],
    ['', 'en-US'],
  ] as const)
    assert.equal(withPage(`locale=${given}`).locale, expected, given);
});

test('locale: a match of the pattern that is no language tag is English', () => {
  for (const given of ['a', 'abcdefghi', 'en_a', 'en_abcdefghi', 'i_x'])
    assert.equal(withPage(`locale=${given}`).locale, 'en-US', given);
});

test('locale: outside of its pattern it is an INVALID_PARAMETER', () => {
  for (const given of ['../../etc', 'zh-Hant-TW', 'es-419', '1', 'en_', 'de,en']) {
    const { code, message, errors } = refusal(`url=${page}&locale=${encodeURIComponent(given)}`);
    assert.deepEqual([code, errors[0]?.location, errors[0]?.reason], [400, 'locale', 'INVALID_PARAMETER']);
    assert.equal(
      message,
      `Invalid value '${given}'. Values must match the following regular expression: '[a-zA-Z]+((_|-)[a-zA-Z]+)?'`,
    );
  }
});

test('fields: a mask in any of its spellings is the same mask', () => {
  const { fields } = withPage('fields=lighthouseResult.categories.performance.score');
  for (const mask of [
    'lighthouseResult/categories/performance/score',
    'lighthouseResult(categories(performance(score)))',
  ])
    assert.deepEqual(withPage(`fields=${encodeURIComponent(mask)}`).fields, fields);
  assert.equal(withPage('fields=').fields, 'all');
});

test('fields: an empty or invalid mask is refused with its text', () => {
  for (const mask of ['lighthouseResult/foo', 'kind(']) {
    const { code, message, status, details } = refusal(`url=${page}&fields=${encodeURIComponent(mask)}`);
    assert.deepEqual([code, status], [400, 'INVALID_ARGUMENT']);
    assert.equal(message, 'Request contains an invalid argument.');
    assert.equal(details?.[0]?.fieldViolations?.[0]?.field, mask);
  }
});

test('prettyPrint: on unless it is turned off', () => {
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
