/** A slow answer is never silent for long, because proxies and client libraries close silent connections. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { startService } from '../support/start-service.ts';
import { inTime } from '../support/until.ts';

const page = 'https://example.com/';
/** Reads the first part of an answer while the PSI server is still working, some heartbeats, then the rest. */
async function readSlowly(t: TestContext, accept: string, body: object, atOnce: string) {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, PSI_TIMEOUT: '1000' }, undefined, {
    heartbeatMs: 1,
  });
  const release = fake.hold();
  const response = await fetch(`${service.url}/psi`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ strategy: 'mobile', ...body }),
  });
  await fake.calls.waitFor(1);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
  let begun = '';
  const readMore = async () => (await inTime(reader.read())).value ?? assert.fail(`it ended early: ${begun}`);
  while (!begun.includes(atOnce)) begun += await readMore();
  const beats: string[] = [];
  while (beats.length < 3) beats.push(await readMore());
  release();
  let rest = '';
  for (let next = await reader.read(); !next.done; next = await reader.read()) rest += next.value;
  return { begun, beats: new Set(beats.join('')), rest };
}

test('an event stream has a comment for every heartbeat', async t => {
  const { begun, beats, rest } = await readSlowly(t, 'text/event-stream', { url: page }, '"waiting"');
  assert.ok(begun.startsWith(':'));
  assert.deepEqual(beats, new Set(': \n'));
  assert.match(rest, /event: result/);
});

for (const [accept, atOnce] of [
  ['application/x-ndjson', ''],
  ['application/json', '['],
] as const)
  test(`a batch (${accept}) has a space for every heartbeat, where JSON allows one`, async t => {
    const { begun, beats, rest } = await readSlowly(t, accept, { urls: [page, `${page}b`] }, atOnce);
    assert.deepEqual(beats, new Set(' '));
    const text = `${begun} ${rest}`;
    if (accept === 'application/json') assert.equal(JSON.parse(text).total, 2);
    else {
      const lines = text.trimEnd().split('\n');
      // Both pages end at the same time, in any order; the totals are last.
      const indexes = lines.map(line => JSON.parse(line).index);
      assert.deepEqual([indexes.slice(0, 2).toSorted(), indexes.slice(2)], [[0, 1], [undefined]]);
    }
  });
