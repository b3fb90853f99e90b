/**
 * How the process ends: gracefully after one signal, at once after two, and gracefully with exit code 1 after its own
 * error.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { createArrivals } from '../support/arrivals.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';
import { until } from '../support/until.ts';
import { assertEndsInOrder } from './own-fault.ts';

const page =
  '<!doctype html><html lang="en"><title>At last</title><link rel="icon" href="data:,"><h1>At last</h1></html>';

/** A page that answers when released. */
async function startSlowPage(t: TestContext) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const requests = createArrivals<string>();
  const { url } = await startLocalServer(t, async (request, response) => {
    requests.add(request.url ?? '');
    await promise;
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  return { url, requests, release };
}

/** Starts a service with a running audit, which cannot end before its page is released. */
async function startBusy(t: TestContext, start: Parameters<typeof startListening>[1] = {}) {
  const slow = await startSlowPage(t);
  const environment = { LIGHTHOUSE_CONCURRENCY: '1', SHUTDOWN_GRACE: '100', ...start.environment };
  const service = await startListening(t, { ...start, environment });
  const audit = (path = '/') =>
    ask<Result>(service, withQuery('/lighthouse', { url: slow.url + path, categories: 'seo' }));
  const running = audit();
  running.catch(() => {});
  await slow.requests.waitFor(1);
  const ready = async () => (await ask<Health>(service, '/health/ready')).status;
  return { ...service, slow, audit, running, ready };
}

test('after SIGTERM, queued and new audits are rejected, and running ones end', async t => {
  const { child, url, slow, audit, running, ready, exited } = await startBusy(t);
  assert.equal(await ready(), 200);
  const queuedAudit = audit('/queued');
  await until(async () => (await ask<Health>({ url }, '/health')).body.lighthouse.queued > 0);

  child.kill('SIGTERM');
  const refused = (await queuedAudit) as unknown as Awaited<ReturnType<typeof ask<Problem>>>;
  assert.deepEqual(
    [refused.status, refused.body.code, refused.headers.get('retry-after')],
    [503, 'shutting_down', '5'],
  );
  assert.equal(await ready(), 503);
  assert.equal((await ask({ url }, '/health')).status, 200, 'it still serves');
  const target = withQuery('/psi', { url: slow.url });
  for (const answer of [
    await ask<Problem>({ url }, target),
    await post<Problem>({ url }, '/psi', { urls: [slow.url] }),
  ]) {
    assert.deepEqual([answer.status, answer.body.code], [503, 'shutting_down']);
    assert.equal(answer.headers.get('connection'), 'close');
  }
  slow.release();
  const { status, body } = await running;
  assert.deepEqual([status, body.scores.seo === undefined], [200, false]);
  assert.equal(await exited, 0);
});

test('an idle service ends on SIGTERM, whatever connections are open', async t => {
  const { child, url, exited } = await startListening(t, { environment: withoutBrowser });
  const sockets = Array.from({ length: 5 }, () =>
    connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {}),
  );
  t.after(() => sockets.forEach(socket => void socket.destroy()));
  await ask({ url }, '/health');
  sockets[0]?.write('GET /health HTTP/1.1\r\n');
  child.kill('SIGTERM');
  assert.equal(await exited, 0);
});

test('an audit that does not end within SHUTDOWN_GRACE is killed, and its client gets shutting_down', async t => {
  const { child, running, exited } = await startBusy(t, { environment: { SHUTDOWN_GRACE: '1' } });
  child.kill('SIGTERM');
  const { status, body } = (await running) as unknown as Awaited<ReturnType<typeof ask<Problem>>>;
  assert.deepEqual([status, body.code], [503, 'shutting_down']);
  assert.equal(await exited, 0);
});

test('Ctrl-C says what the service waits for, and a second one ends it', async t => {
  const { child, errors, running, exited } = await startBusy(t);
  child.kill('SIGINT');
  const [line] = await errors.waitFor(1);
  assert.equal(line, 'Rangelight stops: it waits up to 100 s for the running audit. Ctrl-C again ends it now.');
  // Signals within half a second count as one.
  await until(() => {
    child.kill('SIGINT');
    return child.exitCode !== null;
  });
  assert.equal(await exited, 1);
  await assert.rejects(running);
});

test('after an unhandledRejection, which is logged, the service is not ready and ends gracefully with an error', t =>
  assertEndsInOrder(t, 'unhandledRejection', 'void Promise.reject(new Error("an unforeseen fault"))'));

test('as PID 1 the service warns that no process reaps what browsers leave behind', async t => {
  const unshare = promisify(execFile)('unshare', ['--pid', '--fork', 'true']);
  const isPossible = await unshare.then(
    () => true,
    () => false,
  );
  if (!isPossible) return t.skip('skipped: no process may be PID 1 on this machine');
  const command = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const { child, output, exited } = await startListening(t, { command, environment: withoutBrowser });
  await output.waitFor(1, line => line.includes('PID 1') && line.includes('--init'));
  child.kill('SIGKILL');
  await exited;
});
