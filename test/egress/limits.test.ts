/** Answers for pages that cannot be reached, and limits that end an audit. limits.long.ts has more. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import { usualEgressLimits } from '../../src/measure/egress/egress-proxy.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { captureLog } from '../support/captured-log.ts';
import { startCanary } from '../support/sites/canary.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import { createOwnNetwork } from '../support/surroundings/own-network.ts';
import { startFailingNetwork, TARGETS } from './failing-network.ts';

const page = '<!doctype html><html lang="en"><title>Page</title><h1>Words to paint</h1></html>';

/** Shorter than usual: src/measure/egress/dial.test.ts has the usual ones. */
const egressLimits = { ...usualEgressLimits, lookupMs: 2_000, connectMs: 2_000 };
const { canary, network } = await startFailingNetwork({ after });
const { log, lines, text } = captureLog();
// The service is discreet because it listens on all addresses. CHROME_SANDBOX=off is explicit, because it would
// otherwise refuse to run without a sandbox.
const reachable = await startService({ after }, { HOST: '0.0.0.0', CHROME_SANDBOX: 'off', TARGETS }, network, {
  log,
  egressLimits,
});

const audit = async (service: StartedService, url: string): Promise<Problem> =>
  (await ask<Problem>(service, withQuery('/lighthouse', { url, categories: 'seo' }))).body;

test('beyond loopback, internal hosts are unreachable in one way only, and the log has the reason', async () => {
  const hosts = ['refused.internal', 'silent.internal', 'closing.internal', 'resetting.internal'];
  const problems = await Promise.all(hosts.map(host => audit(reachable, `http://${host}:3000/?secret`)));
  const [first] = problems;
  assert.equal(first?.code, 'page_unreachable');
  for (const problem of problems) assert.deepEqual(problem, first);
  assert.doesNotMatch(JSON.stringify(problems), /ERR_|refused|timed/i);
  const told = lines
    .filter(({ reason }) => reason !== undefined)
    .map(({ reason, host, port }) => `${reason} ${host} ${port}`);
  assert.deepEqual(told.toSorted(), ['refused refused.internal 3000', 'timeout silent.internal 3000']);
});

test('beyond loopback, a public page still has the reason why it is unreachable', async () => {
  const problem = await audit(reachable, 'http://refused.example.com/');
  assert.match(problem.detail, /ERR_CONNECTION_REFUSED/);
});

test('a blocked port gives the same answer whether a server listens or not, and no connection is opened', async () => {
  const free = await startCanary({ after });
  const before = network.dialled.length;
  for (const host of ['127.0.0.1', 'outside.internal']) {
    const problems = await Promise.all(
      [canary.port, free.port].map(port => audit(reachable, `http://${host}:${port}/`)),
    );
    for (const problem of problems) {
      assert.equal(problem.code, 'target_forbidden');
      assert.deepEqual(problem, problems[0]);
    }
  }
  assert.deepEqual([canary.connections.all.length, free.connections.all.length], [0, 0]);
  assert.equal(network.dialled.length, before);
  const told = lines.filter(({ reason, host }) => reason === 'blocked' && host === 'outside.internal');
  assert.ok(told.length > 0);
});

test('a name that does not resolve is logged as such, and no query is in the log', async () => {
  const problem = await audit(reachable, 'http://nobody.example.com:8080/path?secret');
  assert.deepEqual([problem.code, problem.lighthouse_code], ['page_unreachable', 'DNS_FAILURE']);
  const told = lines.filter(({ reason }) => reason === 'unknown_name').map(({ host, port }) => [host, port]);
  assert.deepEqual(told, [['nobody.example.com', 8080]]);
  const notes = lines.filter(({ reason }) => reason !== undefined);
  assert.doesNotMatch(JSON.stringify(notes), /secret|path/);
  assert.ok(text().length > 0);
});

test('a page that loads endlessly is page_too_large, not retryable, and the limit is named', async t => {
  const { url } = await startLocalServer(t, (request, response) => {
    if (request.url !== '/endless') {
      return response
        .setHeader('content-type', 'text/html')
        .end(`${page}<script>fetch('/endless').then(answer => answer.blob())</script>`);
    }
    const chunk = Buffer.alloc(1 << 20);
    const send = (): void => {
      while (response.write(chunk));
    };
    response.on('drain', send).on('error', () => {});
    return send();
  });
  const service = await startService(t, {});
  const problem = await audit(service, `${url}/`);
  assert.deepEqual([problem.status, problem.code, problem.source], [502, 'page_too_large', 'lighthouse']);
  assert.equal(problem.retryable, false);
  assert.match(problem.detail, /more than 100 MB/);
});

test("a name whose server is silent is page_unreachable after its time limit, well before the audit's", async t => {
  const silent = { ...createOwnNetwork({}), resolve: () => new Promise<string[]>(() => {}) };
  const { log, lines } = captureLog();
  const service = await startService(t, { LIGHTHOUSE_TIMEOUT: '3600' }, silent, { log, egressLimits });
  const problem = await audit(service, 'http://silent.example.com/');
  assert.equal(problem.code, 'page_unreachable');
  assert.deepEqual(
    lines.filter(({ reason }) => reason !== undefined).map(({ reason, host }) => [reason, host]),
    [['timeout', 'silent.example.com']],
  );
});
