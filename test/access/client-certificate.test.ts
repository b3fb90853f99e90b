/** Pages whose server demands a certificate of its clients. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import type { Result } from '../../src/contract/result/result.ts';
import type { Lhr } from '../../src/measure/lhr/lhr.ts';
import { post } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { daysFromNow, generatePair, startSecureServer } from '../support/sites/secure-server.ts';
import { startService } from '../support/start-service.ts';

const name = 'staff.example.com';
const names = { altNames: [{ type: 2 as const, value: name }], from: daysFromNow(-1), until: daysFromNow(9) };

const toPage = (third: string) => `<!doctype html><html lang="en"><title>Staff</title>
<meta name="viewport" content="width=device-width"><h1 id="staff">Staff</h1>
<script src="/app.js"></script><script src="${third}"></script>`;

type Item = { url: string; statusCode: number; protocol: string };
const requestsOf = (result: Result): Item[] =>
  ((result.lighthouse_result as Lhr).audits['network-requests'] as unknown as { details: { items: Item[] } }).details
    .items;

const nameIn = (socket: TLSSocket | undefined): string =>
  String(socket?.getPeerCertificate().subject?.CN ?? 'no certificate');

test('a client certificate opens its page, is seen by no third party, and its key is kept nowhere', async t => {
  const [client, stranger] = await Promise.all([generatePair('client'), generatePair('stranger')]);
  const seenByThird: string[] = [];
  const third = await startSecureServer(t, '', undefined, {
    onAsked: (_request, socket) => seenByThird.push(nameIn(socket)),
  });
  const seen: string[] = [];
  const site = await startSecureServer(t, toPage(third.url), names, {
    cert: client.cert,
    onAsked: ({ url }, socket) => seen.push(`${url} ${nameIn(socket)}`),
  });
  const folder = makeScratchFolder(t);
  const service = await startService(t, { TARGETS: 'any', RESULTS_FILE: join(folder, 'results.sqlite') });
  const measure = (
    access: object | undefined,
    certificates: object | undefined = { ca: site.certificate },
    host = name,
  ) =>
    post<Result & { code?: string; detail?: string }>(service, '/lighthouse', {
      ...{ url: `https://${host}/`, hosts: { [name]: `127.0.0.1:${site.port}` }, certificates },
      ...{ categories: ['performance'], ...(access ? { access } : {}) },
    });
  const expect = { selector: '#staff' };
  const { status, body } = await measure({ client_certificate: client, expect });
  assert.equal(status, 200, JSON.stringify(body).slice(0, 500));
  assert.deepEqual(body.conditions?.access?.kinds, ['client_certificate']);
  const own = requestsOf(body).filter(({ url }) => url.startsWith(`https://${name}/`));
  assert.deepEqual(
    own.map(({ url, statusCode, protocol }) => [new URL(url).pathname, statusCode, protocol]),
    [
      ['/', 200, 'h2'],
      ['/app.js', 200, 'h2'],
    ],
  );
  assert.ok(seen.includes('/ client') && seen.includes('/app.js client'), seen.join());
  assert.deepEqual(seenByThird, []);
  const login = { steps: [{ type: 'navigate', url: `https://${name}/` }] };
  assert.equal((await measure({ client_certificate: client, login, expect })).status, 200);
  // The server gets no certificate, then one of another client; then the browser gets a server of an unknown CA.
  assert.notEqual((await measure(undefined)).status, 200);
  // With TLS 1.3, a server refuses a certificate after the handshake, and may close before its reason is read.
  const refused = await measure({ client_certificate: stranger, expect });
  assert.match(refused.body.code ?? '', /^page_(insecure|unreachable)$/);
  const asked = seen.length;
  assert.equal((await measure({ client_certificate: client, expect }, {})).body.code, 'page_insecure');
  assert.equal((await measure({ client_certificate: client, expect }, {}, `${name}.`)).body.code, 'page_insecure');
  assert.equal(seen.length, asked);
  assert.equal((await measure({ client_certificate: client, expect }, { ignore_errors: true })).status, 200);
  const secret = client.key.split('\n')[1] ?? '';
  assert.ok(secret.length > 20);
  for (const text of [
    JSON.stringify(body),
    ...readdirSync(folder).map(file => readFileSync(join(folder, file), 'latin1')),
  ])
    assert.ok(!text.includes(secret) && !text.includes(JSON.stringify(client.key).slice(1, -1)));
});

const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;

test('a bad client certificate is a 422 that repeats nothing', async t => {
  const service = await startService(t, { TARGETS: 'any' });
  const [client, other] = await Promise.all([generatePair('client'), generatePair('other')]);
  for (const pair of [
    { cert: client.cert, key: other.key },
    { cert: 'garbage', key: client.key },
    { cert: client.cert, key: client.cert },
    { cert: client.cert },
    { cert: client.cert, key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pkcs8) },
  ]) {
    const { status, text } = await post(service, '/lighthouse', {
      url: `https://${name}/`,
      access: { client_certificate: pair },
    });
    assert.equal(status, 422, text);
    assert.match(text, /client_certificate/);
    assert.doesNotMatch(text, /BEGIN/);
  }
});
