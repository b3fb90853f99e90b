/** Contract section 6: the service's PSI v5 endpoint, with its parameters and errors, row by row, over HTTP. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { DialNetwork } from '../../src/measure/egress/dial.ts';
import { type Answer, ask, withQuery } from '../support/asking/ask.ts';
import type { OpenApi } from '../support/asking/documented.ts';
import { jsonOf, sendRaw } from '../support/asking/raw-request.ts';
import { endlessAudits } from '../support/audits/quick-audits.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

type Result = {
  lighthouseResult: {
    requestedUrl: string;
    categories: Record<string, { title: string; score: number }>;
    audits: Record<string, Record<string, unknown>>;
    configSettings: { formFactor: string; locale: string; onlyCategories: string[] };
  };
};
type Envelope = {
  error: {
    code: number;
    message: string;
    status?: string;
    errors: { message: string; domain: string; reason: string; location?: string }[];
  };
};

const path = '/pagespeedonline/v5/runPagespeed';
const pages = await startPages({ after });
const service = await startService({ after }, {}, undefined, { pool: sharedPool() });
const good = `${pages.url}/good`;
const get = <Body = Envelope>(query: Parameters<typeof withQuery>[1], at = path) =>
  ask<Body>(service, withQuery(at, query));

const notLoaded =
  'Lighthouse was unable to reliably load the page you requested. Make sure you are testing the correct URL and that the server is properly responding to all requests.';

/** Pages that cannot be measured, with the message of v5. pagespeed-endpoint.long.ts has more. */
const failing: Readonly<Record<string, readonly [url: string, message: string]>> = {
  'painted nothing': [
    `${pages.url}/blank`,
    'NO_FCP. The page did not paint any content. Please ensure you keep the browser window in the foreground during the load and try again. (NO_FCP)',
  ],
  'is no HTML': [`${pages.url}/pdf`, 'NOT_HTML. The page provided is not HTML (served as MIME type application/pdf).'],
  'answers with an error that is no page': [
    `${pages.url}/json-404`,
    `ERRORED_DOCUMENT_REQUEST. ${notLoaded} (Status code: 404)`,
  ],
};

/** All are requested at once; the service measures two at a time. */
const failed = Promise.all(
  Object.entries(failing).map(async ([name, [url]]) => [name, await get({ url })] as const),
).then(Object.fromEntries<Answer<Envelope>>);

const [plain, chosen] = await Promise.all([
  get<Result>({ url: good }),
  get<Result>(
    {
      url: `url:${pages.url}/echo?a=b#1732188000000`,
      strategy: 'mobile',
      category: ['BEST_PRACTICES', 'best-practices', 'Seo', 'PWA'],
      prettyPrint: 'false',
      locale: 'de_DE',
      key: 'AIza-not-looked-at',
      utm_source: 'lighthouse',
      utm_campaign: 'x',
      nokey: 'true',
    },
    `${path}/`,
  ),
]);

test("the answer has Google's content type for JSON", () => {
  for (const { status, headers } of [plain, chosen])
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/json; charset=UTF-8']);
});

test('strategy and category default to desktop and performance', () => {
  const { configSettings, categories } = plain.body.lighthouseResult;
  assert.deepEqual([configSettings.formFactor, configSettings.locale], ['desktop', 'en-US']);
  assert.deepEqual(Object.keys(categories), ['performance']);
});

test('category, strategy and locale accept any spelling', () => {
  const { categories, configSettings } = chosen.body.lighthouseResult;
  assert.deepEqual(Object.keys(categories).toSorted(), ['best-practices', 'seo']);
  assert.deepEqual([configSettings.formFactor, configSettings.locale], ['mobile', 'de']);
});

test('url: a prefix is removed, and query and fragment are preserved', () => {
  assert.equal(chosen.body.lighthouseResult.requestedUrl, `${pages.url}/echo?a=b#1732188000000`);
  assert.ok(pages.requests.all.includes('/echo?a=b'));
});

test('key, utm_* and unknown parameters are accepted and not repeated', () => {
  assert.equal(chosen.status, 200);
  assert.ok(!chosen.text.includes('AIza-not-looked-at'));
});

test('prettyPrint is on by default, off on request, also in errors', async () => {
  assert.match(plain.text, /^\{\n {2}"captchaResult"/);
  assert.ok(!chosen.text.includes('\n'));
  assert.match((await get({ url: '' })).text, /^\{\n {2}"error"/);
  assert.ok(!(await get({ url: '', prettyPrint: 'false' })).text.includes('\n'));
});

test('fields selects the named parts, in all spellings at once', async () => {
  const mask =
    'lighthouseResult.configSettings.formFactor,lighthouseResult(categories/*/score,audits(speed-index/score))';
  const { text } = await get({ url: good, fields: mask, prettyPrint: 'false' });
  const { lighthouseResult } = JSON.parse(text) as Result;
  assert.deepEqual(JSON.parse(text), {
    lighthouseResult: {
      configSettings: { formFactor: 'desktop' },
      audits: { 'speed-index': { score: lighthouseResult.audits['speed-index']?.score } },
      categories: { performance: { score: lighthouseResult.categories.performance?.score } },
    },
  });
});

test('fields: a mask that selects nothing is rejected before any work', async () => {
  for (const fields of ['lighthouseResult/scores', 'lighthouseResult(', 'a,,b']) {
    const { status, body } = await get({ url: `${good}?masked`, fields });
    assert.deepEqual([status, body.error.status], [400, 'INVALID_ARGUMENT']);
    assert.equal(body.error.message, 'Request contains an invalid argument.');
  }
  assert.ok(!pages.requests.all.includes('/good?masked'));
});

test('error: a url is missing or outside its pattern', async () => {
  for (const [query, value] of [
    [{}, ''],
    [{ url: '' }, ''],
    [{ url: 'foo' }, 'foo'],
  ] as const) {
    const { status, body } = await get(query);
    const message = `Invalid value '${value}'. Values must match the following regular expression: '(?i)(url:|origin:)?http(s)?://.*'`;
    const [first] = body.error.errors;
    assert.deepEqual([status, body.error.code, body.error.message], [400, 400, message]);
    assert.deepEqual(
      [first?.domain, first?.reason, first?.location],
      ['gdata.CoreErrorDomain', 'INVALID_PARAMETER', 'url'],
    );
  }
});

test('error: a value is outside an enumeration or a pattern', async () => {
  for (const [name, value, told] of [
    ['strategy', 'xyz', "Invalid value at 'strategy'"],
    ['category', 'xyz', "Invalid value at 'category'"],
    ['locale', '../../etc', "Invalid value '../../etc'"],
  ] as const) {
    const { status, headers, body } = await get({ url: good, [name]: value });
    assert.equal(status, 400, name);
    assert.ok(body.error.message.startsWith(told), body.error.message);
    assert.equal(headers.get('content-type'), 'application/json; charset=UTF-8');
  }
});

for (const [name, [, told]] of Object.entries(failing))
  test(`error: a page that ${name} is Lighthouse's 400, without status and details`, async () => {
    const { [name]: answer } = await failed;
    const message = `Lighthouse returned error: ${told}`;
    const errors = [{ message, domain: 'lighthouse', reason: 'lighthouseUserError' }];
    assert.deepEqual([answer?.status, answer?.body], [400, { error: { code: 400, message, errors } }]);
  });

/** A network that resolves no name and opens no connection. */
const deaf: DialNetwork = {
  resolve: async () => {
    throw new Error('unknown name');
  },
  connect: () => assert.fail('nothing was to be opened'),
};

test('error: a name that does not resolve is DNS_FAILURE', async t => {
  const elsewhere = await startService(t, {}, deaf);
  const { status, body } = await ask<Envelope>(elsewhere, withQuery(path, { url: 'http://nobody.example.com/' }));
  assert.equal(status, 400);
  assert.equal(
    body.error.message,
    'Lighthouse returned error: DNS_FAILURE. DNS servers could not resolve the provided domain.',
  );
});

test('error: a page that never answers is a 400 too, so that clients do not retry it', async t => {
  const hasty = await startService(t, { LIGHTHOUSE_TIMEOUT: '3' });
  const { status, body } = await ask<Envelope>(hasty, withQuery(path, { url: `${pages.url}/never` }));
  assert.deepEqual(
    [status, body.error.status, body.error.errors[0]?.reason],
    [400, 'DEADLINE_EXCEEDED', 'lighthouse_timeout'],
  );
  assert.match(body.error.message, /within 3 s/);
});

test('error: a forbidden page is a 403 of this service', async () => {
  const { status, body } = await get({ url: `${service.url}/docs` });
  assert.deepEqual([status, body.error.status], [403, 'PERMISSION_DENIED']);
  assert.deepEqual(
    body.error.errors.map(({ domain, reason }) => [domain, reason]),
    [['rangelight', 'target_forbidden']],
  );
});

test('error: a full queue is a 503 with Retry-After; a client that disconnects frees its slot', async t => {
  const settings = { LIGHTHOUSE_QUEUE: '0', LIGHTHOUSE_CONCURRENCY: '1', LIGHTHOUSE_TIMEOUT: '3600' };
  const small = await startService(t, settings, undefined, { audits: endlessAudits });
  const leaving = new AbortController();
  t.after(() => leaving.abort());
  const held = ask(small, withQuery(path, { url: `${pages.url}/never?held` }), { signal: leaving.signal });
  held.catch(() => {});
  await pages.requests.waitFor(1, request => request === '/never?held');

  const { status, headers, body } = await ask<Envelope>(small, withQuery(path, { url: good }));
  assert.deepEqual([status, body.error.status, body.error.errors[0]?.reason], [503, 'UNAVAILABLE', 'queue_full']);
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);

  leaving.abort();
  await until(async () => (await ask<Health>(small, '/health')).body.lighthouse.running === 0);
  assert.equal((await ask(small, withQuery(path, { url: `${pages.url}/pdf` }))).status, 400);
});

test('any other method is a 405 with Allow, on both spellings of the path', async () => {
  for (const target of [path, `${path}/`])
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE']) {
      const answer = await sendRaw(service, { method, target: `${target}?url=${good}` });
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET'], `${method} ${target}`);
      if (method !== 'HEAD') assert.deepEqual(jsonOf(answer), { detail: 'Method Not Allowed' });
    }
});

test('a path that only looks similar has no route', async () => {
  for (const target of [`${path}//`, `/${path}`, '/pagespeedonline/v5', '/pagespeedonline/v4/runPagespeed'])
    assert.equal((await sendRaw(service, { target: `${target}?url=${good}` })).status, 404, target);
});

test('the OpenAPI document describes the parameters and the errors of the endpoint', async () => {
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
  const operation = document.paths[path]?.get;
  assert.deepEqual(
    operation?.parameters?.map(({ name, required }) => (required ? `${name}!` : name)),
    ['url!', 'category', 'strategy', 'locale', 'fields', 'prettyPrint', 'key', 'utm_campaign', 'utm_source'],
  );
  assert.deepEqual(operation?.responses.default?.content, {
    'application/json': { schema: { $ref: '#/components/schemas/PsiErrorBody' } },
  });
  assert.ok(!(`${path}/` in document.paths));
});
