/** Contract section 6: the service's own PSI v5 endpoint, as v5 clients know it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, withQuery } from '../ask.ts';
import { findClosedPort } from '../local-server.ts';
import { startPages } from '../pages.ts';
import { startService } from '../start-service.ts';

type Result = {
  captchaResult: string;
  kind: string;
  id: string;
  loadingExperience: object;
  lighthouseResult: {
    lighthouseVersion: string;
    requestedUrl: string;
    categories: Record<string, { score: number }>;
    audits: Record<string, { id: string; score: number | null }>;
    configSettings: { formFactor: string; emulatedFormFactor: string; channel: string; locale: string };
    fetchTime: string;
  };
  analysisUTCTimestamp: string;
};
type Envelope = {
  error: {
    code: number;
    message: string;
    status?: string;
    errors: { message: string; domain: string; reason: string; location?: string }[];
  };
};

const pages = await startPages({ after });
const service = await startService({ after });
const good = `${pages.url}/good`;
const run = <Body = Envelope>(query: Parameters<typeof withQuery>[1]) =>
  ask<Body>(service, withQuery('/pagespeedonline/v5/runPagespeed', query));

const [plain, chosen] = await Promise.all([
  run<Result>({ url: good }),
  run<Result>({
    url: `url:${pages.url}/echo?a=b`,
    strategy: 'mobile',
    category: ['BEST_PRACTICES', 'best-practices', 'Seo', 'PWA'],
    prettyPrint: 'false',
    locale: 'de',
  }),
]);

test('the endpoint answers in the shape of v5', () => {
  const { status, body } = plain;
  assert.equal(status, 200);
  const keys = ['captchaResult', 'kind', 'id', 'loadingExperience', 'lighthouseResult', 'analysisUTCTimestamp'];
  assert.deepEqual(Object.keys(body), keys);
  assert.deepEqual([body.kind, body.id], ['pagespeedonline#result', good]);
  assert.deepEqual(body.loadingExperience, { initial_url: good });
  assert.equal(body.analysisUTCTimestamp, body.lighthouseResult.fetchTime);
});

test('what the proto of v5 does not have is left out', () => {
  const { lighthouseResult } = plain.body;
  for (const key of ['gatherMode', 'i18n', 'runtimeError']) assert.ok(!(key in lighthouseResult), key);
  assert.deepEqual(Object.keys(lighthouseResult.configSettings).toSorted(), [
    'channel',
    'emulatedFormFactor',
    'formFactor',
    'locale',
    'onlyCategories',
  ]);
  assert.ok(!plain.text.includes('""'), 'no empty string');
});

test('strategy on the v5 endpoint defaults to desktop, category to performance', () => {
  const { configSettings, categories } = plain.body.lighthouseResult;
  assert.deepEqual(
    [configSettings.formFactor, configSettings.emulatedFormFactor, configSettings.channel],
    ['desktop', 'desktop', 'lr'],
  );
  assert.deepEqual(Object.keys(categories), ['performance']);
});

test('categories on the v5 endpoint are taken in any spelling, and what v5 has dropped is ignored', () => {
  const { categories, configSettings } = chosen.body.lighthouseResult;
  assert.deepEqual(Object.keys(categories).toSorted(), ['best-practices', 'seo']);
  assert.deepEqual([configSettings.formFactor, configSettings.locale], ['mobile', 'de']);
});

test('url: in front of a URL is taken off', () => {
  assert.equal(chosen.body.lighthouseResult.requestedUrl, `${pages.url}/echo?a=b`);
});

test('prettyPrint is on by default and can be turned off', () => {
  assert.match(plain.text, /^\{\n {2}"captchaResult"/);
  assert.ok(!chosen.text.includes('\n'));
});

test('a url that is no URL is an INVALID_PARAMETER of Google', async () => {
  for (const url of ['foo', '', 'example.com', 'ftp://example.com']) {
    const { status, body } = await run({ url });
    const message = `Invalid value '${url}'. Values must match the following regular expression: '(?i)(url:|origin:)?http(s)?://.*'`;
    const error = {
      message,
      domain: 'gdata.CoreErrorDomain',
      reason: 'INVALID_PARAMETER',
      location: 'url',
      locationType: 'other',
    };
    assert.deepEqual([status, body], [400, { error: { code: 400, message, errors: [error] } }]);
  }
});

test('a strategy or category outside its enumeration is an INVALID_ARGUMENT of Google', async () => {
  for (const [name, type] of [
    ['strategy', 'Strategy'],
    ['category', 'Category'],
  ] as const) {
    const { status, body } = await run({ url: good, [name]: 'xyz' });
    assert.deepEqual([status, body.error.code, body.error.status], [400, 400, 'INVALID_ARGUMENT']);
    assert.ok(
      body.error.message.startsWith(`Invalid value at '${name}'`) && body.error.message.endsWith(`.${type}), "xyz"`),
    );
    assert.equal(body.error.errors[0]?.reason, 'invalid');
  }
});

test('a locale outside its pattern is refused', async () => {
  const { status, body } = await run({ url: good, locale: '../../etc' });
  assert.deepEqual([status, body.error.errors[0]?.location], [400, 'locale']);
});

test('a page that cannot be measured is a lighthouseUserError of Google', async () => {
  const { status, body } = await run({ url: await findClosedPort() });
  assert.equal(status, 400);
  assert.match(body.error.message, /^Lighthouse returned error: FAILED_DOCUMENT_REQUEST\. /);
  const [first] = body.error.errors;
  assert.deepEqual([first?.domain, first?.reason], ['lighthouse', 'lighthouseUserError']);
  assert.ok(!('status' in body.error));
});
