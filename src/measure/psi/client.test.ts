import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createArrivals } from '../../../test/support/arrivals.ts';
import { sameThread } from '../../../test/support/audits/same-thread.ts';
import { buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import { impatient } from '../../../test/support/start-service.ts';
import { inTime } from '../../../test/support/until.ts';
import { AnalysisError } from '../../contract/errors.ts';
import type { AnalyserRequest } from '../analyser.ts';
import type { Lhr } from '../lhr/lhr.ts';
import { createPsiClient, type PsiClientSettings } from './client.ts';
import { toPsiResult } from './wire/wire-result.ts';

const key = 'AIza-the-key-of-this-test';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a PSI server on its own port. It stops when the test ends, even if a call hangs. */
async function startPsiServer(t: TestContext, answer: Answer) {
  const seen: { url: URL; method: string | undefined; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    seen.push({ url: new URL(request.url ?? '', 'http://server'), method: request.method, headers: request.headers });
    answer(response, request);
  });
  t.after(async () => {
    const closed = new Promise(resolve => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}/pagespeedonline/v5/runPagespeed`, seen };
}

type Fields = Partial<Omit<PsiClientSettings, 'server'>> & { apiKey?: string; query?: string };

const settings = { timeoutMs: 60_000, concurrency: 4, ratePerMinute: Number.POSITIVE_INFINITY, patience: impatient };

const buildClient = (endpoint: string, { apiKey, query = '', ...others }: Fields = {}) => {
  const server = { kind: 'custom', endpoint: endpoint + query, host: new URL(endpoint).host, apiKey } as const;
  return createPsiClient({ server, threads: sameThread, ...settings, ...others });
};

const request = (fields: Partial<AnalyserRequest> = {}): AnalyserRequest => ({
  url: 'https://example.com/',
  strategy: 'mobile',
  categories: ['performance'],
  locale: 'en-US',
  requestedAt: '2026-11-20T12:00:00.000Z',
  ...fields,
});

const parse = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString());

const never = () => new AbortController().signal;

const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers }).end(text);
};

const sendResult = (response: ServerResponse, lhr: Lhr = buildMeasuredLhr()) => send(response, 200, toPsiResult(lhr));

const failureOf = async (answer: Promise<unknown>): Promise<AnalysisError> => {
  const error = await answer.then(
    () => assert.fail('it was answered'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AnalysisError, String(error));
  return error;
};

/**
 * Returns the error of the client for such an answer. Every failure is of the remote side, and does not contain the
 * key.
 */
async function failureWhen(t: TestContext, answer: Answer, fields: Fields = {}): Promise<AnalysisError> {
  const { endpoint } = await startPsiServer(t, answer);
  const error = await failureOf(buildClient(endpoint, { apiKey: key, ...fields }).analyse(request(), never()));
  assert.equal(error.source, 'psi');
  assert.ok(!JSON.stringify({ ...error, message: error.message, cause: String(error.cause) }).includes(key));
  return error;
}

test('an answer is returned as a result, and as the full Lighthouse result', async t => {
  const answer = JSON.parse(JSON.stringify(toPsiResult(buildMeasuredLhr())));
  const { endpoint } = await startPsiServer(t, response => send(response, 200, JSON.stringify(answer, null, 2)));
  const { result, lighthouseResult } = await buildClient(endpoint).analyse(request(), never());
  assert.deepEqual(parse(lighthouseResult), answer.lighthouseResult);
  assert.deepEqual(
    [result.source, result.analyser, result.url],
    ['psi', { kind: 'custom', host: new URL(endpoint).host }, 'https://example.com/'],
  );
});

test('a compressed answer in many pieces, split within characters, arrives whole', async t => {
  const lhr = buildMeasuredLhr({ runWarnings: ['Die Seite lädt langsam: 語😀'] });
  const { endpoint } = await startPsiServer(t, response => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    for (const byte of gzipSync(JSON.stringify(toPsiResult(lhr)))) response.write(Buffer.of(byte));
    response.end();
  });
  const { result } = await buildClient(endpoint).analyse(request(), never());
  assert.deepEqual(result.warnings, lhr.runWarnings);
});

test('the request is a GET of v5: the URL unchanged, the strategy, and the categories in the requested order', async t => {
  const { endpoint, seen } = await startPsiServer(t, response => sendResult(response));
  const page = 'https://example.com/a%20b?x=1&y=2+3&key=no&strategy=desktop&%C3%BC#frag&ment';
  const categories = ['seo', 'best-practices', 'performance', 'accessibility'] as const;
  for (const strategy of ['mobile', 'desktop'] as const)
    await buildClient(endpoint).analyse(request({ url: page, strategy, categories, locale: 'pt-BR' }), never());
  const [{ url, method, headers } = assert.fail('nothing was sent')] = seen;
  assert.equal(method, 'GET');
  assert.equal(url.pathname, '/pagespeedonline/v5/runPagespeed');
  assert.equal(url.searchParams.get('url'), page);
  assert.deepEqual(
    seen.map(call => call.url.searchParams.getAll('strategy')),
    [['MOBILE'], ['DESKTOP']],
  );
  assert.equal(url.searchParams.get('locale'), 'pt-BR');
  assert.deepEqual(url.searchParams.getAll('category'), ['SEO', 'BEST_PRACTICES', 'PERFORMANCE', 'ACCESSIBILITY']);
  assert.equal(headers.accept, 'application/json');
});

test('a used-up quota has the time to wait, in seconds or as a date', async t => {
  const waits: [string | undefined, (seconds: number | undefined) => boolean][] = [
    ['30', seconds => seconds === 30],
    ['0', seconds => seconds === 0],
    [
      new Date(Date.now() + 3_600_000).toUTCString(),
      seconds => seconds !== undefined && seconds > 3000 && seconds <= 3600,
    ],
    ['Wed, 21 Oct 2015 07:28:00 GMT', seconds => seconds === 0],
    ['soon', seconds => seconds === undefined],
    [undefined, seconds => seconds === undefined],
  ];
  for (const [header, isRight] of waits) {
    const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header };
    const error = await failureWhen(t, response => send(response, 429, {}, headers));
    assert.equal(error.code, 'psi_quota_exceeded');
    assert.ok(isRight(error.retryAfterSeconds), `${header}: ${error.retryAfterSeconds}`);
  }
});

test("the score of an error page is the page's failure", async t => {
  for (const warning of [
    'Unable to load. (Status code: 503)',
    'Nicht geladen. (Statuscode: 503)',
    '（ステータス コード: 503）',
  ]) {
    const error = await failureWhen(t, response => sendResult(response, buildMeasuredLhr({ runWarnings: [warning] })));
    assert.equal(error.code, 'page_error');
    assert.equal(error.pageStatus, 503);
  }
});

test('an answer that is cut off means an unavailable analyser', async t => {
  const error = await failureWhen(t, response => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
    response.write('{"lighthouseResult":{', () => response.destroy());
  });
  assert.equal(error.code, 'psi_unavailable');
});

test('a server that is not running means an unavailable analyser, and the reason is named without the address', async t => {
  const error = await new Promise<AnalysisError>((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        const client = buildClient(`http://127.0.0.1:${port}/`, { query: `?key=${key}` });
        failureOf(client.analyse(request(), never())).then(resolve, reject);
      });
    });
    t.after(() => server.close());
  });
  assert.equal(error.code, 'psi_unavailable');
  assert.equal(error.message, 'The PSI server could not be reached (ECONNREFUSED).');
  assert.equal(error.cause, undefined);
});

test('an endless answer is abandoned, and its connection closed', async t => {
  const closed = Promise.withResolvers<void>();
  const megabyte = ' '.repeat(1024 * 1024);
  const error = await failureWhen(t, response => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.on('close', closed.resolve);
    const pour = () => {
      if (!response.destroyed) response.write(megabyte, pour);
    };
    pour();
  });
  assert.equal(error.code, 'psi_bad_response');
  assert.match(error.message, /too large/);
  await closed.promise;
});

/** Lets time limits end when the test says so. A real one may end before the server of a busy machine has the request. */
function holdTimeLimits(t: TestContext) {
  const limits: { ms: number; over: AbortController }[] = [];
  t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    const over = new AbortController();
    limits.push({ ms, over });
    return over.signal;
  });
  return { limits, endFirst: () => limits[0]?.over.abort(new DOMException('late', 'TimeoutError')) };
}

test('a silent server is abandoned after the time limit of a call, and its connection closed', async t => {
  const closed = Promise.withResolvers<void>();
  const { limits, endFirst } = holdTimeLimits(t);
  const silent: Answer = response => {
    response.on('close', closed.resolve);
    endFirst();
  };
  const error = await failureWhen(t, silent, { timeoutMs: 100 });
  assert.deepEqual([error.code, limits[0]?.ms], ['psi_timeout', 100]);
  assert.equal(error.message, 'The PSI server did not respond within 0.1 s.');
  await closed.promise;
});

test('the time limit of a call includes its body', async t => {
  const closed = Promise.withResolvers<void>();
  const { endFirst } = holdTimeLimits(t);
  const hang: Answer = response => {
    response.on('close', closed.resolve);
    // By then, the client usually has the head of the answer.
    response.writeHead(200, { 'content-type': 'application/json' }).write('{', () => setTimeout(endFirst, 100));
  };
  assert.equal((await failureWhen(t, hang)).code, 'psi_timeout');
  await closed.promise;
});

test('time in the queue does not count: a call behind one that timed out still has its whole time', async t => {
  const { limits, endFirst } = holdTimeLimits(t);
  let begun = 0;
  const { endpoint, seen } = await startPsiServer(t, response => {
    if (seen.length > 1) return sendResult(response);
    begun = limits.length;
    endFirst();
  });
  const client = buildClient(endpoint, { concurrency: 1, timeoutMs: 1000 });
  const hung = failureOf(client.analyse(request(), never()));
  const answered = client.analyse(request(), never());
  assert.equal((await hung).code, 'psi_timeout');
  assert.equal((await answered).result.lighthouse_version, '13.5.0');
  assert.deepEqual([begun, limits[1]?.ms], [1, 1000], 'its time began after the end of the first');
});

test('a client that disconnects gets the abort reason, and the connection is closed', async t => {
  const arrived = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const { endpoint } = await startPsiServer(t, response => {
    response.on('close', closed.resolve);
    arrived.resolve();
  });
  const disconnect = new AbortController();
  const answer = buildClient(endpoint).analyse(request(), disconnect.signal);
  const reason = new Error('the client disconnected');
  arrived.promise.then(() => disconnect.abort(reason));
  await assert.rejects(answer, error => error === reason);
  await closed.promise;
});

test('no call is made for a client that has disconnected', async t => {
  const { endpoint, seen } = await startPsiServer(t, response => sendResult(response));
  const reason = new Error('the client disconnected');
  await assert.rejects(buildClient(endpoint).analyse(request(), AbortSignal.abort(reason)), error => error === reason);
  assert.equal(seen.length, 0);
});

test('a client that disconnects during a call frees its slot', async t => {
  const arrived = Promise.withResolvers<void>();
  const { endpoint, seen } = await startPsiServer(t, response => {
    if (seen.length > 1) sendResult(response);
    else arrived.resolve();
  });
  const client = buildClient(endpoint, { concurrency: 1 });
  const disconnect = new AbortController();
  const first = client.analyse(request(), disconnect.signal);
  const next = client.analyse(request(), never());
  await arrived.promise;
  disconnect.abort();
  await assert.rejects(first, { name: 'AbortError' });
  await next;
});

test('exactly as many calls run as allowed', async t => {
  const calls = createArrivals<ServerResponse>();
  const { endpoint } = await startPsiServer(t, (response, { url }) => {
    if (url?.endsWith('/barrier')) response.end();
    else calls.add(response);
  });
  const client = buildClient(endpoint, { concurrency: 2 });
  const answers = Promise.all(Array.from({ length: 8 }, () => client.analyse(request(), never())));
  for (let begun = 2; begun <= 8; begun += 2) {
    await inTime(calls.waitFor(begun));
    // Calls that were sent before this request have arrived before it.
    await fetch(`${endpoint}/barrier`);
    assert.equal(calls.all.length, begun);
    for (const held of calls.all.slice(-2)) sendResult(held);
  }
  assert.equal((await answers).length, 8);
});

test('a failed call frees its slot', async t => {
  const { endpoint, seen } = await startPsiServer(t, response => {
    if (seen.length > 9) sendResult(response);
    else send(response, 500, {});
  });
  const client = buildClient(endpoint, { concurrency: 1 });
  for (let call = 1; call <= 3; call++)
    assert.equal((await failureOf(client.analyse(request(), never()))).code, 'psi_unavailable');
  assert.ok(await client.analyse(request(), never()));
  assert.equal(seen.length, 10, 'three tries each, then one');
});
