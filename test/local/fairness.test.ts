/** Contract section 8: clients take turns, so one with many audits does not make others wait behind them all. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { silentWorker } from '../support/audits/silent-worker.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

type Headers = Readonly<Record<string, string>>;

/** One slot, and audits that hold it until their client disconnects. No page is loaded. */
async function start(t: TestContext, environment: Record<string, string>) {
  const settings = { TRUST_PROXY: '127.0.0.1', ...environment };
  const service = await startService(t, settings, undefined, { audits: silentWorker });
  let audits = 0;

  const send = (headers: Headers, accept: string, path = '/lighthouse') => {
    const disconnect = new AbortController();
    t.after(() => disconnect.abort());
    const url = `http://localhost:3999/?${audits++}`;
    const target = withQuery(path, { url, categories: 'seo', strategy: 'mobile' });
    return { disconnect, target, init: { headers: { ...headers, accept }, signal: disconnect.signal } };
  };

  /** Settles once the audit is queued. */
  const enqueue = async (headers: Headers, path?: string) => {
    const before = await countQueued();
    const { disconnect, target, init } = send(headers, 'application/json', path);
    const answer = ask<Problem>(service, target, init);
    answer.catch(() => {});
    await until(async () => (await countQueued()) !== before);
    return { answer, disconnect };
  };

  const countQueued = async () => {
    const { running, queued } = (await ask<Health>(service, '/health')).body.lighthouse;
    return running + queued;
  };

  /** The first queue position that a client is sent. */
  const positionOf = async (headers: Headers): Promise<number> => {
    const { target, init } = send(headers, 'text/event-stream');
    const response = await fetch(`${service.url}${target}`, init);
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const [, position] = /event: queued\ndata: .*"position":(\d+)/.exec(text) ?? [];
      if (position !== undefined) return Number(position);
    }
    return assert.fail(`never queued: ${text}`);
  };
  return { service, enqueue, positionOf };
}

const from = (address: string) => ({ 'x-forwarded-for': address });

test('a client with one audit is queued behind one audit of a client with many', async t => {
  const { enqueue, positionOf } = await start(t, {});
  for (let audit = 0; audit < 6; audit += 1) await enqueue(from('203.0.113.1'));
  assert.equal(await positionOf(from('203.0.113.2')), 2);
  assert.equal(await positionOf(from('203.0.113.1')), 7);
});

test('an audit for /psi belongs to the client that requested it, like one for /lighthouse', async t => {
  const { enqueue, positionOf } = await start(t, {});
  await enqueue(from('203.0.113.1'));
  for (let audit = 0; audit < 3; audit += 1) await enqueue(from('203.0.113.1'), '/psi');
  assert.equal(await positionOf(from('203.0.113.1')), 4);
  assert.equal(await positionOf(from('203.0.113.2')), 2);
});

test('one client cannot fill the queue so that another is rejected', async t => {
  const { service, enqueue, positionOf } = await start(t, { LIGHTHOUSE_QUEUE: '3' });
  const many = [];
  for (let audit = 0; audit < 4; audit += 1) many.push(await enqueue(from('203.0.113.1')));
  const target = withQuery('/lighthouse', { url: 'http://localhost:3999/', categories: 'seo' });
  const own = await ask<Problem>(service, target, { headers: from('203.0.113.1') });
  assert.deepEqual([own.status, own.body.code, own.headers.get('retry-after')], [503, 'queue_full', '40']);
  assert.equal(await positionOf(from('203.0.113.2')), 2);
  const displaced = await many[3]?.answer;
  assert.deepEqual(
    [displaced?.status, displaced?.body.code, displaced?.headers.get('retry-after')],
    [503, 'queue_full', '40'],
  );
  assert.match(displaced?.body.detail ?? '', /make room for another client\. Retry in 40 s\.$/);
});

test('a service key identifies a client, wherever it sends from', async t => {
  const keys = ['the-first-key-of-this-test', 'the-second-key-of-this-test'];
  const { enqueue, positionOf } = await start(t, { API_KEYS: keys.join(',') });
  const [first = '', second = ''] = keys;
  for (let audit = 0; audit < 4; audit += 1)
    await enqueue({ ...from(`203.0.113.${audit}`), authorization: `Bearer ${first}` });
  assert.equal(await positionOf({ ...from('203.0.113.9'), 'x-api-key': first }), 4);
  assert.equal(await positionOf({ ...from('203.0.113.9'), 'x-api-key': second }), 2);
});

test('an unknown key does not make a different client', async t => {
  const { enqueue, positionOf } = await start(t, {});
  for (let audit = 0; audit < 3; audit += 1) await enqueue({ 'x-api-key': `made-up-${audit}` });
  assert.equal(await positionOf({ 'x-api-key': 'made-up-anew' }), 3);
  const known = 'the-only-key-of-this-test';
  const withKeys = await start(t, { API_KEYS: known });
  for (let audit = 0; audit < 3; audit += 1)
    await withKeys.enqueue({ 'x-api-key': `made-up-${audit}`, authorization: `Bearer ${known}` });
  assert.equal(await withKeys.positionOf({ 'x-api-key': 'made-up-anew', authorization: `Bearer ${known}` }), 3);
});
