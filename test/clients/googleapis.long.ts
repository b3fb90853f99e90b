/** Further tests of Google's PSI v5 client: see googleapis.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pagespeedonline } from '@googleapis/pagespeedonline';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { failureOf, pointedAt, retriesOf } from './own-googleapis.ts';

const pages = await startPages({ after });
const service = await startService({ after });
const pagespeedapi = pointedAt(service);

test("Google's client gets the requested part, also with an endpoint given for one call", async () => {
  const here = pagespeedonline('v5');
  const { data } = await here.pagespeedapi.runpagespeed(
    { url: `${pages.url}/good`, category: ['SEO'], fields: 'id,lighthouseResult/categories/*/score' },
    { rootUrl: `${service.url}/` },
  );
  assert.deepEqual(data, {
    id: `${pages.url}/good`,
    lighthouseResult: { categories: { seo: { score: data.lighthouseResult?.categories?.seo?.score } } },
  });
});

test("Google's client does not retry a page that cannot be measured", async () => {
  const failure = await failureOf(pagespeedapi.runpagespeed({ url: `${pages.url}/pdf` }));
  assert.equal(failure.status, 400);
  assert.match(failure.message, /^Lighthouse returned error: NOT_HTML\. /);
  const [first] = failure.response.data.error.errors;
  assert.deepEqual([first?.domain, first?.reason], ['lighthouse', 'lighthouseUserError']);
  assert.equal(retriesOf(failure), 0);
  assert.equal(pages.requests.all.filter(request => request === '/pdf').length, 1);
});

test("Google's client retries only temporary overload", async t => {
  const small = await startService(t, { LIGHTHOUSE_QUEUE: '0', LIGHTHOUSE_CONCURRENCY: '1' });
  const leaving = new AbortController();
  t.after(() => leaving.abort());
  const busy = fetch(`${small.url}/lighthouse?url=${pages.url}/never&categories=seo`, { signal: leaving.signal });
  busy.catch(() => {});
  await pages.requests.waitFor(1, request => request === '/never');
  const failure = await failureOf(
    pointedAt(small).runpagespeed({ url: `${pages.url}/good` }, { retryConfig: { retry: 1, retryDelay: 1 } }),
  );
  assert.deepEqual([failure.status, retriesOf(failure)], [503, 1]);
  assert.equal(failure.response.data.error.errors[0]?.reason, 'queue_full');
});
