/** Measurements in the background: requested, followed, read and cancelled over HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobAnswer, JobFacts } from '../../src/contract/jobs/job.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import { inTime } from '../support/until.ts';
import { askForJob, asyncHeaders, followToEnd } from './jobs.ts';

const page = (name: string) => `https://example.com/${name}`;

test('GET /psi with respond-async is answered with a job, which ends with the result', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, DATA_DIR: makeScratchFolder(t) });
  const { status, headers, body } = await ask<JobFacts>(service, withQuery('/psi', { url: page('a'), label: 'one' }), {
    headers: asyncHeaders,
  });
  assert.deepEqual([status, headers.get('preference-applied')], [202, 'respond-async']);
  assert.equal(headers.get('location'), `/jobs/${body.id}`);
  assert.deepEqual([body.kind, body.progress.total, body.label, body.error], ['psi', 1, 'one', null]);
  const events = await followToEnd(service, body.id);
  assert.equal(events.at(-1)?.event, 'result');
  assert.ok(events.some(({ event, data }) => event === 'progress' && data.source === 'psi'));
  const { body: job } = await ask<JobAnswer>(service, `/jobs/${body.id}`);
  assert.deepEqual([job.state, job.attempts, job.progress.succeeded, job.next], ['succeeded', 1, 1, null]);
  const [only] = job.pages;
  assert.deepEqual(
    [only?.state, only?.attempts, only?.results.map(({ strategy }) => strategy)],
    ['succeeded', 1, ['mobile', 'desktop']],
  );
  assert.equal(only?.results[0]?.scores?.seo, 80);
  const kept = await ask<{ url: string; label: string }>(service, only?.results[0]?.links.self ?? '');
  assert.deepEqual([kept.status, kept.body.url, kept.body.label], [200, page('a'), 'one']);
  const answer = await ask<{ mobile: { url: string } }>(service, only?.links.self ?? '');
  assert.equal(answer.body.mobile.url, page('a'));
});

test('a batch measures each URL once, and its pages can be listed in parts', async t => {
  const fake = await startFakePsi(t);
  fake.answerWith(call =>
    call.params.get('url') === page('bad')
      ? toLighthouseError('Lighthouse returned error: NO_FCP. Something went wrong')
      : { body: toPsiBody(call) },
  );
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  const urls = [
    page('a'),
    'nonsense',
    page('bad'),
    page('a'),
    ...Array.from({ length: 120 }, (_, at) => page(`p${at}`)),
  ];
  const { body: asked } = await askForJob(service, { urls, strategy: 'mobile' });
  const events = await followToEnd(service, asked.id);
  assert.equal(events.length, 123);
  const { body: job } = await ask<JobAnswer>(service, `/jobs/${asked.id}?limit=4`);
  assert.deepEqual(job.progress, { total: 124, done: 124, succeeded: 122, failed: 2 });
  assert.deepEqual(
    job.pages.map(({ index, state, same_as, error }) => [index, state, same_as, error?.code]),
    [
      [0, 'succeeded', null, undefined],
      [1, 'failed', null, 'invalid_url'],
      [2, 'failed', null, 'page_blank'],
      [3, 'succeeded', 0, undefined],
    ],
  );
  const { body: rest } = await ask<JobAnswer>(service, `/jobs/${asked.id}?limit=1000&cursor=${job.next}`);
  assert.deepEqual([rest.pages.length, rest.next], [120, null]);
  // Nothing is stored here, so the job holds the answer of each page.
  const answer = await ask<{ url: string }>(service, `/jobs/${asked.id}/pages/3`);
  assert.deepEqual([answer.status, answer.body.url], [200, page('a')]);
  assert.equal(fake.calls.all.filter(({ params }) => params.get('url') === page('a')).length, 1);
  const failed = await ask<{ error: Problem }>(service, `/jobs/${asked.id}/pages/2`);
  assert.equal(failed.body.error.code, 'page_blank');
});

const assertCode = async (service: StartedService, target: string, code: string, init?: RequestInit) => {
  const { body } = await ask<Problem>(service, target, init);
  assert.equal(body.code, code);
};

test('a job is checked like any request before it is accepted', async t => {
  const service = await startService(t, { TARGETS: 'public' });
  const init = { headers: asyncHeaders };
  await assertCode(service, withQuery('/psi', { url: 'http://127.0.0.1:8080/' }), 'target_forbidden', init);
  await assertCode(service, withQuery('/lighthouse', { url: 'http://10.0.0.1/' }), 'target_forbidden', init);
  await assertCode(service, withQuery('/compare', { url: 'http://localhost/' }), 'target_forbidden', init);
  assert.equal((await ask(service, '/psi', init)).status, 422);
  const many = await askForJob(service, { urls: Array.from({ length: 10_001 }, () => page('a')) });
  assert.equal(many.status, 422);
});

test('the pages of a job count against the rate limit of its client', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, RATE_LIMIT: '5' });
  const init = { headers: asyncHeaders };
  const { status } = await askForJob(service, { urls: Array.from({ length: 6 }, () => page('a')) });
  assert.equal(status, 202);
  await assertCode(service, withQuery('/psi', { url: page('a') }), 'rate_limited', init);
});

test('the pages of a site count like those of a list, and its sitemap stays charged', async t => {
  const fake = await startFakePsi(t);
  const urls = Array.from({ length: 6 }, (_, at) => `<url><loc>SITE/${at}</loc></url>`).join('');
  let reads = 0;
  const site = await startLocalServer(t, (request, response) => {
    if (request.url !== '/sitemap.xml') return void response.writeHead(404).end();
    reads += 1;
    response.setHeader('content-type', 'application/xml');
    response.end(`<urlset>${urls.replaceAll('SITE', `http://${request.headers.host}`)}</urlset>`);
  });
  const environment = { PSI_ENDPOINT: fake.endpoint, RATE_LIMIT: '5', TARGETS: 'any', DATA_DIR: makeScratchFolder(t) };
  const service = await startService(t, environment);
  const add = () => post(service, '/schedules', { site: site.url, interval: 'P1D', kind: 'psi' });
  assert.equal((await add()).status, 201);
  assert.equal((await add()).status, 429);
  assert.equal(reads, 1, 'no page is left for reading the sitemap again');
});

test('an entry of a list that cannot be measured is stored, and counts', async t => {
  const service = await startService(t, { RATE_LIMIT: '5' });
  const urls = Array.from({ length: 6 }, () => 'no URL');
  assert.equal((await askForJob(service, { urls })).status, 202);
  assert.equal((await askForJob(service, { urls })).status, 429);
});

test('a client that waits may request only 100 URLs and 1 MB', async t => {
  const service = await startService(t);
  const headers = { 'content-type': 'application/json' };
  const urls = Array.from({ length: 101 }, () => page('a'));
  assert.equal((await ask(service, '/psi', { method: 'POST', headers, body: JSON.stringify({ urls }) })).status, 422);
  const body = JSON.stringify({ urls: [`https://example.com/${'x'.repeat(1024 * 1024)}`] });
  await assertCode(service, '/psi', 'payload_too_large', { method: 'POST', headers, body });
});

test('cancelling a job ends its audits, and a second DELETE removes it', async t => {
  const fake = await startFakePsi(t);
  fake.hold();
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  const { body: asked } = await askForJob(service, { urls: [page('a'), page('b')], strategy: 'mobile' });
  const [call] = await fake.calls.waitFor(2);
  const { body: cancelled } = await ask<JobFacts>(service, `/jobs/${asked.id}`, { method: 'DELETE' });
  assert.deepEqual([cancelled.state, cancelled.error?.code], ['cancelled', 'job_cancelled']);
  await inTime(call?.abandoned ?? assert.fail());
  const events = await followToEnd(service, asked.id);
  assert.deepEqual([events.at(-1)?.event, events.at(-1)?.data.code], ['failed', 'job_cancelled']);
  assert.equal((await ask(service, `/jobs/${asked.id}`, { method: 'DELETE' })).status, 200);
  await assertCode(service, `/jobs/${asked.id}`, 'job_not_found');
  await assertCode(service, `/jobs/${asked.id}`, 'job_not_found', { method: 'DELETE' });
});

test('a reader that reconnects continues after its last event', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  const { body: asked } = await askForJob(service, { urls: [page('a'), page('b'), page('c')], strategy: 'mobile' });
  const all = await followToEnd(service, asked.id);
  assert.deepEqual(
    all.map(({ id }) => id),
    [1, 2, 3, 4],
  );
  assert.deepEqual(await followToEnd(service, asked.id, 2), all.slice(2));
  const read = (lastEventId: string) =>
    fetch(`${service.url}/jobs/${asked.id}/events`, { headers: { 'last-event-id': lastEventId } });
  for (const beyond of ['4', '5', '999999999']) assert.equal((await read(beyond)).status, 204, beyond);
  // An event id that the service did not issue says nothing about what the reader has, so all events are sent.
  for (const nonsense of ['-1', '2.5', '1e3', '0x2', '9'.repeat(30), "' OR 1=1 --"]) {
    const text = await (await read(nonsense)).text();
    assert.deepEqual(
      [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id),
      ['1', '2', '3', '4'],
      nonsense,
    );
  }
});

test('a reader with a Last-Event-ID beyond the last event gets only the end of the job', async t => {
  const fake = await startFakePsi(t);
  const release = fake.hold();
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  const { body: asked } = await askForJob(service, { urls: [page('a'), page('b')], strategy: 'mobile' });
  await fake.calls.waitFor(2);
  const response = await fetch(`${service.url}/jobs/${asked.id}/events`, { headers: { 'last-event-id': '500' } });
  assert.equal(response.status, 200);
  release();
  const text = await response.text();
  assert.deepEqual(
    [...text.matchAll(/^event: (\w+)$/gm)].map(([, event]) => event),
    ['result'],
  );
});
