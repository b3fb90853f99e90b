/** Contract section 8: a batch answered line by line. These tests start no browser. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { Failure } from '../../src/contract/analysis/answers.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask } from '../support/asking/ask.ts';
import { assertDocumented } from '../support/asking/documented.ts';
import { startService } from '../support/start-service.ts';
import { inTime } from '../support/until.ts';

type Line = ({ index: number } & (Result | Failure)) | { total: number; succeeded: number; failed: number };

const page = (name: string | number) => `https://example.com/${name}`;

async function start(t: TestContext, environment: Record<string, string> = {}) {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, ...environment });
  const send = (body: object, accept = 'application/x-ndjson', signal?: AbortSignal) =>
    fetch(`${service.url}/psi`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ strategy: 'mobile', ...body }),
      ...(signal ? { signal } : {}),
    });
  return { fake, service, send };
}

/** Yields each line as soon as it arrives, validated against the OpenAPI document. */
async function* linesOf(response: Response): AsyncGenerator<Line> {
  let rest = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const value = JSON.parse(line);
      await assertDocumented(response, value, 'POST');
      yield value;
    }
  }
  assert.equal(rest, '', 'the last line is ended too');
}

const readAll = async (response: Response): Promise<Line[]> => {
  const lines: Line[] = [];
  for await (const line of linesOf(response)) lines.push(line);
  return lines;
};

const show = (line: Line) =>
  'index' in line ? [line.index, line.url, 'error' in line ? line.error.code : 'fine'] : line;

test('each entry is a line with its index, and the last line has the totals', async t => {
  const { fake, send } = await start(t, { PSI_CONCURRENCY: '1' });
  fake.answerWith(call =>
    call.params.get('url') === page('bad')
      ? toLighthouseError('Lighthouse returned error: NOT_HTML. No.')
      : { body: toPsiBody(call) },
  );
  const response = await send({ urls: [page('a'), 'nonsense', page('bad'), page('a')] });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
  const lines = (await readAll(response)).map(show);
  assert.deepEqual(lines.pop(), { total: 4, succeeded: 2, failed: 2 });
  assert.deepEqual(lines.toSorted(), [
    [0, page('a'), 'fine'],
    [1, 'nonsense', 'invalid_url'],
    [2, page('bad'), 'page_not_html'],
    [3, page('a'), 'fine'],
  ]);
  assert.equal(fake.calls.all.length, 2);
});

test('a line is sent as soon as its page is done, while others are still running', async t => {
  const { fake, send } = await start(t);
  const release = new Map(['a', 'b', 'c'].map(name => [page(name), Promise.withResolvers<void>()]));
  fake.answerWith(async call => {
    await release.get(call.params.get('url') ?? '')?.promise;
    return { body: toPsiBody(call) };
  });
  // The headers arrive before the first page is done.
  const lines = linesOf(await send({ urls: [...release.keys()] }));
  for (const name of ['b', 'c', 'a']) {
    release.get(page(name))?.resolve();
    const { value } = await lines.next();
    assert.equal(value && 'url' in value ? value.url : undefined, page(name));
  }
  assert.deepEqual((await lines.next()).value, { total: 3, succeeded: 3, failed: 0 });
});

test('both strategies and the full data fit on a line', async t => {
  const { send } = await start(t);
  const [line] = await readAll(await send({ urls: [page('a')], strategy: 'both', detailed: true }));
  const { mobile } = line as unknown as { mobile: Result };
  assert.ok(mobile.lighthouse_result);
});

test('JSON is the format unless the client requests the other, and always for a single page', async t => {
  const { send } = await start(t);
  for (const accept of [
    'application/json',
    '*/*',
    'application/json, application/x-ndjson;q=0.5',
    'application/x-ndjson;q=0',
  ]) {
    const response = await send({ urls: [page('a')] }, accept);
    assert.equal(response.headers.get('content-type'), 'application/json', accept);
    assert.equal(((await response.json()) as { total: number }).total, 1);
  }
  for (const accept of [
    'application/x-ndjson',
    'application/json;q=0.5, application/x-ndjson',
    'application/x-ndjson, */*',
  ])
    assert.equal(
      (await send({ urls: [page('a')] }, accept)).headers.get('content-type'),
      'application/x-ndjson',
      accept,
    );
  const single = await send({ url: page('a') });
  assert.equal(single.headers.get('content-type'), 'application/json');
});

test('an invalid request is a 422 in either format', async t => {
  const { service } = await start(t);
  const { status } = await ask(service, '/psi', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: '{"urls": []}',
  });
  assert.equal(status, 422);
});

test('a client that disconnects cancels running pages, and no more start', async t => {
  const { fake, send, service } = await start(t);
  fake.hold();
  const leaving = new AbortController();
  const urls = Array.from({ length: 100 }, (_, index) => page(index));
  const response = await send({ urls }, undefined, leaving.signal);
  await fake.calls.waitFor(4);
  leaving.abort();
  await assert.rejects(response.text(), { name: 'AbortError' });
  await inTime(Promise.all(fake.calls.all.map(({ abandoned }) => abandoned)));
  await ask(service, '/health');
  assert.equal(fake.calls.all.length, 4);
});

/** Requests a batch and reads nothing of the answer. */
const sendUnread = (url: string, urls: readonly string[], accept: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept };
    sendRequest(`${url}/psi`, { method: 'POST', headers }, resolve)
      .on('error', reject)
      .end(JSON.stringify({ urls, strategy: 'mobile', detailed: true }));
  });

for (const accept of ['application/x-ndjson', 'application/json'])
  test(`a reader that pauses stops the batch (${accept}), and gets all of it when it continues`, async t => {
    const { fake, service } = await start(t);
    const padding = randomBytes(500_000).toString('hex');
    fake.answerWith(call => ({ body: toPsiBody(call, { stackPacks: [padding] }) }));
    const urls = Array.from({ length: 50 }, (_, index) => page(index));
    const response = await sendUnread(service.url, urls, accept);
    // Waits until the number of calls stays the same while the service answers a hundred other requests.
    let before = -1;
    while (before !== fake.calls.all.length) {
      before = fake.calls.all.length;
      for (let round = 0; round < 100; round++) await fetch(`${service.url}/health`).then(answer => answer.text());
    }
    // Eight calls are in flight, and the buffers of the two sockets have room for a few results of 1 MB each.
    assert.ok(before < 30, `${before} of ${urls.length} begun`);
    let bytes = 0;
    for await (const chunk of response) bytes += chunk.length;
    assert.ok(bytes > urls.length * padding.length);
    assert.equal(fake.calls.all.length, urls.length);
    t.diagnostic(`${before} of ${urls.length} pages begun for a reader that does not read`);
  });
