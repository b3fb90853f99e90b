/** Calls of the remote analyser: clients take turns, so that a list of pages holds up nobody else. Without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { post, withQuery } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';

const page = (name: string) => `https://example.com/${name}`;

test('single pages come before the rest of a batch, of whatever client', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, {
    PSI_ENDPOINT: fake.endpoint,
    PSI_CONCURRENCY: '1',
    TRUST_PROXY: '127.0.0.1',
  });
  const release = fake.hold();

  /** Its call is queued when this settles: the client has heard that the analyser is waited for. */
  async function enqueue(address: string, name: string) {
    const target = withQuery('/psi', { url: page(name), strategy: 'mobile' });
    const headers = { accept: 'text/event-stream', 'x-forwarded-for': address };
    const response = await fetch(`${service.url}${target}`, { headers });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
    for (let text = ''; !text.includes('"waiting"'); text += (await reader.read()).value ?? '');
    return async () => {
      let isDone = false;
      while (!isDone) isDone = (await reader.read()).done;
    };
  }

  // From this machine itself: two pages of a batch are begun at once where one call is made at a time.
  const batch = post(service, '/psi', { urls: [page('a1'), page('a2')], strategy: 'mobile' });
  await fake.calls.waitFor(1);
  const more = await enqueue('127.0.0.1', 'a3');
  const single = await enqueue('203.0.113.2', 'b1');
  release();
  await Promise.all([batch, more(), single()]);
  const names = fake.calls.all.map(({ params }) => params.get('url')?.slice(page('').length));
  assert.deepEqual(names, ['a1', 'a3', 'b1', 'a2']);
});
