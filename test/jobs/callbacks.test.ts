/** Callbacks at the end of a job: the receiver, the signature, and the places a callback never goes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Webhook } from 'standardwebhooks';
import type { JobAnswer, JobFacts } from '../../src/contract/jobs/job.ts';
import type { DialNetwork } from '../../src/measure/egress/dial.ts';
import { tableMetrics } from '../../src/presentation/words.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { daysFromNow, startSecureServer } from '../support/sites/secure-server.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { createOwnNetwork } from '../support/surroundings/own-network.ts';
import { readUntil } from '../support/until.ts';
import { askForJob, asyncHeaders, followToEnd } from './jobs.ts';
import { startReceiver } from './receiver.ts';

const secret = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
const url = 'https://example.com/';

async function start(scope: Scope, environment: Record<string, string> = {}, network?: DialNetwork) {
  const fake = await startFakePsi(scope);
  const settings = { PSI_ENDPOINT: fake.endpoint, CALLBACK_SECRET: secret, ...environment };
  return startService(scope, settings, network, { jobs: { callbackFirstMs: 1 } });
}

/** Waits until the job's callback has this state. */
async function waitForCallback(service: { url: string }, id: string, state: string): Promise<JobFacts> {
  const read = async () => (await ask<JobAnswer>(service, `/jobs/${id}?limit=0`)).body;
  return readUntil(read, ({ callback }) => callback?.state === state);
}

test('a callback is signed according to Standard Webhooks, and has a sentence, scores, metrics and links but no result', async t => {
  const receiver = await startReceiver(t);
  const service = await start(t);
  const { body: asked } = await askForJob(service, { urls: [url, 'nonsense'], callback: `${receiver.url}/hook?x=1` });
  const [{ path, headers, body }] = (await receiver.calls.waitFor(1)) as [(typeof receiver.calls.all)[number]];
  assert.equal(path, '/hook?x=1');
  // `verify` throws if the signature is wrong or too old.
  const told = new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
  assert.throws(() =>
    new Webhook(secret).verify(body.replace('succeeded', 'failed'), headers as Record<string, string>),
  );
  type Told = { url: string; results: { scores: unknown; metrics: object; links: object }[]; links: { self: string } };
  const data = told.data as { id: string; text: string; pages: Told[] };
  assert.deepEqual([told.type, data.id], ['job.succeeded', asked.id]);
  assert.deepEqual(
    data.pages.map(page => [page.url, page.results.length]),
    [
      [url, 2],
      ['nonsense', 0],
    ],
  );
  assert.deepEqual(data.pages[0]?.results[0]?.scores, {
    performance: 100,
    accessibility: 100,
    'best-practices': 100,
    seo: 80,
  });
  assert.equal(data.text, 'https://example.com/ and 1 more: 1 of 2 pages measured.');
  assert.deepEqual(Object.keys(data.pages[0]?.results[0]?.metrics ?? {}), [...tableMetrics]);
  assert.equal(data.pages[0]?.links.self, `${service.url}/jobs/${asked.id}/pages/0`);
  assert.ok(body.length < 2500 && !body.includes('failed_audits'));
  const { callback } = await waitForCallback(service, asked.id, 'delivered');
  assert.deepEqual(callback, { state: 'delivered', attempts: 1, error: null });
});

test('a failed callback is sent again with the same id, and a redirect is a failure', async t => {
  const receiver = await startReceiver(t, call => [500, 302, 204][call - 1] ?? 204);
  const service = await start(t);
  const target = withQuery('/psi', { url, callback: receiver.url });
  const { body: asked } = await ask<JobFacts>(service, target, { headers: asyncHeaders });
  const calls = await receiver.calls.waitFor(3);
  assert.equal(new Set(calls.map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.ok(calls.every(({ path }) => path === '/'));
  assert.equal((await waitForCallback(service, asked.id, 'delivered')).callback?.attempts, 3);
});

test('a 410 ends the retries', async t => {
  const receiver = await startReceiver(t, () => 410);
  const service = await start(t);
  const { body: asked } = await askForJob(service, { url, callback: receiver.url });
  const { callback } = await waitForCallback(service, asked.id, 'given_up');
  assert.deepEqual([callback?.attempts, callback?.error], [1, 'HTTP 410 (Gone)']);
});

const faultOf = async (service: { url: string }, body: unknown, headers: Record<string, string> = asyncHeaders) => {
  const init = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const answer = await ask<{ detail: { loc: string[]; msg: string }[] }>(service, '/psi', init);
  assert.equal(answer.status, 422);
  assert.deepEqual(answer.body.detail[0]?.loc, ['body', 'callback']);
  return answer.body.detail[0]?.msg ?? '';
};

test('a callback is rejected without a signing key, or for a forbidden target', async t => {
  const service = await start(t, { TARGETS: 'public' });
  assert.match(await faultOf(service, { url, callback: 'https://example.com/hook' }, {}), /Prefer: respond-async/);
  assert.match(await faultOf(service, { url, callback: 'http://example.com/hook' }), /https/);
  assert.match(await faultOf(service, { url, callback: 'nonsense' }), /https/);
  for (const host of ['10.0.0.1', '127.0.0.1', 'localhost', '[::1]', '169.254.169.254', 'metadata.google.internal'])
    assert.match(await faultOf(service, { url, callback: `https://${host}/hook` }), /TARGETS|never measured/, host);
  const unsigned = await startService(t);
  assert.match(await faultOf(unsigned, { url, callback: 'https://example.com/hook' }), /CALLBACK_SECRET/);
});

test('a host name that resolves to a private address is blocked when the socket opens, and nothing is sent', async t => {
  const receiver = await startReceiver(t);
  const network = createOwnNetwork(
    { 'hook.example.com': ['10.0.0.7'] },
    { '10.0.0.7': Number(new URL(receiver.url).port) },
  );
  const service = await start(t, { TARGETS: 'public' }, network);
  const { body: asked } = await askForJob(service, { url, callback: 'https://hook.example.com/' });
  const { callback } = await waitForCallback(service, asked.id, 'given_up');
  assert.match(callback?.error ?? '', /private address/);
  assert.deepEqual([network.lookups, network.dialled, receiver.calls.all.length], [['hook.example.com'], [], 0]);
});

test('a cancelled job sends no callback', async t => {
  const receiver = await startReceiver(t);
  const fake = await startFakePsi(t);
  const release = fake.hold();
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, CALLBACK_SECRET: secret });
  const { body: cancelled } = await askForJob(service, { url, callback: receiver.url });
  await fake.calls.waitFor(1);
  await ask(service, `/jobs/${cancelled.id}`, { method: 'DELETE' });
  release();
  const { body: next } = await askForJob(service, { url: `${url}next`, callback: receiver.url });
  await followToEnd(service, next.id);
  const [{ body }] = (await receiver.calls.waitFor(1)) as [(typeof receiver.calls.all)[number]];
  assert.equal(JSON.parse(body).data.id, next.id);
});

test('a callback uses TLS with its host name, and rejects an untrusted certificate', async t => {
  const names = {
    altNames: [{ type: 2, value: 'hook.example.com' }],
    from: daysFromNow(-1),
    until: daysFromNow(1),
  } as const;
  const server = await startSecureServer(t, 'thank you', { ...names, altNames: [...names.altNames] });
  const network = createOwnNetwork({ 'hook.example.com': ['93.184.215.14'] }, { '93.184.215.14': server.port });
  const service = await start(t, {}, network);
  const trusted = getCACertificates('default');
  t.after(() => setDefaultCACertificates(trusted));
  const callback = 'https://hook.example.com/hook';
  const { body: untrusted } = await askForJob(service, { url, callback });
  const readError = async () => (await ask<JobAnswer>(service, `/jobs/${untrusted.id}`)).body.callback?.error;
  assert.match((await readUntil(readError, Boolean)) ?? '', /self-signed/);
  setDefaultCACertificates([...trusted, server.certificate]);
  await waitForCallback(service, untrusted.id, 'delivered');
  assert.ok(network.dialled.every(address => address === '93.184.215.14 443'));
});
