/** Contract section 3, the query of GET operations. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import {
  allCategories,
  allStrategies,
  assertInvalid,
  badUrls,
  type Invalid,
  literal,
  notBoolean,
  oneStrategy,
  required,
} from '../support/asking/invalid.ts';
import { jsonOf, sendRaw } from '../support/asking/raw-request.ts';
import { startService } from '../support/start-service.ts';

const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'public' });
const page = 'https://example.com/';
/** A URL that passes validation, but that the policy refuses before any work. */
const forbidden = 'http://127.0.0.1:1234/';
const operations = ['/psi', '/lighthouse', '/compare'];
const localOperations = ['/lighthouse', '/compare'];

const given = (count: number) => `Value error, the parameter was given ${count} times: give it once`;
const refusal = (path: string, query: Parameters<typeof withQuery>[1]) => ask<Invalid>(service, withQuery(path, query));

async function assertAccepted(path: string, query: Parameters<typeof withQuery>[1]): Promise<void> {
  const { status, body } = await ask<Problem>(service, withQuery(path, { url: forbidden, ...query }));
  assert.equal(status, 403, JSON.stringify(body));
  assert.equal(body.code, 'target_forbidden');
}

test('url is required on every GET analysis operation', async () => {
  for (const path of operations) assertInvalid(await refusal(path, {}), [required('query', 'url')]);
});

test('the v5 endpoint has its own message for a missing url', async () => {
  const { status } = await ask(service, '/pagespeedonline/v5/runPagespeed');
  assert.equal(status, 400);
});

test('a URL that is not a page is rejected with a reason', async () => {
  for (const path of operations)
    for (const [url, type, message] of badUrls) {
      const { status, body } = await refusal(path, { url });
      assert.equal(status, 422, url);
      const [item, ...others] = body.detail;
      assert.deepEqual(others, []);
      assert.deepEqual({ loc: item?.loc, type: item?.type }, { loc: ['query', 'url'], type }, url);
      assert.match(item?.msg ?? '', message, url);
    }
});

test('a password in a URL is not repeated in the error', async () => {
  const { text } = await refusal('/psi', { url: 'http://user:secret@example.com/' });
  assert.doesNotMatch(text, /secret/);
});

test('a URL is used in its canonical form', async () => {
  const spelled = 'HTTPS://EXAMPLE.com:443/a/../b';
  const { body } = await ask<Result>(service, withQuery('/psi', { url: spelled, strategy: 'mobile' }));
  assert.equal(body.url, 'https://example.com/b');
  assert.equal(fake.calls.all.at(-1)?.params.get('url'), 'https://example.com/b');
});

test('strategy on /psi is mobile, desktop or both', async () => {
  for (const strategy of ['mobile', 'desktop', 'both']) await assertAccepted('/psi', { strategy });
  for (const strategy of ['tablet', '', 'MOBILE', ' mobile'])
    assertInvalid(await refusal('/psi', { url: page, strategy }), [literal(['query', 'strategy'], allStrategies)]);
});

test('strategy on /lighthouse and /compare is mobile or desktop, not both', async () => {
  for (const path of localOperations) {
    for (const strategy of ['mobile', 'desktop']) await assertAccepted(path, { strategy });
    for (const strategy of ['both', 'tablet', ''])
      assertInvalid(await refusal(path, { url: page, strategy }), [literal(['query', 'strategy'], oneStrategy)]);
  }
});

test('categories are a comma-separated list from the four', async () => {
  for (const path of operations) {
    for (const categories of [
      'seo',
      'performance,accessibility,best-practices,seo',
      ' seo , performance ',
      '',
      ',',
      'seo,',
    ])
      await assertAccepted(path, { categories });
    for (const categories of ['pwa', 'seo,pwa', 'SEO', 'seo;performance', 'best_practices'])
      assertInvalid(await refusal(path, { url: page, categories }), [literal(['query', 'categories'], allCategories)]);
  }
});

test('categories may be repeated', async () => {
  const query = { url: page, strategy: 'mobile', categories: ['seo', 'performance, accessibility'] };
  const { body } = await ask<Result>(service, withQuery('/psi', query));
  assert.deepEqual(Object.keys(body.scores).toSorted(), ['accessibility', 'performance', 'seo']);
});

test('empty or missing categories mean all four', async () => {
  for (const extra of [{}, { categories: '' }]) {
    const { body } = await ask<Result>(service, withQuery('/psi', { url: page, strategy: 'mobile', ...extra }));
    assert.deepEqual(Object.keys(body.scores), ['performance', 'accessibility', 'best-practices', 'seo']);
  }
});

test('detailed is read as pydantic reads booleans', async () => {
  const spellings: [string[], boolean][] = [
    [['1', 't', 'y', 'on', 'yes', 'true', 'True', 'YES', 'oN'], true],
    [['0', 'f', 'n', 'off', 'no', 'false', 'False', 'NO', 'oFF'], false],
  ];
  for (const [words, isDetailed] of spellings)
    for (const detailed of words) {
      const { status, body } = await ask<Result>(
        service,
        withQuery('/psi', { url: page, strategy: 'mobile', detailed }),
      );
      assert.equal(status, 200, detailed);
      assert.equal('lighthouse_result' in body, isDetailed, detailed);
    }
});

test('detailed that is not a boolean is rejected', async () => {
  for (const detailed of ['', 'maybe', '2', '-1', '1.0', ' true', 'truee', 'null', 'enabled'])
    assertInvalid(await refusal('/psi', { url: page, detailed }), [notBoolean('query', 'detailed')]);
});

test('runs on /lighthouse and /compare is a whole number from 1 to 5', async () => {
  const loc = ['query', 'runs'];
  const atLeast = { loc, msg: 'Input should be greater than or equal to 1', type: 'greater_than_equal' };
  const atMost = { loc, msg: 'Input should be less than or equal to 5', type: 'less_than_equal' };
  const msg = 'Input should be a valid integer, unable to parse string as an integer';
  for (const path of localOperations) {
    for (const runs of ['1', '5', '+3', ' 2 ']) await assertAccepted(path, { runs });
    for (const runs of ['0', '-1', '-0']) assertInvalid(await refusal(path, { url: page, runs }), [atLeast]);
    for (const runs of ['6', '999999999999999']) assertInvalid(await refusal(path, { url: page, runs }), [atMost]);
    for (const runs of ['', 'two', '1.5', '1e0', '0x1', 'null', '9'.repeat(400)])
      assertInvalid(await refusal(path, { url: page, runs }), [{ loc, msg, type: 'int_parsing' }]);
  }
});

test('cpu on /lighthouse and /compare is usual or calibrated', async () => {
  for (const path of localOperations) {
    for (const cpu of ['default', 'calibrated']) await assertAccepted(path, { cpu });
    assertInvalid(await refusal(path, { url: page, cpu: 'fast' }), [
      literal(['query', 'cpu'], "'default' or 'calibrated'"),
    ]);
  }
});

test('profile on /lighthouse and /compare is lighthouse or psi', async () => {
  for (const path of localOperations) {
    for (const profile of ['lighthouse', 'psi']) await assertAccepted(path, { profile });
    for (const profile of ['', 'PSI', 'lr'])
      assertInvalid(await refusal(path, { url: page, profile }), [
        literal(['query', 'profile'], "'lighthouse' or 'psi'"),
      ]);
  }
});

test('detailed is not a parameter of /lighthouse and /compare', async () => {
  for (const path of localOperations) await assertAccepted(path, { detailed: 'maybe' });
});

test('any other repeated parameter is rejected', async () => {
  const twice = (name: string) => ({ loc: ['query', name], msg: given(2), type: 'value_error' });
  for (const path of operations) {
    assertInvalid(await refusal(path, { url: [page, page] }), [twice('url')]);
    assertInvalid(await refusal(path, { url: page, strategy: ['mobile', 'desktop'] }), [twice('strategy')]);
  }
  for (const path of localOperations)
    assertInvalid(await refusal(path, { url: page, runs: [1, 1], profile: ['psi', 'psi'] }), [
      twice('runs'),
      twice('profile'),
    ]);
  assertInvalid(await refusal('/psi', { url: page, detailed: [true, true] }), [twice('detailed')]);
});

test('unknown parameters are ignored, including repeated ones', async () => {
  for (const path of operations) await assertAccepted(path, { nonsense: ['1', '2'], locale: 'xx', constructor: '1' });
});

test('a misspelled parameter is rejected, and the intended parameter is named', async () => {
  const misspelled = (name: string, meant: string) => ({
    loc: ['query', name],
    msg: `Extra inputs are not permitted. Did you mean \`${meant}\`?`,
    type: 'extra_forbidden',
  });
  for (const path of operations)
    assertInvalid(await refusal(path, { url: page, starategy: 'desktop', Category: 'seo' }), [
      misspelled('starategy', 'strategy'),
      misspelled('Category', 'categories'),
    ]);
});

test('all faults of a query are reported together, in the order of its fields', async () => {
  const query = { detailed: 'maybe', categories: 'pwa', strategy: 'tablet' };
  assertInvalid(await refusal('/psi', query), [
    required('query', 'url'),
    literal(['query', 'strategy'], allStrategies),
    literal(['query', 'categories'], allCategories),
    notBoolean('query', 'detailed'),
  ]);
  for (const path of localOperations)
    assertInvalid(await refusal(path, query), [
      required('query', 'url'),
      literal(['query', 'strategy'], oneStrategy),
      literal(['query', 'categories'], allCategories),
    ]);
});

test('a badly encoded query gets an answer, not a crash', async () => {
  for (const target of ['/psi?url=%zz', '/psi?%E0%A4%A', '/psi?&&&=', '/psi?url', '/psi?url=%ff']) {
    const answer = await sendRaw(service, { target });
    assert.equal(answer.status, 422, target);
    assert.equal(jsonOf<Invalid>(answer).detail[0]?.loc[1], 'url');
  }
});
