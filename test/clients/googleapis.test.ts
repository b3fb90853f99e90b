/** Google's PSI v5 client with this service. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { failureOf, pointedAt, retriesOf } from './own-googleapis.ts';

const pages = await startPages({ after });
const service = await startService({ after });
const pagespeedapi = pointedAt(service);

test("Google's client reads a result as one from Google", async () => {
  const url = `${pages.url}/echo?q=a%20b&c=%C3%A4`;
  const { status, data } = await pagespeedapi.runpagespeed({
    url,
    strategy: 'MOBILE',
    category: ['PERFORMANCE', 'SEO'],
    locale: 'de',
    utm_source: 'test',
  });
  assert.equal(status, 200);
  assert.deepEqual([data.kind, data.id, data.captchaResult], ['pagespeedonline#result', url, 'CAPTCHA_NOT_NEEDED']);
  assert.equal(data.lighthouseResult?.categories?.performance?.title, 'Leistung');
  assert.equal(typeof data.lighthouseResult?.categories?.seo?.score, 'number');
  assert.equal(data.lighthouseResult?.configSettings?.formFactor, 'mobile');
  assert.equal(data.analysisUTCTimestamp, data.lighthouseResult?.fetchTime);
});

test("Google's client does not retry a rejected request", async () => {
  const failure = await failureOf(pagespeedapi.runpagespeed({ url: 'example.com' }));
  assert.deepEqual([failure.status, retriesOf(failure)], [400, 0]);
  assert.match(failure.message, /^Invalid value 'example\.com'\. Values must match/);
});
