import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { type TestContext, test } from 'node:test';
import { startLocalServer } from '../../test/support/sites/local-server.ts';
import { type CruxSettings, createCrux } from './crux.ts';

const key = 'AIza-the-key-of-this-test';

type Query = { url?: string; origin?: string; formFactor: string; metrics: string[] };
type Answer = { status?: number; body: unknown };

const bins = (share: number) => [
  { start: 0, end: 1, density: share },
  { start: 1, end: 2 },
  { start: 2, density: 1 - share },
];
const recordOf = (query: Query, lcp = 2100): Answer => ({
  body: {
    record: {
      key: { url: query.url, origin: query.origin },
      metrics: {
        largest_contentful_paint: { histogram: bins(0.8), percentiles: { p75: lcp } },
        cumulative_layout_shift: { histogram: bins(0.9), percentiles: { p75: '0.11' } },
        experimental_time_to_first_byte: { histogram: bins(0.7), percentiles: { p75: 900 } },
        form_factors: { fractions: { phone: 1 } },
      },
      collectionPeriod: { firstDate: { year: 2026, month: 10, day: 22 }, lastDate: { year: 2026, month: 11, day: 8 } },
    },
  },
});
const noData: Answer = {
  status: 404,
  body: { error: { code: 404, message: 'chrome ux report data not found', status: 'NOT_FOUND' } },
};

/** A CrUX API on this machine. */
async function create(
  t: TestContext,
  answer: (query: Query) => Answer | undefined,
  settings: Partial<CruxSettings> = {},
) {
  const queries: Query[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const warnings: string[] = [];
  let nowMs = 0;
  const { url } = await startLocalServer(t, async (request, response) => {
    headers.push(request.headers);
    let text = '';
    for await (const chunk of request) text += chunk;
    const query = JSON.parse(text);
    queries.push(query);
    const given = answer(query);
    if (!given) return void response.destroy();
    const body = typeof given.body === 'string' ? given.body : JSON.stringify(given.body);
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json' }).end(body);
  });
  const crux = createCrux({
    endpoint: `${url}/v1/records:queryRecord`,
    apiKey: key,
    warn: message => warnings.push(message),
    now: () => nowMs,
    ...settings,
  });
  const ask = (page = 'https://example.com/a?b=c#d', strategy: 'mobile' | 'desktop' = 'mobile') =>
    crux.fieldDataOf(page, strategy, new AbortController().signal);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { crux, ask, queries, headers, warnings, pass };
}

test('CrUX is requested for the device of the visit, with the key in a header', async t => {
  const { ask, queries, headers } = await create(t, recordOf);
  const field = await ask();
  await ask('https://example.com/', 'desktop');
  assert.deepEqual(
    queries.map(({ url, formFactor }) => [url, formFactor]),
    [
      ['https://example.com/a?b=c', 'PHONE'],
      ['https://example.com/', 'DESKTOP'],
    ],
  );
  assert.deepEqual(queries[0]?.metrics, [
    'largest_contentful_paint',
    'interaction_to_next_paint',
    'cumulative_layout_shift',
    'first_contentful_paint',
    'experimental_time_to_first_byte',
  ]);
  assert.equal(headers[0]?.['x-goog-api-key'], key);
  assert.deepEqual(field, {
    scope: 'url',
    collected_by: 'crux',
    period: { first_date: '2026-10-22', last_date: '2026-11-08' },
    assessment: 'failed',
    largest_contentful_paint: {
      p75: 2100,
      unit: 'millisecond',
      rating: 'good',
      distribution: [0.8, 0, 0.19999999999999996],
    },
    cumulative_layout_shift: {
      p75: 0.11,
      unit: 'unitless',
      rating: 'needs-improvement',
      distribution: [0.9, 0, 0.09999999999999998],
    },
    time_to_first_byte: {
      p75: 900,
      unit: 'millisecond',
      rating: 'needs-improvement',
      distribution: [0.7, 0, 0.30000000000000004],
    },
  });
});

test('without data for the URL, data of its origin are requested, and the answer says so', async t => {
  const { ask, queries, warnings } = await create(t, query => (query.url ? noData : recordOf(query)));
  assert.equal((await ask())?.scope, 'origin');
  assert.deepEqual(
    queries.map(({ url, origin }) => url ?? origin),
    ['https://example.com/a?b=c', 'https://example.com'],
  );
  assert.deepEqual(warnings, [], 'that is the usual case');
});

test('without data for either, there are no field data', async t => {
  const { ask, warnings } = await create(t, () => noData);
  assert.deepEqual([await ask(), warnings], [null, []]);
});

test("an answer is cached for a day, even an empty one, and an origin's for all its pages", async t => {
  const { ask, queries, pass } = await create(t, query => (query.url ? noData : recordOf(query)));
  await ask('https://example.com/1');
  await ask('https://example.com/1#part');
  await ask('https://example.com/2');
  assert.equal(queries.length, 3, 'two pages and their origin');
  pass(86_399_999);
  await ask('https://example.com/1');
  assert.equal(queries.length, 3);
  pass(1);
  await ask('https://example.com/1');
  assert.equal(queries.length, 5);
});

const failures: [name: string, answer: Answer | undefined, backOffMs: number][] = [
  ['a used-up quota', { status: 429, body: {} }, 60_000],
  ['a refused key', { status: 403, body: { error: { message: key } } }, 3_600_000],
  ['a key that is none', { status: 400, body: {} }, 3_600_000],
  ['a failing server', { status: 500, body: {} }, 0],
  ['a wrong path', { status: 404, body: '<html></html>' }, 0],
  ['nonsense', { body: '<html></html>' }, 0],
  ['an answer without a record', { body: {} }, 0],
  ['a broken connection', undefined, 0],
];

for (const [name, answer, backOffMs] of failures)
  test(`${name} is logged without the key and not cached; it backs off for ${backOffMs / 1000} s`, async t => {
    const { ask, queries, warnings, pass } = await create(t, () => answer);
    await assert.rejects(ask(), { name: 'CruxFailure' });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^no field data from the CrUX API: it /);
    assert.ok(!warnings.join().includes(key));
    if (backOffMs > 0) {
      pass(backOffMs - 1);
      await assert.rejects(ask(), { name: 'CruxFailure' });
      assert.deepEqual([queries.length, warnings.length], [1, 1]);
      pass(1);
    }
    await assert.rejects(ask(), { name: 'CruxFailure' });
    assert.equal(queries.length, 2);
  });

test('a late answer is a failure', async t => {
  const silent = await startLocalServer(t, () => {});
  const { ask, warnings } = await create(t, recordOf, { endpoint: silent.url, timeoutMs: 50 });
  await assert.rejects(ask(), { name: 'CruxFailure' });
  assert.deepEqual(warnings, ['no field data from the CrUX API: it could not be reached or read']);
});

test('a client that disconnects gets the abort reason, and the API is not blamed', async t => {
  const arrived = Promise.withResolvers<void>();
  const silent = await startLocalServer(t, () => arrived.resolve());
  const { crux, warnings } = await create(t, recordOf, { endpoint: silent.url });
  const client = new AbortController();
  const answer = crux.fieldDataOf('https://example.com/', 'mobile', client.signal);
  await arrived.promise;
  const reason = new Error('gone');
  client.abort(reason);
  await assert.rejects(answer, reason);
  assert.deepEqual(warnings, []);
});
