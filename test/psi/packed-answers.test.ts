/** Contract section 7: a result is stored once, compressed, and sent as stored. These tests start no browser. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { constants, deflateRawSync, gunzipSync, inflateRawSync } from 'node:zlib';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { assertDocumented } from '../support/asking/documented.ts';
import { ask } from '../support/asking/slow-reader.ts';
import { collect } from '../support/collect.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type StartedService, startService } from '../support/start-service.ts';

type Both = { mobile: Result; desktop: Result };

const fake = await startFakePsi({ after });
const items = Array.from({ length: 5_000 }, (_, index) => ({
  url: `https://example.com/${index}.js`,
  size: index ** 2,
}));
fake.answerWith(call =>
  call.params.get('url')?.endsWith('/bad')
    ? toLighthouseError('Lighthouse returned error: NOT_HTML. No.')
    : { body: toPsiBody(call, { stackPacks: items, i18n: { text: 'grün 🟢' } }) },
);
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint });
const page = (name: string) => `https://example.com/${name}`;
const target = (query: Record<string, string> = {}) => withQuery('/psi', { url: page(''), detailed: true, ...query });

const fullOf = (result: unknown): Record<string, unknown> => {
  const { lighthouse_result: full } = result as Result;
  return full as Record<string, unknown>;
};
const assertFull = (result: unknown) => assert.deepEqual(fullOf(result).stackPacks, items);

type Asked = [path: string, headers?: Record<string, string>, body?: object];

/** The head and the undecoded body of the answer. */
async function askServiceForGzip(service: StartedService, ...[path, headers = {}, body]: Asked) {
  const socket = ask(service, {
    target: path,
    headers: { 'accept-encoding': 'gzip', 'content-type': 'application/json', ...headers },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  const received = Buffer.concat(await collect<Buffer>(socket));
  const start = received.indexOf('\r\n\r\n') + 4;
  const head = received.toString('latin1', 0, start);
  const sent = received.subarray(start);
  return { head, sent };
}

/**
 * Packs the results in the persistent cache of this folder again, at a level that the service does not use. Only a
 * service that sends what is stored sends these bytes.
 * @returns the compressed bytes of each
 */
function packOtherwise(folder: string): Buffer[] {
  using database = new DatabaseSync(join(folder, 'results.sqlite'));
  const rows = database.prepare('SELECT name, content FROM cached_values').all() as {
    name: string;
    content: Uint8Array;
  }[];
  const update = database.prepare('UPDATE cached_values SET content = ?, bytes = ? WHERE name = ?');
  return rows.map(({ name, content }) => {
    const stored = Buffer.from(content);
    const endOfLine = stored.indexOf('\n') + 1;
    const begin = endOfLine + JSON.parse(stored.toString('utf8', 0, endOfLine)).summaryBytes;
    // After the compressed bytes, 8 bytes are their checksum and length.
    const flush = { finishFlush: constants.Z_SYNC_FLUSH };
    const deflated = deflateRawSync(inflateRawSync(stored.subarray(begin, -8), flush), { ...flush, level: 1 });
    assert.notDeepEqual(deflated, stored.subarray(begin, -8));
    const changed = Buffer.concat([stored.subarray(0, begin), deflated, stored.subarray(-8)]);
    update.run(changed, changed.length, name);
    return deflated;
  });
}

test('a result is sent in the very bytes that are stored, alone, with another and in a batch', async t => {
  const settings = { PSI_ENDPOINT: fake.endpoint, DATA_DIR: makeScratchFolder(t) };
  const first = await startService(t, settings);
  assert.equal((await fetch(first.url + target())).status, 200);
  await first.close(0);
  const packed = packOtherwise(settings.DATA_DIR);
  assert.equal(packed.length, 2);
  const service = await startService(t, settings);
  const calls = fake.calls.all.length;
  const askForGzip = (...asked: Asked) => askServiceForGzip(service, ...asked);

  const alone = await askForGzip(target({ strategy: 'mobile' }));
  assert.match(alone.head, /content-encoding: gzip/i);
  assert.match(alone.head, new RegExp(`content-length: ${alone.sent.length}\r\n`, 'i'));
  const result = JSON.parse(gunzipSync(alone.sent).toString());
  assertFull(result);
  const [stored = assert.fail(), ...others] = packed.filter(bytes => alone.sent.includes(bytes));
  assert.deepEqual([stored.length > 20_000, others], [true, []]);
  const both = await askForGzip(target());
  const { mobile, desktop }: Both = JSON.parse(gunzipSync(both.sent).toString());
  for (const bytes of packed) assert.ok(both.sent.includes(bytes));
  assert.deepEqual(fullOf(mobile), fullOf(result));
  assertFull(desktop);
  for (const accept of ['application/json', 'application/x-ndjson', 'text/event-stream']) {
    const batch = { urls: [page('')], strategy: 'mobile', detailed: true };
    const { head, sent } = await askForGzip('/psi', { accept }, batch);
    assert.match(head, /content-encoding: gzip/i);
    assert.ok(sent.includes(stored), accept);
  }
  assert.equal(fake.calls.all.length, calls, 'nothing was measured again');
});

test('fetch can read every format of an answer', async () => {
  const single = await fetch(service.url + target());
  assert.equal(single.headers.get('content-encoding'), 'gzip');
  assert.equal(single.headers.get('vary'), 'Accept-Encoding');
  const body = (await single.json()) as Both;
  await assertDocumented(single, body);
  assertFull(body.mobile);
  assertFull(body.desktop);
  const batch = await fetch(`${service.url}/psi`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ urls: [page(''), page('bad'), 'nonsense', page('')], detailed: true }),
  });
  assert.equal(batch.headers.get('content-encoding'), 'gzip');
  const { results, ...totals } = (await batch.json()) as { results: Both[] };
  assert.deepEqual(totals, { total: 4, succeeded: 2, failed: 2 });
  for (const index of [0, 3]) assertFull(results[index]?.desktop);
});

const run = promisify(execFile);
const curl = (...args: string[]) =>
  run('curl', ['--silent', '--show-error', '--fail', ...args], { maxBuffer: 64 * 1024 * 1024 });
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

test('curl can read an answer, compressed and uncompressed', { skip: !hasCurl && 'there is no curl' }, async () => {
  for (const args of [['--compressed'], ['--header', 'accept-encoding: gzip', '--compressed'], []]) {
    const { stdout } = await curl(...args, service.url + target());
    const { mobile, desktop }: Both = JSON.parse(stdout);
    assertFull(mobile);
    assertFull(desktop);
  }
});

test('each line of a batch can be read when it arrives, while the next page runs', async t => {
  const other = await startFakePsi(t);
  const running = await startService(t, { PSI_ENDPOINT: other.endpoint });
  const release = Promise.withResolvers<void>();
  other.answerWith(async call => {
    if (call.params.get('url') === page('late')) await release.promise;
    return { body: toPsiBody(call, { stackPacks: items }) };
  });
  const response = await fetch(`${running.url}/psi`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: JSON.stringify({ urls: [page('late'), page('early')], strategy: 'mobile', detailed: true }),
  });
  assert.equal(response.headers.get('content-encoding'), 'gzip');
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const lines = text.split('\n').slice(0, -1);
    if (lines.length === 1) {
      assertFull(JSON.parse(lines[0] ?? ''));
      release.resolve();
    }
  }
  assert.equal(text.trimEnd().split('\n').length, 3);
});
