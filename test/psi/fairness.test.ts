/**
 * Clients take turns in calls of the PSI server, so that a list of pages delays no other client. No browser is started.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { post, withQuery } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';
import { inTime } from '../support/until.ts';

const page = (name: string) => `https://example.com/${name}`;

test('single pages precede the rest of a batch, whatever their client', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, {
    PSI_ENDPOINT: fake.endpoint,
    PSI_CONCURRENCY: '1',
    TRUST_PROXY: '127.0.0.1',
  });
  const release = fake.hold();

  /**
   * Resolves when the call is queued: the client has received the step `waiting`. @returns a function that reads the
   * rest
   */
  async function enqueue(address: string, name: string) {
    const target = withQuery('/psi', { url: page(name), strategy: 'mobile' });
    const headers = { accept: 'text/event-stream', 'x-forwarded-for': address };
    const response = await fetch(`${service.url}${target}`, { headers });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
    let text = '';
    const readMore = async () => (await inTime(reader.read())).value ?? assert.fail(`it ended early: ${text}`);
    while (!text.includes('"waiting"')) text += await readMore();
    return async () => {
      let isDone = false;
      while (!isDone) isDone = (await reader.read()).done;
    };
  }

  // A batch from this machine: with one call at a time, two of its pages are started at once.
  const batch = post(service, '/psi', { urls: [page('a1'), page('a2')], strategy: 'mobile' });
  await fake.calls.waitFor(1);
  const more = await enqueue('127.0.0.1', 'a3');
  const single = await enqueue('203.0.113.2', 'b1');
  release();
  await Promise.all([batch, more(), single()]);
  const names = fake.calls.all.map(({ params }) => params.get('url')?.slice(page('').length));
  assert.deepEqual(names, ['a1', 'a3', 'b1', 'a2']);
});
