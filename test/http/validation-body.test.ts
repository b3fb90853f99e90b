/** Contract section 3, the body of `POST /psi`. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Static } from 'typebox';
import type { BatchResult } from '../../src/contract/analysis/answers.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { type Answer, ask, post } from '../support/asking/ask.ts';
import {
  allCategories,
  allStrategies,
  assertInvalid,
  badUrls,
  type Invalid,
  literal,
  notBoolean,
  required,
} from '../support/asking/invalid.ts';
import { jsonOf, sendRaw } from '../support/asking/raw-request.ts';
import { startService } from '../support/start-service.ts';

const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint, PSI_CONCURRENCY: '100' });
const url = 'https://example.com/';

const refusal = (body: unknown) => post<Invalid>(service, '/psi', body);
const accepted = async (body: object): Promise<Answer<Result>> => {
  const answer = await post<Result>(service, '/psi', { url, strategy: 'mobile', ...body });
  assert.equal(answer.status, 200, answer.text);
  return answer;
};
const sendAs = (contentType: string, body = JSON.stringify({ url, strategy: 'mobile' })) =>
  ask<Invalid>(service, '/psi', { method: 'POST', headers: { 'content-type': contentType }, body });

const oneOf = { loc: ['body'], msg: "Value error, specify exactly one of 'url' and 'urls'", type: 'value_error' };
const notString = (...loc: (string | number)[]) => ({
  loc,
  msg: 'Input should be a valid string',
  type: 'string_type',
});
const notList = (...loc: string[]) => ({ loc, msg: 'Input should be a valid list', type: 'list_type' });
const notObject = 'Input should be a valid dictionary or object to extract fields from';

test('the body is required', async () => {
  assertInvalid(await ask<Invalid>(service, '/psi', { method: 'POST' }), [required('body')]);
  assertInvalid(await refusal(''), [required('body')]);
  assertInvalid(await refusal('null'), [required('body')]);
  const answer = await sendRaw(service, { method: 'POST', target: '/psi' });
  assert.deepEqual([answer.status, jsonOf(answer)], [422, { detail: [required('body')] }]);
});

test('a body that is not an object is rejected', async () => {
  for (const body of ['[]', '"text"', '12', 'true', '[{"url":"https://example.com/"}]'])
    assertInvalid(await refusal(body), [{ loc: ['body'], msg: notObject, type: 'model_attributes_type' }]);
});

test('invalid JSON is rejected at its position', async () => {
  const cases: [string, number][] = [
    ['{', 1],
    ['{"url": }', 8],
    ['{"url": "https://example.com/",}', 31],
    ['{"url": "https://example.com/"} x', 32],
    ["{'url': 1}", 1],
    ['nonsense', 0],
    ['{"url": "https://example.com/" "urls": []}', 31],
  ];
  for (const [body, position] of cases)
    assertInvalid(await refusal(body), [{ loc: ['body', position], msg: 'JSON decode error', type: 'json_invalid' }]);
});

test('a content type other than JSON is rejected with a message', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'garbage',
    ';;',
    'application/jsonx',
  ]) {
    const { status, body } = await sendAs(type);
    assert.equal(status, 422, type);
    assert.equal(body.detail.length, 1);
    assert.deepEqual(body.detail[0]?.loc, ['body']);
    assert.equal(body.detail[0]?.msg, `${notObject}: send it as application/json, not ${type}`);
  }
});

test('application/json, +json and a missing content type are read as JSON', async () => {
  for (const type of [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/vnd.api+json',
    'application/ld+json;x=y',
  ])
    assert.equal((await sendAs(type)).status, 200, type);
  const body = JSON.stringify({ url, strategy: 'mobile' });
  assert.equal((await sendRaw(service, { method: 'POST', target: '/psi', body })).status, 200);
  const empty = { method: 'POST', target: '/psi', body, headers: ['Content-Type:'] };
  assert.equal((await sendRaw(service, empty)).status, 200);
});

test('exactly one of url and urls is given', async () => {
  for (const body of [
    {},
    { url: null },
    { urls: null },
    { url: null, urls: null },
    { url, urls: [url] },
    { strategy: 'mobile' },
  ])
    assertInvalid(await refusal(body), [oneOf]);
});

test('null counts as missing', async () => {
  const { body } = await accepted({ urls: null, categories: null });
  assert.deepEqual(Object.keys(body.scores), ['performance', 'accessibility', 'best-practices', 'seo']);
  const batch = await post<Static<typeof BatchResult>>(service, '/psi', { url: null, urls: [url], strategy: 'mobile' });
  assert.equal(batch.body.total, 1);
});

test('null is neither a strategy nor a boolean', async () => {
  assertInvalid(await refusal({ url, strategy: null }), [literal(['body', 'strategy'], allStrategies)]);
  const { body } = await refusal({ url, detailed: null });
  assert.deepEqual(body.detail, [
    { loc: ['body', 'detailed'], msg: 'Input should be a valid boolean', type: 'bool_type' },
  ]);
});

test('url is a string', async () => {
  for (const wrong of [1, true, [], {}, [url]])
    assertInvalid(await refusal({ url: wrong }), [notString('body', 'url')]);
});

test('a url that is not a page is rejected with a reason', async () => {
  for (const [wrong, type, message] of badUrls) {
    const { status, body } = await refusal({ url: wrong });
    assert.equal(status, 422, wrong);
    assert.equal(body.detail.length, 1);
    assert.deepEqual({ loc: body.detail[0]?.loc, type: body.detail[0]?.type }, { loc: ['body', 'url'], type }, wrong);
    assert.match(body.detail[0]?.msg ?? '', message);
  }
});

test('urls is a list', async () => {
  for (const wrong of [url, 1, {}, true]) assertInvalid(await refusal({ urls: wrong }), [notList('body', 'urls')]);
});

test('an item of urls that is not a string makes the request a 422', async () => {
  assertInvalid(await refusal({ urls: [url, 1, null, 'no url', {}] }), [
    notString('body', 'urls', 1),
    notString('body', 'urls', 2),
    notString('body', 'urls', 4),
  ]);
});

test('urls has 1 to 100 items', async () => {
  const long = 'List should have at most 100 items after validation, not 101';
  const short = 'List should have at least 1 item after validation, not 0';
  assertInvalid(await refusal({ urls: Array(101).fill(url) }), [
    { loc: ['body', 'urls'], msg: long, type: 'too_long' },
  ]);
  assertInvalid(await refusal({ urls: [] }), [{ loc: ['body', 'urls'], msg: short, type: 'too_short' }]);
  const { status, body } = await post<Static<typeof BatchResult>>(service, '/psi', {
    urls: Array(100).fill(url),
    strategy: 'mobile',
  });
  assert.deepEqual([status, body.total], [200, 100]);
});

test('strategy in a body is mobile, desktop or both', async () => {
  for (const strategy of ['mobile', 'desktop', 'both']) await accepted({ strategy });
  for (const strategy of ['tablet', '', 1, ['mobile'], {}, true])
    assertInvalid(await refusal({ url, strategy }), [literal(['body', 'strategy'], allStrategies)]);
});

test('categories in a body are a list of the four', async () => {
  const { body } = await accepted({ categories: ['seo', 'performance', 'seo'] });
  assert.deepEqual(Object.keys(body.scores).toSorted(), ['performance', 'seo']);
  for (const wrong of ['seo', 1, {}, true])
    assertInvalid(await refusal({ url, categories: wrong }), [notList('body', 'categories')]);
});

test('a wrong category in a body is named by its index', async () => {
  assertInvalid(await refusal({ url, categories: ['seo', 'pwa', 7, null] }), [
    literal(['body', 'categories', 1], allCategories),
    literal(['body', 'categories', 2], allCategories),
    literal(['body', 'categories', 3], allCategories),
  ]);
});

test('categories of null and an empty list mean all four', async () => {
  for (const categories of [null, []]) {
    const { body } = await accepted({ categories });
    assert.equal(Object.keys(body.scores).length, 4);
  }
});

test('detailed in a body is read as pydantic reads booleans', async () => {
  const spellings: [unknown[], boolean][] = [
    [[true, 1, '1', 't', 'y', 'on', 'yes', 'true', 'TRUE', 'Yes'], true],
    [[false, 0, '0', 'f', 'n', 'off', 'no', 'false', 'FALSE', 'No'], false],
  ];
  for (const [words, isDetailed] of spellings)
    for (const detailed of words) {
      const { body } = await accepted({ detailed });
      assert.equal('lighthouse_result' in body, isDetailed, String(detailed));
    }
});

test('detailed in a body that is not a boolean is rejected', async () => {
  for (const detailed of ['maybe', '', ' true', 2, -1])
    assertInvalid(await refusal({ url, detailed }), [notBoolean('body', 'detailed')]);
  const wrongType = { loc: ['body', 'detailed'], msg: 'Input should be a valid boolean', type: 'bool_type' };
  for (const detailed of [null, [], {}, 1.5]) assertInvalid(await refusal({ url, detailed }), [wrongType]);
});

test('detailed defaults to false', async () => {
  const { body } = await accepted({});
  assert.ok(!('lighthouse_result' in body));
});

test('unknown fields are ignored, whatever their names', async () => {
  await accepted({ nonsense: 1, constructor: 2, toString: null });
  const body = '{"url":"https://example.com/","strategy":"mobile","__proto__":{"detailed":true,"urls":[]}}';
  const answer = await post<Result>(service, '/psi', body);
  assert.equal(answer.status, 200);
  assert.ok(!('lighthouse_result' in answer.body));
});

test('an unknown field of a schedule is rejected, and its fields are named', async () => {
  const order = { urls: [url], cron: '0 3 * * *', tz: 'Europe/Berlin' };
  const { status, body } = await post<Invalid>(service, '/schedules', order);
  assert.equal(status, 422);
  const [fault, ...others] = body.detail;
  assert.deepEqual([fault?.loc, fault?.type, others], [['body', 'tz'], 'extra_forbidden', []]);
  assert.match(
    fault?.msg ?? '',
    /^Extra inputs are not permitted\. The fields are urls, site, sample, cron, timezone, /,
  );
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field${at}`, at]));
  const refused = await post<Invalid>(service, '/schedules', { ...order, ...many });
  assert.deepEqual([refused.status, refused.body.detail.length], [422, 100]);
});

test('a misspelled field is rejected, and the intended field is named', async () => {
  assertInvalid(await refusal({ url, detail: true }), [
    {
      loc: ['body', 'detail'],
      msg: 'Extra inputs are not permitted. Did you mean `detailed`?',
      type: 'extra_forbidden',
    },
  ]);
});

test('all faults of a body are reported together, in the order of its fields', async () => {
  const body = { detailed: 'maybe', categories: ['pwa'], strategy: 'tablet', urls: [1], url: 2 };
  assertInvalid(await refusal(body), [
    notString('body', 'url'),
    notString('body', 'urls', 0),
    literal(['body', 'strategy'], allStrategies),
    literal(['body', 'categories', 0], allCategories),
    notBoolean('body', 'detailed'),
    oneOf,
  ]);
});

test('a body of 5 MB is payload_too_large', async () => {
  const { status, headers, body } = await post<Problem>(service, '/psi', { url, padding: 'x'.repeat(5 * 1024 * 1024) });
  assert.equal(status, 413);
  assert.equal(headers.get('content-type'), 'application/problem+json');
  assert.equal(body.code, 'payload_too_large');
  assert.equal(body.retryable, false);
});

test('bytes that are not UTF-8 are a 422, not a crash', async () => {
  const answer = await sendRaw(service, {
    method: 'POST',
    target: '/psi',
    headers: ['Content-Type: application/json'],
    body: '{"url":"\xff\xfe"}',
  });
  assert.equal(answer.status, 422);
});

test('rejected requests never reach the analyser', async t => {
  const quiet = await startFakePsi(t);
  const other = await startService(t, { PSI_ENDPOINT: quiet.endpoint });
  await post<Invalid>(other, '/psi', { url, strategy: 'tablet' });
  await post<Invalid>(other, '/psi', { url: 'example.com' });
  await ask<Invalid>(other, '/psi?strategy=mobile');
  assert.equal(quiet.calls.all.length, 0);
});
