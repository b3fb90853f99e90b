/** The history of field data: a CrUX API on this machine that answers in its wire format, and misbehaves on order. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startLocalServer } from '../../test/support/sites/local-server.ts';
import { until } from '../../test/support/until.ts';
import { createCrux } from './crux.ts';

type Query = { url?: string; origin?: string; formFactor: string; collectionPeriodCount?: number };
type Answer = { status?: number; body?: unknown; isNever?: boolean };

const toDay = (week: number) => {
  const date = new Date(Date.UTC(2026, 0, 4 + 7 * week));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
};
const toPeriods = (weeks: number) =>
  Array.from({ length: weeks }, (_, week) => ({ firstDate: toDay(week - 4), lastDate: toDay(week) }));
const toRecord = (metrics: object, collectionPeriods: unknown = toPeriods(3)): Answer => ({
  body: { record: { key: { formFactor: 'PHONE' }, metrics, collectionPeriods } },
});
const densities = [{ start: 0, end: 2500, densities: [0.9, 'NaN', 0.8] }];
const series = (p75s: unknown) => ({ histogramTimeseries: densities, percentilesTimeseries: { p75s } });
const noData: Answer = { status: 404, body: { error: { code: 404, status: 'NOT_FOUND' } } };
const page = 'https://example.com/a?b=c#d';

async function create(t: TestContext, answer: (query: Query) => Answer, timeoutMs = 5000) {
  const queries: Query[] = [];
  const paths: string[] = [];
  let nowMs = 0;
  let open = 0;
  const { url } = await startLocalServer(t, async (request, response) => {
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    let text = '';
    for await (const chunk of request) text += chunk;
    const query = JSON.parse(text);
    queries.push(query);
    paths.push(request.url ?? '');
    const { status = 200, body, isNever } = answer(query);
    response.writeHead(status, { 'content-type': 'application/json' });
    if (isNever) return void response.write('{');
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const endpoint = `${url}/v1/records:queryRecord`;
  const crux = createCrux({ endpoint, apiKey: 'AIza-of-this-test', warn: () => {}, now: () => nowMs, timeoutMs });
  const ask = (signal = new AbortController().signal, scope?: 'url' | 'origin') =>
    crux.historyOf(page, 'mobile', { signal, ...(scope ? { scope } : {}) });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { crux, ask, queries, paths, pass, countOpen: () => open };
}

test('forty weeks are requested, and a week without enough visits is null', async t => {
  const { ask, queries, paths } = await create(t, () =>
    toRecord({
      largest_contentful_paint: series([2600, null, 2400]),
      cumulative_layout_shift: series(['0.10', 'NaN', '0.05']),
      interaction_to_next_paint: series([null, null, null]),
    }),
  );
  assert.deepEqual(await ask(), {
    scope: 'url',
    last_dates: ['2026-01-04', '2026-01-11', '2026-01-18'],
    largest_contentful_paint: [2600, null, 2400],
    cumulative_layout_shift: [0.1, null, 0.05],
  });
  assert.equal(paths[0], '/v1/records:queryHistoryRecord');
  assert.deepEqual(
    queries.map(({ url, formFactor, collectionPeriodCount }) => [url, formFactor, collectionPeriodCount]),
    [['https://example.com/a?b=c', 'PHONE', 40]],
  );
});

test('a page without data has the history of its origin, and answers are used for a day', async t => {
  const { ask, queries, pass } = await create(t, ({ url }) =>
    url ? noData : toRecord({ largest_contentful_paint: series([1, 2, 3]) }),
  );
  assert.equal((await ask())?.scope, 'origin');
  assert.equal((await ask())?.scope, 'origin');
  assert.equal(queries.length, 2);
  assert.equal(await ask(undefined, 'url'), null);
  pass(86_400_001);
  await ask();
  assert.equal(queries.length, 4);
});

test('dates that are missing or do not exist are left out, and malformed parts are no values', async t => {
  const lost = [null, {}, { lastDate: { year: 2026, month: 13, day: 1 } }, ...toPeriods(1), 'x', 3];
  const { ask } = await create(t, () =>
    toRecord(
      {
        largest_contentful_paint: series([1, 2, 3, 4, 5, 6]),
        first_contentful_paint: null,
        cumulative_layout_shift: 3,
      },
      lost,
    ),
  );
  assert.deepEqual(await ask(), { scope: 'url', last_dates: ['2026-01-04'], largest_contentful_paint: [4] });
});

test('of more periods than asked for, the newest forty are read', async t => {
  const p75s = Array.from({ length: 60 }, (_, week) => week);
  const { ask } = await create(t, () => toRecord({ largest_contentful_paint: series(p75s) }, toPeriods(60)));
  const history = await ask();
  assert.deepEqual([history?.last_dates.length, history?.largest_contentful_paint?.[0]], [40, 20]);
});

for (const [name, body] of Object.entries({
  'no periods': { record: { metrics: { largest_contentful_paint: series([1]) } } },
  'no metrics': { record: { collectionPeriods: toPeriods(2) } },
  'only NaN': {
    record: { metrics: { largest_contentful_paint: series(['NaN', 'NaN']) }, collectionPeriods: toPeriods(2) },
  },
}))
  test(`an answer with ${name} is no history`, async t => {
    const { ask } = await create(t, () => ({ body }));
    assert.equal(await ask(undefined, 'url'), null);
  });

for (const [name, answer] of Object.entries<Answer>({
  'status 500': { status: 500, body: {} },
  'status 429': { status: 429, body: {} },
  'text that is not JSON': { body: '<html>' },
  'no record': { body: [] },
  'a body of 2 MB': { body: ' '.repeat(2_000_000) },
}))
  test(`after ${name}, the history is not requested again for a minute`, async t => {
    const { ask, queries, pass } = await create(t, () => answer);
    for (let again = 0; again < 3; again += 1) await assert.rejects(ask(), { name: 'CruxFailure' });
    assert.equal(queries.length, 1);
    pass(60_001);
    await assert.rejects(ask());
    assert.equal(queries.length, 2);
  });

test('an answer that never ends is given up', async t => {
  const { ask, queries } = await create(t, () => ({ isNever: true }), 1000);
  await assert.rejects(ask(), { name: 'CruxFailure' });
  await assert.rejects(ask(), { name: 'CruxFailure' });
  assert.equal(queries.length, 1);
});

test('equal requests share a call, which ends with the last of them', async t => {
  const { ask, queries, countOpen } = await create(t, () => ({ isNever: true }), 60_000);
  const clients = [new AbortController(), new AbortController()] as const;
  const asked = clients.map(({ signal }) => assert.rejects(ask(signal), /gone/));
  await until(() => queries.length > 0);
  clients[0].abort(new Error('gone'));
  await asked[0];
  assert.deepEqual([queries.length, countOpen()], [1, 1]);
  clients[1].abort(new Error('gone'));
  await asked[1];
  await until(() => countOpen() === 0);
  assert.equal(queries.length, 1);
});
