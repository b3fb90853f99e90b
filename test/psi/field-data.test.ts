/** Contract sections 1 and 6: sources of field data. These tests start no browser and use only this machine. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import type { History } from '../../src/contract/stored/history.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';

const bins = [
  { start: 0, end: 2500, density: 0.9 },
  { start: 2500, end: 4000, density: 0.06 },
  { start: 4000, density: 0.04 },
];
const record = {
  record: {
    metrics: { largest_contentful_paint: { histogram: bins, percentiles: { p75: 1800 } } },
    collectionPeriod: { firstDate: { year: 2026, month: 10, day: 22 }, lastDate: { year: 2026, month: 11, day: 18 } },
  },
};
const ofPsi = {
  metrics: {
    LARGEST_CONTENTFUL_PAINT_MS: {
      percentile: 2400,
      distributions: [
        { min: 0, max: 2500, proportion: 0.8 },
        { min: 2500, max: 4000, proportion: 0.1 },
        { min: 4000, proportion: 0.1 },
      ],
    },
  },
};

const lastDates = [25, 1, 8].map((day, at) => ({ lastDate: { year: 2026, month: at === 0 ? 10 : 11, day } }));
const historyRecord = {
  record: {
    metrics: { largest_contentful_paint: { percentilesTimeseries: { p75s: [2600, null, 1800] } } },
    collectionPeriods: lastDates,
  },
};

async function start(
  t: TestContext,
  {
    status = 200,
    historyStatus = status,
    environment = {},
  }: { status?: number; historyStatus?: number; environment?: Record<string, string> } = {},
) {
  const queries: { url?: string; origin?: string }[] = [];
  const histories: { url?: string; origin?: string }[] = [];
  const crux = await startLocalServer(t, async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const isHistory = request.url === '/v1/records:queryHistoryRecord';
    (isHistory ? histories : queries).push(JSON.parse(text));
    const answered = isHistory ? historyStatus : status;
    const known = isHistory ? historyRecord : record;
    const body = answered === 404 ? { error: { code: 404, status: 'NOT_FOUND' } } : known;
    response.writeHead(answered, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const fake = await startFakePsi(t);
  const service = await startService(t, {
    PSI_ENDPOINT: fake.endpoint,
    CRUX_ENDPOINT: `${crux.url}/v1/records:queryRecord`,
    CRUX_API_KEY: 'AIza-of-this-test',
    ...environment,
  });
  const fieldOf = async (url = 'https://example.com/') => {
    const { status: answered, body } = await ask<Result>(service, withQuery('/psi', { url, strategy: 'mobile' }));
    assert.equal(answered, 200);
    return body.core_web_vitals.field;
  };
  return { fake, queries, histories, fieldOf, service };
}

test('the field data that the analyser sends are used, and CrUX is requested for their history only', async t => {
  const { fake, queries, fieldOf } = await start(t);
  fake.answerWith(call => ({ body: { ...toPsiBody(call), loadingExperience: ofPsi } }));
  const field = await fieldOf();
  assert.deepEqual([field?.collected_by, field?.scope, field?.largest_contentful_paint?.p75], ['psi', 'url', 2400]);
  assert.equal(queries.length, 0);
});

test("the origin's data that the analyser sends with an empty answer for the URL are used", async t => {
  const { fake, queries, fieldOf } = await start(t);
  fake.answerWith(call => ({ body: { ...toPsiBody(call), originLoadingExperience: ofPsi } }));
  const field = await fieldOf();
  assert.deepEqual([field?.collected_by, field?.scope, queries.length], ['psi', 'origin', 0]);
});

test('without field data from the analyser, the CrUX API gets the final URL, and the result names it', async t => {
  const { fake, queries, fieldOf } = await start(t);
  fake.answerWith(call => ({ body: toPsiBody(call, { mainDocumentUrl: 'https://www.example.com/home' }) }));
  const field = await fieldOf();
  assert.deepEqual([field?.collected_by, field?.scope], ['crux', 'url']);
  assert.deepEqual(field?.period, { first_date: '2026-10-22', last_date: '2026-11-18' });
  assert.deepEqual(
    queries.map(({ url }) => url),
    ['https://www.example.com/home'],
  );
});

test('without data in the CrUX API there are no field data', async t => {
  const { queries, fieldOf } = await start(t, { status: 404 });
  assert.deepEqual([await fieldOf(), queries.length], [null, 2]);
});

test('a failing CrUX API costs the result only its field data', async t => {
  const { queries, fieldOf } = await start(t, { status: 500 });
  assert.deepEqual([await fieldOf(), queries.length], [null, 1]);
});

test('the CrUX API never gets a page that is not public, nor one that a public page led to', async t => {
  const { fake, queries, fieldOf } = await start(t, { environment: { TARGETS: 'any' } });
  assert.equal(await fieldOf('http://localhost:3000/'), null);
  fake.answerWith(call => ({ body: toPsiBody(call, { mainDocumentUrl: 'http://intranet.local/' }) }));
  assert.equal(await fieldOf('https://example.com/'), null);
  assert.equal(queries.length, 0);
});

test("a custom analyser's key is not sent to the CrUX API", async t => {
  const { queries, fieldOf } = await start(t, { environment: { CRUX_API_KEY: '', PSI_API_KEY: 'AIza-for-another' } });
  assert.deepEqual([await fieldOf(), queries.length], [null, 0]);
});

test('with a key, field data have their history, of the page or of its origin like themselves', async t => {
  const { fake, histories, fieldOf } = await start(t);
  fake.answerWith(call => ({ body: { ...toPsiBody(call), originLoadingExperience: ofPsi } }));
  assert.deepEqual((await fieldOf())?.history, {
    scope: 'origin',
    last_dates: ['2026-10-25', '2026-11-01', '2026-11-08'],
    largest_contentful_paint: [2600, null, 1800],
  });
  assert.deepEqual(
    histories.map(({ url, origin }) => [url, origin]),
    [[undefined, 'https://example.com']],
  );
});

test('a result without a history has its field data, and none has neither', async t => {
  const { fieldOf } = await start(t, { historyStatus: 500 });
  const field = await fieldOf();
  assert.deepEqual([field?.largest_contentful_paint?.p75, field?.history], [1800, undefined]);
});

test('/history has the weekly field data next to the metric that they measure too, of measured public pages only', async t => {
  const environment = { DATA_DIR: makeScratchFolder(t), TARGETS: 'any' };
  const { fieldOf, histories, service } = await start(t, { environment });
  const url = 'https://example.com/';
  const read = async (metric: string, page = url) =>
    (await ask<History>(service, withQuery('/history', { url: page, metric, source: 'psi' }))).body.field;
  assert.equal(await read('largest_contentful_paint'), null);
  assert.equal(histories.length, 0, 'a page that was never measured is not sent to Google');
  await fieldOf(url);
  await fieldOf('http://localhost:3000/');
  assert.deepEqual(await read('largest_contentful_paint'), {
    scope: 'url',
    metric: 'largest_contentful_paint',
    points: [
      { last_date: '2026-10-25', p75: 2600, rating: 'needs-improvement' },
      { last_date: '2026-11-08', p75: 1800, rating: 'good' },
    ],
  });
  assert.equal(await read('total_blocking_time'), null);
  assert.equal(await read('server_response_time'), null);
  assert.equal(await read('largest_contentful_paint', 'http://localhost:3000/'), null);
  assert.equal(histories.length, 1);
});
