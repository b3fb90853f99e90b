import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceSummary } from 'lighthouse/core/computed/resource-summary.js';
import type { Column } from '../../presentation/answer.ts';
import { fromBudgets, resourceTypes } from '../ci/config/budgets.ts';
import { checkAssertion, isOfPage, readAssertion, sayValue } from './assertion.ts';

const request = (url: string, resourceType: string, transferSize: number) => ({ url, resourceType, transferSize });
const whole = {
  entities: [
    { name: 'example.com', isFirstParty: true, origins: ['https://example.com'] },
    { name: 'Example Ads', origins: ['https://ads.example'] },
  ],
  audits: {
    'network-requests': {
      details: {
        items: [
          request('https://example.com/', 'Document', 5000),
          request('https://example.com/a.js', 'Script', 200_000),
          request('https://ads.example/b.js', 'Script', 100_000),
          { ...request('https://example.com/c.png', 'Image', 40_000), statusCode: 404 },
          { ...request('https://example.com/open', 'EventSource', 0), statusCode: -1 },
          { ...request('https://nowhere.example/', 'Fetch', 0), statusCode: -1, networkEndTime: 20 },
        ],
      },
    },
    'unused-javascript': { score: 0, details: { type: 'opportunity', items: [{ url: 'a' }, { url: 'b' }] } },
    'modern-http-insight': { score: 1, details: { type: 'table', items: [] } },
    'document-latency-insight': { score: 0 },
    'lcp-discovery-insight': { score: null, scoreDisplayMode: 'notApplicable' },
    'dom-size-insight': { score: null, scoreDisplayMode: 'error' },
    'cls-culprits-insight': {
      score: 0,
      details: { type: 'list', items: [{ items: [{}, {}] }, { value: { items: [{}] } }] },
    },
  },
};

const column = (lighthouse: unknown = whole): Column =>
  ({
    source: 'lighthouse',
    strategy: 'mobile',
    part: { ok: true, result: { scores: {}, metrics: {}, lighthouse_result: lighthouse } },
  }) as unknown as Column;

const check = (text: string, lighthouse?: unknown, url = 'https://example.com/shop/boots?size=42') => {
  const [found] = checkAssertion(readAssertion(text), url, [column(lighthouse)]);
  return found && [found.measured, found.passed];
};

test('sizes and counts are for a type, for third parties, or for everything', () => {
  for (const [text, measured, passed] of [
    ['script-size<=300KB', 300_000, true],
    ['script-size<300KB', 300_000, false],
    ['script-size<=293KiB', 300_000, true],
    ['SCRIPT_COUNT<=1', 2, false],
    ['image-size<=39999', 40_000, false],
    ['font-count<=0', 0, true],
    ['third-party-size<=100KB', 100_000, true],
    ['third-party-count<1', 1, false],
    ['total-size<=1MB', 345_000, true],
    ['stylesheet-count<=0', 0, true],
    ['failed-count<=0', 2, false],
    ['data-count<=2', 2, true],
  ] as const)
    assert.deepEqual(check(text), [measured, passed], text);
});

const withRequests = (items: readonly object[]) => ({
  entities: whole.entities,
  audits: { 'network-requests': { details: { items } } },
});

test('every request of a large page is judged, also the 2,500th', () => {
  const items = Array.from({ length: 2500 }, (_, at) => request(`https://example.com/${at}.js`, 'Script', 100));
  const large = withRequests([...items.slice(1), { ...items[0], statusCode: 500, networkRequestTime: 9000 }]);
  assert.deepEqual(check('total-count<=1000', large), [2500, false]);
  assert.deepEqual(check('script-size<=100KB', large), [250_000, false]);
  assert.deepEqual(check('failed-count<=0', large), [1, false]);
});

test("the sizes and counts of a budget.json are those of Lighthouse's resource-summary", () => {
  const urls = [
    ...['https://example.com/', 'https://example.com/favicon.ico', 'https://ads.example/b', 'data:image/gif;base64,R0'],
    ...['blob:https://example.com/1', 'filesystem:https://example.com/1', 'intent://x', 'file:///a'],
    'chrome-extension://a/b',
  ];
  const types = 'Document Stylesheet Script Font Image Media XHR Fetch EventSource Other'.split(' ');
  const items = urls.flatMap((url, at) => types.map(type => ({ ...request(url, type, 2 ** at), resourceSize: 0 })));
  const records = items.map(item => {
    const scheme = new URL(item.url).protocol.slice(0, -1);
    return { ...item, protocol: scheme, parsedURL: { scheme } };
  });
  const firstParty = { domains: ['example.com'] };
  const summary = ResourceSummary.summarize(records as never, {} as never, { firstParty } as never);
  for (const name of resourceTypes) {
    const rows = [{ resourceType: name, budget: 1 }];
    const value = [{ resourceSizes: rows, resourceCounts: rows }];
    const { asserts } = fromBudgets({ path: 'budget.json', value, lineOf: pointer => pointer });
    const { count, transferSize } = summary[name as keyof typeof summary];
    assert.deepEqual(
      asserts.map(({ text }) => check(text, withRequests(items))?.[0]),
      [transferSize, count],
      name,
    );
  }
});

test("an audit's count is the number of items it lists", () => {
  for (const [text, measured] of [
    ['unused-javascript<=0', 2],
    ['modern-http-insight<=0', 0],
    ['document-latency-insight<=0', 1],
    ['lcp-discovery-insight<=0', 0],
    ['cls-culprits-insight<=0', 3],
  ] as const)
    assert.deepEqual(check(text), [measured, measured === 0], text);
});

test("an audit's score is 0 to 100, and an audit that does not apply has 100", () => {
  for (const [text, measured, passed] of [
    ['unused-javascript-score>=90', 0, false],
    ['modern-http-insight-score>=90', 100, true],
    ['lcp-discovery-insight-score>=90', 100, true],
    ['dom-size-insight-score>=0', null, false],
    ['not-an-audit-score>=0', null, false],
  ] as const)
    assert.deepEqual(check(text), [measured, passed], text);
  assert.equal(readAssertion('largest-contentful-paint-score>=75').subject.kind, 'audit-score');
  assert.throws(() => readAssertion('unused-javascript-score>=0.9'), /scores range from 0 to 100/);
});

test('a missing value never passes', () => {
  for (const text of ['dom-size-insight<=9', 'not-an-audit<=9', 'constructor-name>=0', 'redirects<=9'])
    assert.deepEqual(check(text), [null, false], text);
  for (const lighthouse of [null, {}, { audits: {} }, { audits: { 'network-requests': {} } }])
    assert.deepEqual(check('total-size>=0', lighthouse), [null, false]);
});

test('an unknown id is reported with the most similar one', () => {
  const faultOf = (text: string) => checkAssertion(readAssertion(text), 'https://example.com/', [column()])[0]?.fault;
  assert.equal(
    faultOf('unused-javscript<=0'),
    'There is no audit unused-javscript in the result; did you mean unused-javascript?',
  );
  assert.equal(faultOf('quite-another-name<=0'), 'There is no audit quite-another-name in the result.');
  for (const text of ['unused-javascript<=0', 'script-size<=0', 'performance>=1'])
    assert.equal(faultOf(text), undefined);
});

test('a misspelled known name is an error, not an audit id', () => {
  assert.throws(() => readAssertion('largest-contentful-pain<=2s'), /did you mean largest-contentful-paint/);
  assert.throws(() => readAssertion('best-practice>=90'), /did you mean best-practices/);
  assert.throws(() => readAssertion('script-size<=300s'), /must be B, KB/);
  assert.throws(() => readAssertion('script-count<=3KB'), /no unit/);
  assert.throws(() => readAssertion('colour<=3'), /unknown score or metric/);
  assert.throws(() => readAssertion('img-count<=3'), /did you mean image-count/);
  assert.throws(() => readAssertion('scripts-size<=3KB'), /did you mean script-size/);
});

test('an assertion applies to the pages that match its pattern', () => {
  const fits = (pages: string, url: string) => isOfPage(readAssertion(`${pages} LCP<=2s`), url);
  assert.ok(fits('/shop/*', 'https://example.com/shop/boots'));
  assert.ok(!fits('/shop/*', 'https://example.com/about/shop/'));
  assert.ok(fits('/a.b?x=*', 'https://example.com/a.b?x=1'));
  assert.ok(!fits('/a.b', 'https://example.com/aXb'));
  assert.ok(fits('https://*.example.com/*', 'https://www.example.com/'));
  assert.ok(!fits('https://*.example.com/*', 'http://www.example.com/'));
  assert.equal(check('/about/* script-count<=0'), undefined);
  assert.deepEqual(check('/shop/* script-count<=0'), [2, false]);
});

test('an assertion that only warns is marked as such', () => {
  const { isWarning, pages, subject } = readAssertion('warn /shop/* script-size <= 300 KB');
  assert.deepEqual([isWarning, pages, subject.name], [true, '/shop/*', 'script-size']);
  assert.equal(readAssertion('LCP <= 2.5 s').isWarning, false);
  assert.equal(sayValue(readAssertion('script-size<=1KB'), 1000), '1\u00a0kB');
});
