import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createArrivals } from '../../../test/support/arrivals.ts';
import { sameThread } from '../../../test/support/audits/same-thread.ts';
import { buildLhr, buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import { impatient } from '../../../test/support/start-service.ts';
import { inTime } from '../../../test/support/until.ts';
import { AnalysisError, errorTable } from '../../contract/errors.ts';
import type { AnalyserRequest } from '../analyser.ts';
import type { Lhr } from '../lhr/lhr.ts';
import { createPsiClient, type PsiClientSettings } from './client.ts';
import { toPsiFailure } from './wire/error-body.ts';
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

test('the request is a GET of v5 with its parameters, the categories in the requested order', async t => {
  const { endpoint, seen } = await startPsiServer(t, response => sendResult(response));
  const asked = request({ categories: ['seo', 'best-practices', 'performance', 'accessibility'], locale: 'pt-BR' });
  await buildClient(endpoint).analyse(asked, never());
  const [{ url, method, headers } = assert.fail('nothing was sent')] = seen;
  assert.equal(method, 'GET');
  assert.equal(url.pathname, '/pagespeedonline/v5/runPagespeed');
  assert.equal(url.searchParams.get('url'), 'https://example.com/');
  assert.equal(url.searchParams.get('strategy'), 'MOBILE');
  assert.equal(url.searchParams.get('locale'), 'pt-BR');
  assert.deepEqual(url.searchParams.getAll('category'), ['SEO', 'BEST_PRACTICES', 'PERFORMANCE', 'ACCESSIBILITY']);
  assert.equal(headers.accept, 'application/json');
});

test('the strategy is always sent, because PSI defaults to desktop', async t => {
  const { endpoint, seen } = await startPsiServer(t, response => sendResult(response));
  for (const strategy of ['mobile', 'desktop'] as const)
    await buildClient(endpoint).analyse(request({ strategy }), never());
  assert.deepEqual(
    seen.map(({ url }) => url.searchParams.get('strategy')),
    ['MOBILE', 'DESKTOP'],
  );
});

test('the URL of the page is sent unchanged, with query, fragment and escapes', async t => {
  const { endpoint, seen } = await startPsiServer(t, response => sendResult(response));
  const url = 'https://example.com/a%20b?x=1&y=2+3&key=no&strategy=desktop&%C3%BC#frag&ment';
  await buildClient(endpoint).analyse(request({ url }), never());
  assert.equal(seen[0]?.url.searchParams.get('url'), url);
  assert.deepEqual(seen[0]?.url.searchParams.getAll('strategy'), ['MOBILE']);
});

test('the key travels in its header only; without a key there is no such header', async t => {
  const { endpoint, seen } = await startPsiServer(t, response => sendResult(response));
  await buildClient(endpoint, { apiKey: key }).analyse(request(), never());
  await buildClient(endpoint).analyse(request(), never());
  const [withKey, withoutKey] = seen;
  assert.equal(withKey?.headers['x-goog-api-key'], key);
  assert.ok(!withKey?.url.href.includes(key));
  assert.ok(withoutKey && !('x-goog-api-key' in withoutKey.headers));
});

test('the query of an endpoint is preserved', async t => {
  const { endpoint, seen } = await startPsiServer(t, response => sendResult(response));
  await buildClient(endpoint, { query: '?key=k1&quotaUser=me' }).analyse(request(), never());
  assert.equal(seen[0]?.url.searchParams.get('key'), 'k1');
  assert.equal(seen[0]?.url.searchParams.get('quotaUser'), 'me');
  assert.equal(seen[0]?.url.searchParams.get('url'), 'https://example.com/');
});

test("a failed page is the page's failure", async t => {
  const message = 'Lighthouse returned error: NO_FCP. The page did not paint any content. (NO_FCP)';
  const error = await failureWhen(t, response =>
    send(response, 400, {
      error: { code: 400, message, errors: [{ message, domain: 'lighthouse', reason: 'lighthouseUserError' }] },
    }),
  );
  assert.equal(error.code, 'page_blank');
  assert.equal(error.lighthouseCode, 'NO_FCP');
});

test('a rejected key is not shown', async t => {
  const message = `API key not valid: ${key}. Please pass a valid API key.`;
  const error = await failureWhen(t, response =>
    send(response, 400, {
      error: {
        code: 400,
        message,
        errors: [{ message, domain: 'global', reason: 'badRequest' }],
        details: [{ reason: 'API_KEY_INVALID' }],
      },
    }),
  );
  assert.equal(error.code, 'psi_key_rejected');
  assert.match(error.message, /API key not valid: …\./);
});

test("a key in the endpoint's query is not shown either", async t => {
  const error = await failureWhen(
    t,
    (response, { url }) => send(response, 403, { error: { code: 403, message: `Forbidden: ${url}` } }),
    { apiKey: '', query: `?key=${key}` },
  );
  assert.equal(error.code, 'psi_key_rejected');
  assert.match(error.message, /key=…/);
});

test('a bad request is reported as a bad response', async t => {
  const error = await failureWhen(t, response =>
    send(response, 400, { error: { code: 400, message: 'Invalid value.' } }),
  );
  assert.equal(error.code, 'psi_bad_response');
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

test('a server error in HTML means an unavailable analyser', async t => {
  const html = '<html><body>502 Server Error</body></html>';
  for (const status of [500, 502, 503]) {
    const error = await failureWhen(t, response => send(response, status, html, { 'content-type': 'text/html' }));
    assert.equal(error.code, 'psi_unavailable');
    assert.match(error.message, new RegExp(String(status)));
  }
});

test('a gateway timeout is a timeout', async t => {
  assert.equal((await failureWhen(t, response => send(response, 504, '<html></html>'))).code, 'psi_timeout');
});

test('a failure of another service like this one has its code, detail and time to wait', async t => {
  const failure = new AnalysisError('queue_full', 'Fifty audits are waiting.');
  const error = await failureWhen(t, response =>
    send(response, errorTable.queue_full.status, toPsiFailure(failure), { 'retry-after': '12' }),
  );
  assert.equal(error.code, 'queue_full');
  assert.equal(error.message, 'Fifty audits are waiting.');
  assert.equal(error.retryAfterSeconds, 12);
});

test('a success without a result is reported as a bad response', async t => {
  const bodies: unknown[] = [
    '',
    'OK',
    '<html></html>',
    'null',
    '[]',
    '{',
    {},
    { lighthouseResult: {} },
    { error: { message: 'm' } },
  ];
  for (const body of bodies)
    assert.equal((await failureWhen(t, response => send(response, 200, body))).code, 'psi_bad_response');
  assert.equal((await failureWhen(t, response => response.writeHead(204).end())).code, 'psi_bad_response');
});

test('a success with a runtime error is reported as that error', async t => {
  const answerWith = (runtimeError: { code: string; message: string }) =>
    failureWhen(t, response => sendResult(response, buildLhr({ runtimeError })));
  assert.equal((await answerWith({ code: 'NO_FCP', message: 'The page did not paint.' })).code, 'page_blank');
  assert.equal((await answerWith({ code: 'CRI_TIMEOUT', message: 'Timeout.' })).code, 'psi_unavailable');
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

test('a connection that is closed without an answer means an unavailable analyser', async t => {
  const error = await failureWhen(t, response => response.destroy());
  assert.equal(error.code, 'psi_unavailable');
  assert.match(error.message, /could not be reached\.$/);
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

test('a redirect is not followed, because the key would be sent along', async t => {
  const elsewhere = await startPsiServer(t, response => sendResult(response));
  for (const status of [301, 302, 307, 308]) {
    const error = await failureWhen(t, response => response.writeHead(status, { location: elsewhere.endpoint }).end());
    assert.equal(error.code, 'psi_unavailable');
  }
  assert.equal(elsewhere.seen.length, 0);
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

test('a silent server is abandoned after the time limit of a call, and its connection closed', async t => {
  const closed = Promise.withResolvers<void>();
  const error = await failureWhen(t, response => response.on('close', closed.resolve), { timeoutMs: 100 });
  assert.equal(error.code, 'psi_timeout');
  assert.equal(error.message, 'The PSI server did not respond within 0.1 s.');
  await closed.promise;
});

test('the time limit of a call includes its body', async t => {
  const closed = Promise.withResolvers<void>();
  const hang: Answer = response => {
    response.on('close', closed.resolve);
    response.writeHead(200, { 'content-type': 'application/json' }).write('{');
  };
  assert.equal((await failureWhen(t, hang, { timeoutMs: 100 })).code, 'psi_timeout');
  await closed.promise;
});

test('time in the queue does not count: a call behind one that timed out still has its whole time', async t => {
  const limits: { ms: number; over: AbortController }[] = [];
  t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    const over = new AbortController();
    limits.push({ ms, over });
    return over.signal;
  });
  let begun = 0;
  const { endpoint, seen } = await startPsiServer(t, response => {
    if (seen.length > 1) return sendResult(response);
    begun = limits.length;
    limits[0]?.over.abort(new DOMException('late', 'TimeoutError'));
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

test('the queued call of a client that disconnects is removed, and never made', async t => {
  const held: ServerResponse[] = [];
  const arrived = Promise.withResolvers<void>();
  const { endpoint, seen } = await startPsiServer(t, response => {
    if (seen.length > 1) return sendResult(response);
    held.push(response);
    arrived.resolve();
  });
  const client = buildClient(endpoint, { concurrency: 1 });
  const first = client.analyse(request({ url: 'https://example.com/first' }), never());
  const disconnect = new AbortController();
  const second = client.analyse(request({ url: 'https://example.com/second' }), disconnect.signal);
  const third = client.analyse(request({ url: 'https://example.com/third' }), never());
  await arrived.promise;
  const reason = new Error('the client disconnected');
  disconnect.abort(reason);
  await assert.rejects(second, error => error === reason);
  for (const response of held) sendResult(response);
  await Promise.all([first, third]);
  assert.deepEqual(
    seen.map(({ url }) => url.searchParams.get('url')),
    ['https://example.com/first', 'https://example.com/third'],
  );
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
