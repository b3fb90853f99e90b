/** Specification section 8 and contract section 8: two slots, a bounded queue, and clients that disconnect. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { endlessAudits } from '../support/audits/quick-audits.ts';
import { silentWorker } from '../support/audits/silent-worker.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { inTime, readUntil } from '../support/until.ts';

type Local = Health['lighthouse'];

const localOf = async (service: { url: string }) => (await ask<Health>(service, '/health')).body.lighthouse;

const untilLocal = (service: { url: string }, isSo: (local: Local) => boolean): Promise<Local> =>
  readUntil(() => localOf(service), isSo);

/** No audit ends by itself while a test waits. */
const endless = { LIGHTHOUSE_TIMEOUT: '3600' };

/** One slot; what runs in it loads no page. */
const startSilent = (t: TestContext, environment: Record<string, string> = {}) =>
  startService(t, { ...endless, ...environment }, undefined, { audits: silentWorker });

/** An audit that runs until its client disconnects: the page never answers. */
function occupy(t: TestContext, service: { url: string }, pages: Pages, name: string, path = '/lighthouse') {
  const leaving = new AbortController();
  const target = withQuery(path, { url: `${pages.url}/never?${name}`, strategy: 'mobile', categories: 'seo' });
  const answer = ask<Problem>(service, target, { signal: leaving.signal });
  answer.catch(() => {});
  t.after(() => leaving.abort());
  return {
    answer,
    leave: () => leaving.abort(),
    arrived: () => inTime(pages.requests.waitFor(1, request => request.endsWith(name))),
  };
}

test('no more than 2 local analyses run in parallel, the others wait', async t => {
  const pages = await startPages(t);
  const settings = { ...endless, LIGHTHOUSE_CONCURRENCY: '' };
  const service = await startService(t, settings, undefined, { audits: endlessAudits });
  const [first, second, ...waiting] = ['one', 'two', 'three', 'four'].map(name => occupy(t, service, pages, name));
  const local = await untilLocal(service, ({ running, queued }) => running + queued === 4);
  assert.deepEqual([local.running, local.queued], [2, 2]);
  await Promise.all([pages.requests.waitFor(2), untilLocal(service, ({ running }) => running === 2)]);
  assert.equal(pages.requests.all.filter(request => request.startsWith('/never')).length, 2);

  for (const { leave } of waiting) leave();
  await untilLocal(service, ({ queued }) => queued === 0);
  assert.equal((await localOf(service)).running, 2, 'who waits leaves the line, who runs stays');

  const fifth = occupy(t, service, pages, 'five');
  await untilLocal(service, ({ queued }) => queued === 1);
  first?.leave();
  second?.leave();
  await fifth.arrived();
  assert.equal((await untilLocal(service, ({ running }) => running === 1)).queued, 0);
  fifth.leave();
  await untilLocal(service, ({ running, queued }) => running + queued === 0);
});

test('a client of /psi that disconnects frees its slot too', async t => {
  const pages = await startPages(t);
  const service = await startSilent(t);
  const client = occupy(t, service, pages, 'psi', '/psi');
  await untilLocal(service, ({ running }) => running === 1);
  client.leave();
  await untilLocal(service, ({ running }) => running === 0);
});

test('LIGHTHOUSE_QUEUE=0 and busy slots are queue_full, with Retry-After', async t => {
  const pages = await startPages(t);
  const service = await startSilent(t, { LIGHTHOUSE_QUEUE: '0' });
  const client = occupy(t, service, pages, 'only');
  await untilLocal(service, ({ running }) => running === 1);
  for (const [path, source] of [
    ['/lighthouse', 'lighthouse'],
    ['/psi', 'psi'],
  ] as const) {
    const target = withQuery(path, { url: `${pages.url}/good`, strategy: 'mobile' });
    const { status, headers, body } = await ask<Problem>(service, target);
    assert.deepEqual([status, body.code, body.source, body.retryable], [503, 'queue_full', source, true]);
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/, path);
  }
  client.leave();
  await untilLocal(service, ({ running }) => running === 0);
});

test('a stopping service is not ready, rejects queued audits, and ends running ones after the grace period', async t => {
  const pages = await startPages(t);
  const service = await startSilent(t);
  const running = occupy(t, service, pages, 'running');
  await untilLocal(service, local => local.running === 1);
  const waiting = occupy(t, service, pages, 'waiting');
  await untilLocal(service, ({ queued }) => queued === 1);

  const unhurried = service.close(600_000);
  const { status, headers, body } = await waiting.answer;
  assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'shutting_down', '5']);
  const ready = await ask<Health>(service, '/health/ready');
  assert.deepEqual([ready.status, ready.body.status], [503, 'degraded']);
  assert.equal((await ask(service, '/health')).status, 200);

  running.leave();
  await unhurried;
});
