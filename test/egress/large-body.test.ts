/**
 * How much of a body the proxy buffers. The test needs a process of its own, because it reads the memory of the
 * process.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { startLocalServer } from '../support/sites/local-server.ts';
import { openOwnEgress, openTunnel, readUntil } from '../support/surroundings/own-egress.ts';

test('a body larger than the memory limit passes completely, at the pace of its reader', async t => {
  const chunk = Buffer.alloc(1 << 20, 'x');
  const chunks = 300;
  const expected = createHash('sha1');
  for (let at = 0; at < chunks; at += 1) expected.update(chunk);
  const { url } = await startLocalServer(t, async (_request, response) => {
    for (let at = 0; at < chunks; at += 1) if (!response.write(chunk)) await once(response, 'drain');
    response.end();
  });
  const { egress } = await openOwnEgress(t, Number(new URL(url).port), { bytes: Number.POSITIVE_INFINITY });
  const client = await openTunnel(t, egress, 'www.example.com:80', 'GET / HTTP/1.0\r\n\r\n');
  await readUntil(client, '\r\n\r\n');
  let most = 0;
  let received = 0;
  for await (const piece of client) {
    received += piece.length;
    most = Math.max(most, process.memoryUsage().arrayBuffers);
    await new Promise(setImmediate);
  }
  assert.ok(received > (chunks - 1) * chunk.length, `${received}`);
  assert.ok(most < 100 * chunk.length, `${Math.round(most / 1e6)} MB were held`);
});
