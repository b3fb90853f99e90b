/** Clients that send requests on many connections and never read, and the memory that the process takes for them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { sendRaw } from '../support/asking/raw-request.ts';
import { megabytes, memoryOf } from '../support/process-memory.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';
import { readUntil } from '../support/until.ts';

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

/**
 * Opens a connection and reads nothing. It writes requests for as long as the service accepts them, until the service
 * closes it; or a single one, whose answer then waits in the service.
 */
function openUnread({ url }: { url: string }, target: string, isEndless: boolean) {
  const { hostname, port, host } = new URL(url);
  const request = `GET ${target} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
  const socket = connect(Number(port), hostname).pause();
  let written = 0;
  const pour = () => {
    const requests = request.repeat(100);
    do written += requests.length;
    while (socket.write(requests));
  };
  const sendOne = () => {
    written += request.length;
    socket.write(request);
  };
  if (isEndless) socket.on('connect', pour).on('drain', pour);
  else socket.on('connect', sendOne);
  // The service has closed it.
  socket.on('error', () => {});
  return {
    isEndless,
    written: () => written,
    isOpen: () => !socket.destroyed,
    /** Whether nothing more is accepted from it. */
    isOver: () => written > 0 && (!isEndless || socket.destroyed || socket.writableNeedDrain),
    destroy: () => socket.destroy(),
  };
}

/** Answers to another client during which no connection takes another byte: then all of them are over. */
const quietAnswers = 20;

/**
 * Opens connections that never read, of which every other one pipelines requests, until the service takes no more from
 * any of them.
 * @returns the peak memory of the process in MB, measured while another client is answered
 */
export async function memoryUnder(
  service: Awaited<ReturnType<typeof startWithLargeResult>>,
  { connections, target }: { connections: number; target: string },
): Promise<{ most: number; open: number }> {
  const pid = service.child.pid ?? assert.fail();
  const clients = Array.from({ length: connections }, (_, at) => openUnread(service, target, at % 2 === 0));
  let most = 0;
  let written = 0;
  let quiet = 0;
  const answerAnother = async () => {
    assert.equal((await sendRaw(service, { target: '/health' })).status, 200);
    most = Math.max(most, memoryOf(pid, 'VmRSS'));
    const before = written;
    written = clients.reduce((sum, client) => sum + client.written(), 0);
    quiet = written === before && clients.every(({ isOver }) => isOver()) ? quiet + 1 : 0;
    return quiet;
  };
  await readUntil(answerAnother, answers => answers >= quietAnswers, { pauseMs: 50 });
  const open = clients.filter(({ isOpen }) => isOpen());
  for (const client of clients) client.destroy();
  assert.ok(
    open.some(({ isEndless }) => !isEndless),
    'an unread answer is in memory',
  );
  return { most: megabytes(most), open: open.length };
}
