/** Runs of one page and of lists, against answers of the test's own, cut and timed as it likes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison, buildLocalResult, buildProblem, buildResult } from '../../test/web/reports.ts';
import { categoryNames } from '../contract/names.ts';
import { columnsOf } from '../presentation/answer.ts';
import type { PageRequest } from './page-request.ts';
import { type LaneState, sayStep } from './progress.ts';
import { endRows, isFailedRow, type Row, runBatch, startRows } from './run-batch.ts';
import { runPage } from './run-page.ts';

type Answer = (url: URL, init: RequestInit) => Response | Promise<Response>;

const { signal: never } = new AbortController();
const optionsFor = (answer: Answer, signal = never) => ({
  signal,
  fetch: (async (path: string, init: RequestInit) => answer(new URL(path, 'http://service'), init)) as typeof fetch,
});
const json = (body: unknown, status = 200, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
const stream = (type: string, ...texts: string[]) =>
  new Response(
    new ReadableStream({
      start: controller => {
        const encoder = new TextEncoder();
        for (const text of texts) controller.enqueue(encoder.encode(text));
        controller.close();
      },
    }),
    { headers: { 'content-type': type } },
  );
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const url = 'https://example.com/';
const wanted = { url, backend: 'local', strategy: 'mobile', categories: categoryNames, detailed: true } as const;
const lane = { source: 'lighthouse', strategy: 'mobile' };

const failureOf = (outcome: Awaited<ReturnType<typeof runPage>>) => (outcome.ok ? undefined : outcome.failure.kind);
const shapeOf = (outcome: Awaited<ReturnType<typeof runPage>>) =>
  outcome.ok
    ? columnsOf(outcome.body.answer).map(
        ({ source, strategy, part }) => `${source} ${strategy} ${part.ok ? 'ok' : 'failed'}`,
      )
    : [];

async function follow(asked: Parameters<typeof runPage>[0], answer: Answer) {
  const said: string[] = [];
  const hear = (lanes: readonly LaneState[]) => {
    const words = lanes.map(sayStep).join(' | ');
    if (said.at(-1) !== words) said.push(words);
  };
  const outcome = await runPage(asked, hear, optionsFor(answer));
  return { outcome, said };
}

test('events are followed, and the last one is the result', async () => {
  const { outcome, said } = await follow(wanted, (_, { headers }) => {
    assert.equal((headers as Record<string, string>).accept, 'text/event-stream');
    const texts = [
      event('queued', { ...lane, position: 2 }),
      event('progress', { ...lane, stage: 'loading' }),
      event('result', buildLocalResult()),
    ];
    return stream('text/event-stream; charset=utf-8', ...texts);
  });
  assert.deepEqual(shapeOf(outcome), ['lighthouse mobile ok']);
  assert.deepEqual(said.slice(1), ['2nd in the queue', 'Loading the page', 'Done']);
});

test('an answer without events is accepted', async () => {
  const { outcome, said } = await follow(wanted, () => json(buildLocalResult()));
  assert.deepEqual(shapeOf(outcome), ['lighthouse mobile ok']);
  assert.equal(said.at(-1), 'Done');
});

test('both strategies of the local backend are requested at once and shown together', async () => {
  const { outcome } = await follow({ ...wanted, strategy: 'both' }, ({ searchParams }) =>
    searchParams.get('strategy') === 'mobile'
      ? json(buildProblem(), 502)
      : json(buildLocalResult({ strategy: 'desktop' })),
  );
  assert.deepEqual(shapeOf(outcome), ['lighthouse mobile failed', 'lighthouse desktop ok']);
});

test('a comparison that failed on both sides has two reasons', async () => {
  const half = (code: 'page_error' | 'psi_timeout') => ({ url, error: buildProblem({ code }) });
  const body = {
    ...buildProblem(),
    url,
    strategy: 'mobile',
    psi: half('psi_timeout'),
    lighthouse: half('page_error'),
    comparison: null,
  };
  const { outcome } = await follow({ ...wanted, backend: 'compare' }, () => json(body, 504));
  assert.deepEqual(shapeOf(outcome), ['psi mobile failed', 'lighthouse mobile failed']);
});

test('a comparison has both sides', async () => {
  const { outcome } = await follow({ ...wanted, backend: 'compare' }, () =>
    json(buildComparison(buildResult(), buildLocalResult())),
  );
  assert.deepEqual(shapeOf(outcome), ['psi mobile ok', 'lighthouse mobile ok']);
});

const failures: readonly [string, Answer, string][] = [
  ['a Problem', () => json(buildProblem(), 502), 'problem'],
  ['a faulty input', () => json({ detail: [{ loc: ['query', 'url'], msg: 'x', type: 'y' }] }, 422), 'invalid'],
  ['a Problem as an event', () => stream('text/event-stream', event('failed', buildProblem())), 'problem'],
  [
    'a faulty input as an event',
    () => stream('text/event-stream', event('failed', { status: 422, detail: [] })),
    'invalid',
  ],
  ['a stream that ends too early', () => stream('text/event-stream', event('started', lane)), 'cut'],
  ['a result that is no JSON', () => stream('text/event-stream', 'event: result\ndata: {"half\n\n'), 'unreadable'],
  ['a page of a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 'unreadable'],
  ['a page of a proxy that says it is fine', () => new Response('<h1>Hello</h1>'), 'unreadable'],
  ['an answer of another service', () => json({ hello: 'world' }), 'unreadable'],
  ['no connection', () => Promise.reject(new TypeError('fetch failed')), 'unreachable'],
  ['a key that is wanted', () => json(buildProblem({ code: 'unauthorized' }), 401), 'problem'],
];
for (const [name, answer, kind] of failures)
  test(`${name} is reported with its own message`, async () =>
    assert.equal(failureOf((await follow(wanted, answer)).outcome), kind));

test('a connection that breaks midway is reported as cut, not unreachable', async () => {
  const broken = new ReadableStream({ start: controller => controller.error(new TypeError('network error')) });
  const { outcome } = await follow(
    wanted,
    () => new Response(broken, { headers: { 'content-type': 'text/event-stream' } }),
  );
  assert.equal(failureOf(outcome), 'cut');
});

test('an abort ends the run with its abort reason', async () => {
  const leaving = new AbortController();
  const run = runPage(
    wanted,
    () => {},
    optionsFor((_, { signal }) => {
      leaving.abort(new Error('left'));
      return Promise.reject(signal?.reason);
    }, leaving.signal),
  );
  await assert.rejects(run, /left/);
});

test('the key is sent in a header, and a fresh run is requested with Cache-Control', async () => {
  let sent: Record<string, string> = {};
  const options = {
    ...optionsFor((_, { headers }) => {
      sent = headers as Record<string, string>;
      return json(buildLocalResult());
    }),
    apiKey: 'secret',
    fresh: true,
  };
  await runPage(wanted, () => {}, options);
  assert.deepEqual([sent.authorization, sent['cache-control']], ['Bearer secret', 'no-cache']);
});

const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/'];
const list: PageRequest = { urls, backend: 'remote', strategy: 'mobile', categories: categoryNames };

async function runList(request: PageRequest, answer: Answer) {
  let rows = startRows(request.urls);
  const seen: string[] = [];
  const onRow = (row: Row) => {
    rows = rows.map(known => (known.index === row.index ? row : known));
    seen.push(`${row.index} ${row.state}`);
  };
  const failure = await runBatch(request, onRow, optionsFor(answer));
  return { rows: endRows(rows), seen, failure };
}
const states = (rows: readonly Row[]) => rows.map(row => (isFailedRow(row) ? 'failed' : row.state));
const entry = (index: number, body: object = buildResult({ url: urls[index] ?? '' })) => ({ index, ...body });
const line = (value: unknown) => `${JSON.stringify(value)}\n`;

test('lines fill their rows in any order', async () => {
  const failed = { url: urls[0], error: buildProblem() };
  const { rows, seen, failure } = await runList(list, (_, { method }) => {
    assert.equal(method, 'POST');
    return stream(
      'application/x-ndjson',
      line(entry(2)),
      line(entry(0, failed)) + line(entry(1)),
      line({ total: 3, succeeded: 2, failed: 1 }),
    );
  });
  assert.equal(failure, undefined);
  assert.deepEqual(states(rows), ['failed', 'done', 'done']);
  assert.deepEqual(seen.slice(3), ['2 done', '0 done', '1 done']);
});

test('a list sent in one piece fills its rows', async () => {
  const results = urls.map((_, index) => ({ ...entry(index), index: undefined }));
  const { rows, failure } = await runList(list, () => json({ results, total: 3, succeeded: 3, failed: 0 }));
  assert.deepEqual([states(rows), failure], [['done', 'done', 'done'], undefined]);
});

test('a list that ends too early keeps the rows received so far', async () => {
  const { rows, failure } = await runList(list, () => stream('application/x-ndjson', line(entry(1)), '{"index":2,'));
  assert.deepEqual([states(rows), failure?.kind], [['unmeasured', 'done', 'unmeasured'], 'cut']);
});

test('a rejected list reports the reason', async () => {
  const { rows, failure } = await runList(list, () =>
    json({ detail: [{ loc: ['body', 'urls'], msg: 'x', type: 'too_long' }] }, 422),
  );
  assert.deepEqual([states(rows), failure?.kind], [['unmeasured', 'unmeasured', 'unmeasured'], 'invalid']);
});

test('a local list measures two pages at a time, and a failure affects only its page', async () => {
  const gates = urls.map(() => Promise.withResolvers<void>());
  const begun: string[] = [];
  let most = 0;
  let running = 0;
  const run = runList({ ...list, backend: 'local' }, async ({ searchParams }) => {
    const page = searchParams.get('url') ?? '';
    begun.push(page);
    running += 1;
    most = Math.max(most, running);
    await gates[urls.indexOf(page)]?.promise;
    running -= 1;
    return page === urls[1]
      ? json(buildProblem(), 502)
      : json(buildLocalResult({ url: page, lighthouse_result: { big: true } }));
  });
  for (const gate of gates.toReversed()) gate.resolve();
  const { rows, failure } = await run;
  assert.deepEqual([states(rows), failure, most, begun], [['done', 'failed', 'done'], undefined, 2, urls]);
  const [column] = rows[0]?.answer ? columnsOf(rows[0].answer) : [];
  assert.ok(column?.part.ok && !('lighthouse_result' in column.part.result), 'a list keeps no whole results');
});

test('without the service or its key, a local list is not requested page by page', async () => {
  const stopping = () => json(buildProblem({ code: 'shutting_down' }), 503);
  for (const [answer, strategy, callsOfPage] of [
    [() => Promise.reject(new TypeError('x')), 'mobile', 1],
    [() => json(buildProblem({ code: 'unauthorized' }), 401), 'mobile', 1],
    [stopping, 'mobile', 1],
    [stopping, 'both', 2],
  ] as [Answer, PageRequest['strategy'], number][]) {
    let calls = 0;
    const { rows, failure } = await runList(
      { ...list, urls: [...urls, 'https://d.example/'], backend: 'local', strategy },
      (at, init) => {
        calls += 1;
        return answer(at, init);
      },
    );
    assert.ok(failure);
    assert.equal(calls, 2 * callsOfPage);
    assert.deepEqual(states(rows), ['unmeasured', 'unmeasured', 'unmeasured', 'unmeasured']);
  }
});

test('a list over 100 pages is sent in parts, in sequence, and a failed part ends it', async () => {
  const many = Array.from({ length: 250 }, (_, at) => `https://${at}.example/`);
  const long = { ...list, urls: many };
  const sizes: number[] = [];
  const answerAll = (body: string) => {
    const asked = (JSON.parse(body) as { urls: string[] }).urls;
    sizes.push(asked.length);
    const lines = asked.map((page, index) => line({ index, ...buildResult({ url: page }) }));
    return stream('application/x-ndjson', ...lines);
  };
  const whole = await runList(long, (_, { body }) => answerAll(`${body}`));
  assert.deepEqual(sizes, [100, 100, 50]);
  assert.equal(whole.failure, undefined);
  assert.ok(whole.rows.every(({ url: page, state }, at) => page === many[at] && state === 'done'));

  let parts = 0;
  const cut = await runList(long, (_, { body }) => {
    parts += 1;
    return parts === 2 ? json(buildProblem({ code: 'rate_limited', status: 429 }), 429) : answerAll(`${body}`);
  });
  assert.equal(cut.failure?.kind, 'problem');
  assert.deepEqual([states(cut.rows).filter(state => state === 'done').length, parts], [100, 2]);
});

/** A service that measures as a job. @param streams of its events, one for each time it is followed */
function jobService(streams: readonly Response[], page: unknown = buildLocalResult()) {
  const asked: string[] = [];
  const left = [...streams];
  const answer: Answer = ({ pathname }, { method = 'GET', headers }) => {
    const { 'idempotency-key': key } = headers as Record<string, string>;
    asked.push([method, pathname, key ?? ''].join(' ').trim());
    if (pathname.endsWith('/events')) return left.shift() ?? stream('text/event-stream');
    return key ? json({ id: 'j1', progress: { total: 1 } }, 202) : json(page);
  };
  return { asked, answer };
}

const failedJob = stream.bind(undefined, 'text/event-stream', event('failed', buildProblem()));
const endedJob = stream.bind(undefined, 'text/event-stream', event('result', { id: 'j1' }));

test('a job is followed even if its service restarts, and its page is the answer', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stopping = json(buildProblem({ code: 'shutting_down', status: 503 }), 503);
  const { asked, answer } = jobService([stream('text/event-stream'), stopping, endedJob()]);
  const followed = runPage(wanted, () => {}, { ...optionsFor(answer), jobKey: 'k' });
  const tick = setInterval(() => t.mock.timers.tick(2000), 1);
  assert.deepEqual(shapeOf(await followed), ['lighthouse mobile ok']);
  clearInterval(tick);
  const events = 'GET /jobs/j1/events';
  assert.deepEqual(asked, ['GET /lighthouse "k-0"', events, events, events, 'GET /jobs/j1/pages/0']);
});

test('a list job is followed across a long restart, and a page that could not be read is read again', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines = [0, 1].map(index => event('progress', { stage: 'finished', index }));
  const restart = 25;
  let asked = 0;
  let reads = 0;
  const answer: Answer = ({ pathname }, { method }) => {
    if (method === 'POST') return json({ id: 'j1', progress: { total: 2 } }, 202);
    if (pathname.endsWith('/events')) {
      asked += 1;
      if (asked === 1) return stream('text/event-stream', ...lines);
      return asked < restart ? json(buildProblem({ code: 'shutting_down' }), 503) : endedJob();
    }
    reads += 1;
    return reads <= 2 ? Promise.reject(new TypeError('fetch failed')) : json(buildResult());
  };
  const rows = new Map<number, Row>();
  const request: PageRequest = { ...list, urls: urls.slice(0, 2) };
  const onRow = (row: Row) => rows.set(row.index, row);
  const run = runBatch(request, onRow, { ...optionsFor(answer), jobKey: 'k' });
  const tick = setInterval(() => t.mock.timers.tick(2000), 1);
  t.after(() => clearInterval(tick));
  assert.equal(await run, undefined);
  assert.deepEqual([states([...rows.values()]), asked, reads], [['done', 'done'], restart, 4]);
});

test('a job of a comparison that failed on both sides has two reasons', async () => {
  const half = { url, error: buildProblem() };
  const { answer } = jobService([failedJob()], { url, psi: half, lighthouse: half, comparison: null });
  const compared = { ...wanted, backend: 'compare' } as const;
  const outcome = await runPage(compared, () => {}, { ...optionsFor(answer), jobKey: 'k' });
  assert.deepEqual(shapeOf(outcome), ['psi mobile failed', 'lighthouse mobile failed']);
  const single = jobService([failedJob()], half);
  assert.equal(failureOf(await runPage(wanted, () => {}, { ...optionsFor(single.answer), jobKey: 'k' })), 'problem');
});

test('a job that was accepted while its request was cancelled is cancelled', async () => {
  const { asked, answer } = jobService([]);
  const over = new AbortController();
  const followed = runPage(wanted, () => {}, { ...optionsFor(answer, over.signal), jobKey: 'k' });
  over.abort();
  await assert.rejects(followed);
  assert.deepEqual(asked, ['GET /lighthouse "k-0"', 'DELETE /jobs/j1']);
});

test('a list of one page is a job', async () => {
  const { asked, answer } = jobService([endedJob()], buildResult());
  const rows: Row[] = [];
  const request: PageRequest = { urls: [url], backend: 'remote', strategy: 'mobile', categories: categoryNames };
  assert.equal(await runBatch(request, row => rows.push(row), { ...optionsFor(answer), jobKey: 'k' }), undefined);
  assert.equal(rows.at(-1)?.state, 'done');
  assert.deepEqual(asked, ['POST /psi "k-0"', 'GET /jobs/j1/events', 'GET /jobs/j1/pages/0']);
});
