/** Clients that open as many streams, connections and bodies as they can. Health checks are always answered. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import { maxConnections } from '../../src/http/server/server-limits.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { type RawAnswer, sendRaw } from '../support/asking/raw-request.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

const page = 'https://example.com/';

/** A service whose analyser never answers, and clients that read only the status of their answers. */
async function start(t: TestContext, environment: Record<string, string> = {}) {
  const fake = await startFakePsi(t);
  t.after(fake.hold());
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'public', ...environment });
  const { hostname, port, host } = new URL(service.url);

  /** @returns the status line and headers of the answer; undefined if the connection is closed without one */
  const open = async (target: string, headers: Record<string, string>): Promise<string | undefined> => {
    const socket: Socket = connect(Number(port), hostname).on('error', () => {});
    t.after(() => void socket.destroy());
    const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
    socket.write(`GET ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    const answered = Promise.withResolvers<Buffer | undefined>();
    // A reset also emits `close`.
    socket.once('data', answered.resolve).once('close', () => answered.resolve(undefined));
    return (await answered.promise)?.toString('latin1');
  };
  const openMany = (count: number, target: string, toHeaders: (index: number) => Record<string, string>) =>
    Promise.all(Array.from({ length: count }, (_, index) => open(target, toHeaders(index))));
  const assertProbed = async () => {
    for (const target of ['/health', '/metrics']) {
      const answer: RawAnswer = await sendRaw(service, { target });
      assert.equal(answer.status, 200, target);
    }
  };
  return { service, open, openMany, assertProbed };
}

const statusOf = (head: string | undefined) => Number(head?.split(' ')[1]);
const countBy = (heads: readonly (string | undefined)[], status: number) =>
  heads.filter(head => statusOf(head) === status).length;
const stream = withQuery('/psi', { url: page, strategy: 'mobile' });
const accept = 'text/event-stream';

test('streams are limited per client, and a client at its limit locks out no other', async t => {
  const { openMany, open, assertProbed } = await start(t);
  const heads = await openMany(2_050, stream, () => ({ accept }));
  assert.equal(countBy(heads, 200), maxConnections / 8);
  const refused = heads.find(head => statusOf(head) === 429) ?? assert.fail('none was refused');
  assert.match(refused, /\r\nretry-after: 5\r\n/i);
  assert.match(refused, /\r\nconnection: close\r\n/i);
  assert.equal((JSON.parse(refused.slice(refused.indexOf('{'))) as Problem).code, 'rate_limited');
  await assertProbed();
  assert.equal(statusOf(await open('/openapi.json', {})), 200, 'the same client asks for something else');
});

test('many clients behind a proxy together get half of the connections for streams', async t => {
  const { openMany, open, assertProbed } = await start(t, { TRUST_PROXY: '127.0.0.1' });
  const heads = await openMany(2_050, stream, index => ({ accept, 'x-forwarded-for': `203.0.113.${index % 50}` }));
  assert.equal(countBy(heads, 200), maxConnections / 2);
  // On a busy machine, connections beyond the limit are closed before their first byte is read.
  const closed = heads.filter(head => head === undefined).length;
  assert.ok(countBy(heads, 503) > 0, `${closed} connections were closed`);
  assert.equal(countBy(heads, 503) + closed, 2_050 - maxConnections / 2);
  await assertProbed();
  assert.equal(statusOf(await open('/openapi.json', { 'x-forwarded-for': '203.0.113.99' })), 200);
});

test('a closed stream frees its slot for another', async t => {
  const { service, openMany, open } = await start(t);
  const leaving = new AbortController();
  await fetch(service.url + stream, { headers: { accept }, signal: leaving.signal });
  await openMany(maxConnections / 8 - 1, stream, () => ({ accept }));
  assert.equal(statusOf(await open(stream, { accept })), 429);
  leaving.abort();
  await until(async () => statusOf(await open(stream, { accept })) === 200);
});
