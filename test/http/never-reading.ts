/** Clients that send requests on many connections and never read, and the memory that the process takes for them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { sendRaw } from '../support/asking/raw-request.ts';
import { megabytes, memoryOf } from '../support/process-memory.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';

const page = 'https://example.com/';

/** A service with a result of a megabyte in its cache. */
export async function startWithLargeResult(t: TestContext, environment: Record<string, string> = {}) {
  const fake = await startFakePsi(t);
  const padding = randomBytes(500_000).toString('hex');
  fake.answerWith(call => ({ body: toPsiBody(call, { stackPacks: [padding] }) }));
  const service = await startListening(t, {
    // Node's own choice on a machine with 512 MB.
    nodeArgs: ['--max-old-space-size=256'],
    environment: {
      ...withoutBrowser,
      PSI_ENDPOINT: fake.endpoint,
      TARGETS: 'public',
      ...environment,
    },
  });
  await (await fetch(service.url + withQuery('/psi', { url: page, strategy: 'mobile' }))).text();
  return service;
}

export const targets = [withQuery('/psi', { url: page, strategy: 'mobile', detailed: true }), '/openapi.json', '/'];

/** Writes requests for as long as the service accepts them. */
function ask({ url }: { url: string }, target: string, isOver: () => boolean): void {
  const { hostname, port, host } = new URL(url);
  const requests = `GET ${target} HTTP/1.1\r\nhost: ${host}\r\n\r\n`.repeat(100);
  const socket: Socket = connect(Number(port), hostname);
  socket.pause();
  const write = () => {
    while (!isOver() && socket.writable && socket.write(requests));
  };
  socket.on('drain', write).on('error', () => {});
  socket.on('connect', write);
  const look = setInterval(() => {
    if (!isOver() && !socket.destroyed) return;
    clearInterval(look);
    socket.destroy();
  }, 200);
}

/** @returns the peak memory of the process in MB, measured while other clients are answered */
export async function memoryUnder(
  service: Awaited<ReturnType<typeof startWithLargeResult>>,
  { connections, target, seconds }: { connections: number; target: string; seconds: number },
): Promise<number> {
  const pid = service.child.pid ?? assert.fail();
  let isOver = false;
  for (let count = 0; count < connections; count += 1) ask(service, target, () => isOver);
  let most = 0;
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await delay(100)) {
    assert.equal((await sendRaw(service, { target: '/health' })).status, 200);
    most = Math.max(most, memoryOf(pid, 'VmRSS'));
  }
  isOver = true;
  return megabytes(most);
}
