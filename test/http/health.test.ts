/** Specification 4.1 and contract section 2. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';

/** The default number of slots. */
const service = await startService({ after }, { LIGHTHOUSE_CONCURRENCY: '' });

test('GET /health answers 200 with the state of every part', async () => {
  const { status, headers, body } = await ask<Health>(service, '/health');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'application/json');
  assert.equal(body.version, '2.0.0');
  assert.equal(body.status, body.lighthouse.available ? 'ok' : 'degraded');
  assert.match(body.lighthouse.version, /^13\.\d+\.\d+$/);
  assert.deepEqual(body.psi, { analyser: 'embedded', key_configured: false, state: 'ok' });
  assert.deepEqual(body.cache, { store: 'memory', entries: 0, bytes: 0 });
});

test('GET /health starts no browser and makes no call', async t => {
  const fake = await startFakePsi(t);
  const other = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  const { body } = await ask<Health>(other, '/health');
  assert.deepEqual([body.lighthouse.running, body.lighthouse.queued, fake.calls.all.length], [0, 0, 0]);
  assert.equal(body.lighthouse.sandbox, 'untested');
});

test('at most 2 local analyses run in parallel', async () => {
  const { body } = await ask<Health>(service, '/health');
  assert.equal(body.lighthouse.parallel_limit, 2);
});

test('GET /health reports which analyser answers and whether it has a key', async t => {
  const fake = await startFakePsi(t);
  const cases = [
    [{ PSI_ENDPOINT: fake.endpoint }, 'custom', false],
    [{ PSI_ENDPOINT: fake.endpoint, PSI_API_KEY: 'a-secret' }, 'custom', true],
    [{ PSI_API_KEY: 'a-secret' }, 'google', true],
  ] as const;
  for (const [environment, analyser, hasKey] of cases) {
    const { body, text } = await ask<Health>(await startService(t, environment), '/health');
    assert.deepEqual([body.psi.analyser, body.psi.key_configured], [analyser, hasKey]);
    assert.doesNotMatch(text, /a-secret/);
  }
});

test('GET /health ignores parameters', async () => {
  assert.equal((await ask(service, '/health?url=no&url=no')).status, 200);
});

test('with a browser that cannot start, the service runs, and every audit is lighthouse_unavailable', async t => {
  const broken = await startService(t, { CHROME_PATH: '/nowhere/chrome' });
  for (const [path, source] of [
    ['/lighthouse', 'lighthouse'],
    ['/psi', 'psi'],
  ] as const) {
    const { status, body } = await ask<Problem>(broken, `${path}?url=http://127.0.0.1:1234/&strategy=mobile`);
    assert.deepEqual([status, body.code, body.source, body.retryable], [503, 'lighthouse_unavailable', source, true]);
  }
  assert.equal((await ask(broken, '/health')).status, 200);
});

test('a browser that cannot start makes the service degraded and not ready', async t => {
  const broken = await startService(t, { CHROME_PATH: '/nowhere/chrome' });
  await ask(broken, '/lighthouse?url=http://127.0.0.1:1234/');
  const { body } = await ask<Health>(broken, '/health');
  assert.deepEqual([body.status, body.lighthouse.available], ['degraded', false]);
  assert.equal(body.lighthouse.fault, 'CHROME_PATH [path] is not a program');
  assert.equal((await ask(broken, '/health/ready')).status, 503);
});

test('GET /health/ready answers with the same body', async () => {
  const health = await ask<Health>(service, '/health');
  const ready = await ask<Health>(service, '/health/ready');
  assert.equal(ready.status, health.body.status === 'ok' ? 200 : 503);
  assert.deepEqual({ ...ready.body, uptime_seconds: 0 }, { ...health.body, uptime_seconds: 0 });
});
