/** Contract section 8: the progress of an analysis, step by step, as server-sent events. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { silentWorker } from '../support/audits/silent-worker.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { inTime, readUntil } from '../support/until.ts';

type Event = { event: string; data: Record<string, unknown> };

const pages = await startPages({ after });
const service = await startService({ after }, {}, undefined, { pool: sharedPool() });

const toEvent = (block: string): Event[] => {
  const [, event] = /^event: (.+)$/m.exec(block) ?? [];
  const [, data = 'null'] = /^data: (.+)$/m.exec(block) ?? [];
  return event === undefined ? [] : [{ event, data: JSON.parse(data) }];
};

/** Yields events as they arrive, without comments. */
async function* readEvents(response: Response): AsyncGenerator<Event> {
  let rest = '';
  for await (const chunk of (response.body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    yield* blocks.flatMap(toEvent);
  }
}

const open = (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { ...(init.headers ?? {}), accept: 'text/event-stream' } });

async function collect(url: string, init: RequestInit = {}): Promise<Event[]> {
  const response = await open(url, init);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const events: Event[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

const auditOf = (path: string, { url } = service) =>
  url + withQuery('/lighthouse', { url: `${pages.url}${path}`, categories: 'seo' });

test('a local audit sends its start, its stages in order, and finally the same body as JSON', async () => {
  const events = await collect(auditOf('/good'));
  const of = { source: 'lighthouse', strategy: 'mobile' };
  assert.deepEqual(events.slice(0, -1), [
    { event: 'started', data: of },
    { event: 'progress', data: { ...of, stage: 'loading' } },
    { event: 'progress', data: { ...of, stage: 'gathering' } },
    { event: 'progress', data: { ...of, stage: 'auditing' } },
  ]);
  const last = events.at(-1);
  assert.equal(last?.event, 'result');
  const result = last?.data as Result;
  assert.equal(result.source, 'lighthouse');
  assert.ok(result.lighthouse_result && result.scores.seo);
});

test('a queued client gets its position, and one that disconnects leaves the queue', async t => {
  // Only a client ends an audit here.
  const slow = await startService(t, { LIGHTHOUSE_TIMEOUT: '3600' }, undefined, { audits: silentWorker });
  const localOf = async () => (await ask<Health>(slow, '/health')).body.lighthouse;
  const [running, first, second] = [new AbortController(), new AbortController(), new AbortController()];
  const busy = fetch(auditOf('/never', slow), { signal: running.signal });
  busy.catch(() => {});
  await readUntil(localOf, local => local.running === 1);
  const firstEvents = readEvents(await open(auditOf('/never?first', slow), { signal: first.signal }));
  assert.deepEqual((await firstEvents.next()).value?.data.position, 1);
  const secondEvents = readEvents(await open(auditOf('/never?second', slow), { signal: second.signal }));
  assert.deepEqual((await secondEvents.next()).value, {
    event: 'queued',
    data: { source: 'lighthouse', strategy: 'mobile', position: 2 },
  });
  first.abort();
  assert.equal((await inTime(secondEvents.next())).value?.data.position, 1);
  running.abort();
  assert.equal((await inTime(secondEvents.next())).value?.event, 'started');
  second.abort();
  await readUntil(localOf, local => local.running + local.queued === 0);
});

test('a page that fails ends with failed and its Problem', async () => {
  const events = await collect(auditOf('/404'));
  const last = events.at(-1);
  const problem = last?.data as Problem;
  assert.deepEqual(
    [last?.event, problem.code, problem.status, problem.page_status],
    ['failed', 'page_error', 502, 404],
  );
});

test('invalid requests are rejected before any event', async () => {
  const response = await open(`${service.url}/lighthouse?url=nonsense`);
  assert.equal(response.status, 422);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
});

test('a client that prefers JSON at least as much gets JSON', async () => {
  const accept = 'text/event-stream;q=0.9, application/json';
  // The service's own port is blocked before an audit starts.
  const target = withQuery('/lighthouse', { url: `${service.url}/` });
  const response = await fetch(service.url + target, { headers: { accept } });
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
});

test('/psi and /compare send the progress of each part, a batch that of each page', async t => {
  const fake = await startFakePsi(t);
  fake.answerWith(call => ({ body: toPsiBody(call) }));
  const remote = await startService(t, { PSI_ENDPOINT: fake.endpoint }, undefined, { pool: sharedPool() });
  const url = `${pages.url}/good`;
  const both = await collect(remote.url + withQuery('/psi', { url }));
  for (const strategy of ['mobile', 'desktop'])
    assert.ok(
      both.some(({ event, data }) => event === 'started' && data.source === 'psi' && data.strategy === strategy),
    );
  assert.deepEqual(both.at(-1)?.data.strategy, 'both');

  const compared = await collect(remote.url + withQuery('/compare', { url, categories: 'seo' }));
  const sources = new Set(compared.slice(0, -1).map(({ data }) => data.source));
  assert.ok(sources.has('lighthouse'));
  assert.ok('comparison' in (compared.at(-1)?.data ?? {}));

  const batch = await collect(`${remote.url}/psi`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ urls: [`${url}?a`, 'nonsense', `${url}?b`], strategy: 'mobile' }),
  });
  const finished = batch.filter(({ data }) => data.stage === 'finished').map(({ data }) => [data.done, data.total]);
  assert.deepEqual(finished, [
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
  const { results, ...totals } = batch.at(-1)?.data ?? {};
  assert.deepEqual([Array.isArray(results) && results.length, totals], [3, { total: 3, succeeded: 2, failed: 1 }]);
});
