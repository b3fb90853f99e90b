/** Response headers for browsers and caches, and compression. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { sendRaw } from '../support/asking/raw-request.ts';
import { startService } from '../support/start-service.ts';

const fake = await startFakePsi({ after });
fake.answerWith(call => ({ body: toPsiBody(call, { stackPacks: [randomBytes(60_000).toString('hex')] }) }));
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'public' });
const keyed = await startService({ after }, { API_KEYS: 'a-key-of-some-client' });
const page = 'https://example.com/';
const summary = withQuery('/psi', { url: page, strategy: 'mobile' });
const report = withQuery('/psi/report', { url: page, strategy: 'mobile' });
const detailed = withQuery('/psi', { url: page, strategy: 'mobile', detailed: true });

const common = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

test('every answer of an operation has the security headers and is not cached', async () => {
  const cases = [
    [service, { target: '/health' }, 200],
    [service, { target: '/openapi.json' }, 200],
    [service, { target: summary }, 200],
    [service, { target: '/psi' }, 422],
    [service, { target: '/lighthouse?url=http://10.0.0.1/' }, 403],
    [service, { target: '/pagespeedonline/v5/runPagespeed' }, 400],
    [service, { method: 'POST', target: '/cache/clear' }, 200],
    [service, { method: 'DELETE', target: '/psi' }, 405],
    [service, { target: '/jobs/no-such-job' }, 404],
    [keyed, { method: 'POST', target: '/cache/clear' }, 401],
  ] as const;
  for (const [asked, sent, status] of cases) {
    const answer = await sendRaw(asked, sent);
    assert.equal(answer.status, status, JSON.stringify(sent));
    for (const [name, value] of Object.entries(common)) assert.equal(answer.headers.get(name), value, name);
    assert.equal(answer.headers.get('cache-control'), 'no-store', JSON.stringify(sent));
    assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.doesNotMatch(answer.headers.get('content-security-policy') ?? '', /unsafe|\*/);
  }
});

test('pages have a policy for their files, and no inline script', async () => {
  for (const target of ['/', '/docs']) {
    const { headers } = await sendRaw(service, { target });
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
      assert.ok(policy.includes(rule), policy);
    const own = { ...common, 'referrer-policy': 'same-origin' };
    for (const [name, value] of Object.entries(own)) assert.equal(headers.get(name), value, name);
  }
});

test('a debug record shows its style and runs no script', async t => {
  const debug = await startService(t, { DEBUG_HEADERS: 'true' });
  const missing = await fetch(`${debug.url}/nothing`);
  const { pathname } = new URL(missing.headers.get('x-debug-token-link') ?? '');
  const { status, headers } = await sendRaw(debug, { target: pathname });
  assert.equal(status, 200);
  assert.equal(
    headers.get('content-security-policy'),
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
});

type Sent = { coding: string | undefined; vary: string | undefined; bytes: Buffer };

/** Does not use `fetch`, which decompresses. */
const get = (target: string, accepted?: string): Promise<Sent> => {
  const received = Promise.withResolvers<Sent>();
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
  const asked = request(new URL(target, service.url), { headers }, async response => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const { 'content-encoding': coding, 'content-length': length, vary } = response.headers;
    const bytes = Buffer.concat(chunks);
    assert.equal(Number(length), bytes.length);
    received.resolve({ coding, vary, bytes });
  });
  asked.on('error', received.reject).end();
  return received.promise;
};

const unpackers = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };

const acceptedCodings = [
  ['zstd', 'zstd'],
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['GZIP;q=0.5, br;q=0', 'gzip'],
] as const;
const otherCodings = ['', 'identity', 'deflate', 'gzip;q=0', 'gzip; q=0.000', 'x-gzip', '*;q=0'];

/** Removes the field that differs from one second to the next. */
const withoutAge = (bytes: Buffer) => bytes.toString().replace(/"age":\d+/, '');

test('a large answer is compressed in an encoding that the client accepts', async () => {
  const plain = await get(report);
  assert.deepEqual([plain.coding, plain.vary], [undefined, 'Accept-Encoding']);
  assert.ok(plain.bytes.length > 100_000);
  for (const [accepted, coding] of acceptedCodings) {
    const sent = await get(report, accepted);
    assert.deepEqual([sent.coding, sent.vary], [coding, 'Accept-Encoding'], accepted);
    assert.ok(sent.bytes.length < plain.bytes.length * 0.7, `${accepted}: ${sent.bytes.length}`);
    assert.equal(withoutAge(unpackers[coding](sent.bytes)), withoutAge(plain.bytes), accepted);
  }
  for (const accepted of otherCodings) assert.equal((await get(report, accepted)).coding, undefined, accepted);
});

test('a full result is sent as gzip from the store, or decompressed for a client without gzip', async () => {
  await get(detailed);
  const plain = await get(detailed);
  assert.deepEqual([plain.coding, plain.vary], [undefined, 'Accept-Encoding']);
  assert.ok(plain.bytes.length > 100_000);
  const read = (bytes: Buffer) => JSON.parse(bytes.toString()).lighthouse_result;
  for (const [accepted] of acceptedCodings) {
    const sent = await get(detailed, accepted);
    const coding = accepted.toLowerCase().includes('gzip') ? 'gzip' : undefined;
    assert.deepEqual([sent.coding, sent.vary], [coding, 'Accept-Encoding'], accepted);
    const bytes = coding ? unpackers[coding](sent.bytes) : sent.bytes;
    if (coding) assert.ok(sent.bytes.length < plain.bytes.length * 0.7, `${accepted}: ${sent.bytes.length}`);
    assert.deepEqual(read(bytes), read(plain.bytes), accepted);
  }
  for (const accepted of otherCodings) assert.equal((await get(detailed, accepted)).coding, undefined, accepted);
});

test('a small answer and the 404 page are sent uncompressed', async () => {
  const small = await get(summary, 'gzip');
  assert.deepEqual([small.coding, small.vary], [undefined, undefined]);
  const missing = await get(`/${'x'.repeat(14_000)}`, 'gzip');
  assert.deepEqual([missing.coding, missing.vary], [undefined, 'Accept']);
});
