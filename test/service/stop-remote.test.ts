/** What SIGTERM does to remote calls, queued calls, and requests from a load balancer. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JobFacts } from '../../src/contract/jobs/job.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { asyncHeaders } from '../jobs/jobs.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';
import { until } from '../support/until.ts';

const site = 'https://example.com/';
const urls = Array.from({ length: 12 }, (_, index) => `${site}${index}`);

type Entry = { url: string; error?: Problem; scores?: object };
type Totals = { total: number; succeeded: number; failed: number };

/** Starts a service with one remote call at a time, and a PSI server that answers when released. */
async function startHeld(t: TestContext, environment: Record<string, string> = {}) {
  const fake = await startFakePsi(t);
  const release = fake.hold();
  const service = await startListening(t, {
    environment: {
      ...withoutBrowser,
      PSI_ENDPOINT: fake.endpoint,
      PSI_CONCURRENCY: '1',
      TARGETS: 'public',
      SHUTDOWN_GRACE: '60',
      ...environment,
    },
  });
  const post = (accept: string) =>
    fetch(`${service.url}/psi`, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json' },
      body: JSON.stringify({ urls, strategy: 'mobile' }),
    });
  return { ...service, fake, release, post };
}

const readLines = (text: string): { entries: Entry[]; totals: Totals } => {
  const lines = text
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => JSON.parse(line));
  return { entries: lines.slice(0, -1), totals: lines.at(-1) };
};

const readEvents = (text: string): { entries: Entry[]; totals: Totals } => {
  const last = text.trim().split('\n\n').at(-1) ?? '';
  const [event, data = ''] = last.split('\n');
  assert.equal(event, 'event: result');
  const { results, ...totals } = JSON.parse(data.replace(/^data: /, ''));
  return { entries: results, totals };
};

const readJson = (text: string): { entries: Entry[]; totals: Totals } => {
  const { results, ...totals } = JSON.parse(text);
  return { entries: results, totals };
};

const forms = [
  ['application/x-ndjson', readLines],
  ['text/event-stream', readEvents],
  ['application/json', readJson],
] as const;

const codesOf = (entries: readonly Entry[]) => entries.flatMap(({ error }) => (error ? [error.code] : []));

test('after SIGTERM no remote call starts: batches end in every format, and queued calls get 503', async t => {
  const { child, fake, release, post, url, exited } = await startHeld(t);
  const answers = await Promise.all(forms.map(([accept]) => post(accept)));
  const waiting = ask<Problem>({ url }, withQuery('/psi', { url: `${site}waits`, strategy: 'mobile' }));
  await fake.calls.waitFor(1);
  child.kill('SIGTERM');
  const refused = await waiting;
  assert.deepEqual([refused.status, refused.body.code], [503, 'shutting_down']);
  assert.equal(refused.headers.get('retry-after'), '5');
  release();
  for (const [index, [accept, read]] of forms.entries()) {
    const { entries, totals } = read((await answers[index]?.text()) ?? '');
    assert.deepEqual([entries.length, totals.total], [urls.length, urls.length], accept);
    const codes = codesOf(entries);
    assert.ok(codes.length >= urls.length - 1 && codes.every(code => code === 'shutting_down'), accept);
  }
  assert.equal(fake.calls.all.length, 1, 'the call that had started');
  assert.equal(await exited, 0);
});

test('after SIGTERM a job can still be read, and its events end as if the connection was lost', async t => {
  const { child, fake, release, url, exited } = await startHeld(t);
  const asked = await ask<JobFacts>({ url }, withQuery('/psi', { url: site }), { headers: asyncHeaders });
  const path = `/jobs/${asked.body.id}`;
  await fake.calls.waitFor(1);
  const refused = () => ask<Problem>({ url }, path, { method: 'DELETE' });
  child.kill('SIGTERM');
  await until(async () => (await ask<Problem>({ url }, withQuery('/psi', { url: `${site}next` }))).status === 503);
  assert.equal((await refused()).body.code, 'shutting_down');
  const { status, body } = await ask<JobFacts>({ url }, path);
  assert.deepEqual([status, body.state], [200, 'running']);
  const events = await fetch(`${url}${path}/events`);
  assert.deepEqual([events.status, /event: (result|failed)/.test(await events.text())], [200, false]);
  release();
  assert.equal(await exited, 0);
});

test('a remote call that outlasts SHUTDOWN_GRACE ends with shutting_down in every format, and nothing is reset', async t => {
  const { child, fake, post, url, exited } = await startHeld(t, { SHUTDOWN_GRACE: '1', PSI_CONCURRENCY: '2' });
  const page = withQuery('/psi', { url: `${site}single`, strategy: 'mobile' });
  const single = fetch(url + page);
  await fake.calls.waitFor(1);
  const both = fetch(url + withQuery('/psi', { url: `${site}single` }));
  await fake.calls.waitFor(2);
  const streams = await Promise.all(forms.map(([accept]) => post(accept)));
  const followed = await fetch(url + page, { headers: { accept: 'text/event-stream' } });
  child.kill('SIGTERM');
  for (const answer of [single, both]) {
    const response = await answer;
    assert.deepEqual([response.status, ((await response.json()) as Problem).code], [503, 'shutting_down']);
  }
  for (const [index, [accept, read]] of forms.entries()) {
    const { entries } = read((await streams[index]?.text()) ?? '');
    assert.deepEqual(codesOf(entries), Array(urls.length).fill('shutting_down'), accept);
  }
  assert.match(await followed.text(), /event: failed\ndata: \{.*"code":"shutting_down".*\}\n\n$/);
  assert.equal(await exited, 0);
});

test('during SHUTDOWN_DELAY the service is not ready and still serves, and a second signal ends it', async t => {
  const { child, fake, release, url, exited } = await startHeld(t, { SHUTDOWN_DELAY: '3600' });
  release();
  // Without a browser the service is never ready, so the test watches its `Connection` header.
  const isLeaving = async () => (await ask({ url }, '/health')).headers.get('connection') === 'close';
  const measure = (name: string) => ask<Problem>({ url }, withQuery('/psi', { url: site + name, strategy: 'mobile' }));
  assert.equal((await measure('before')).headers.get('connection'), 'keep-alive');
  child.kill('SIGTERM');
  await until(isLeaving);
  const { status, headers } = await measure('after');
  assert.deepEqual([status, headers.get('connection')], [200, 'close']);
  assert.equal(fake.calls.all.length, 2);
  // Signals within half a second count as one.
  await until(() => {
    child.kill('SIGTERM');
    return child.exitCode !== null;
  });
  assert.equal(await exited, 1);
});

test('a service ends by itself when SHUTDOWN_DELAY is over', async t => {
  const { child, exited } = await startHeld(t, { SHUTDOWN_DELAY: '1' });
  child.kill('SIGTERM');
  assert.equal(await exited, 0);
});

test('Ctrl-C does not wait for a load balancer', async t => {
  const { child, exited } = await startHeld(t, { SHUTDOWN_DELAY: '3600' });
  child.kill('SIGINT');
  assert.equal(await exited, 0);
});
