/** Further answers for pages that cannot be reached: see limits.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { findClosedPort, startLocalServer } from '../support/sites/local-server.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import { createOwnNetwork } from '../support/surroundings/own-network.ts';
import { startFailingNetwork, TARGETS } from './failing-network.ts';

const publicAddress = '93.184.216.34';
const page = '<!doctype html><html lang="en"><title>Page</title><h1>Words to paint</h1></html>';

const { canary, network } = await startFailingNetwork({ after });
const local = await startService({ after }, { TARGETS }, network);

const audit = async (service: StartedService, url: string): Promise<Problem> =>
  (await ask<Problem>(service, withQuery('/lighthouse', { url, categories: 'seo' }))).body;

test('on loopback only, the answer tells the developer the reason', async () => {
  const hosts = ['silent.internal', 'resetting.internal'];
  const problems = await Promise.all(hosts.map(host => audit(local, `http://${host}:3000/`)));
  const words = ['ERR_CONNECTION_TIMED_OUT', 'ERR_CONNECTION_RESET'];
  for (const [at, problem] of problems.entries()) {
    assert.equal(problem.code, 'page_unreachable');
    assert.match(problem.detail, new RegExp(words[at] ?? 'none'));
  }
});

test('on loopback only, a blocked port gives the same answer whether a server listens or not', async () => {
  const closed = Number(new URL(await findClosedPort()).port);
  const before = network.dialled.length;
  for (const host of ['127.0.0.1', 'outside.internal']) {
    const problems = await Promise.all([canary.port, closed].map(port => audit(local, `http://${host}:${port}/`)));
    for (const problem of problems) {
      assert.equal(problem.code, 'target_forbidden');
      assert.deepEqual(problem, problems[0]);
    }
  }
  assert.equal(canary.connections.all.length, 0);
  assert.equal(network.dialled.length, before);
});

test('a name whose server is silent delays no other audit', async t => {
  const { url } = await startLocalServer(t, (_request, response) => {
    response.setHeader('content-type', 'text/html').end(page);
  });
  const own = createOwnNetwork({ 'www.example.com': [publicAddress] }, { [publicAddress]: Number(new URL(url).port) });
  const isSilent = (host: string) => host === 'silent.example.com';
  const half = {
    ...own,
    resolve: (host: string, signal: AbortSignal) =>
      isSilent(host) ? new Promise<string[]>(() => {}) : own.resolve(host, signal),
  };
  const service = await startService(t, {}, half);
  const toTarget = (host: string) => withQuery('/lighthouse', { url: `http://${host}/`, categories: 'seo' });
  const [hung, other] = await Promise.all([
    audit(service, 'http://silent.example.com/'),
    ask<Result>(service, toTarget('www.example.com')),
  ]);
  assert.equal(hung.code, 'page_unreachable');
  assert.equal(other.status, 200);
});

test('the end of an audit ends its lookup', async t => {
  const silent = { ...createOwnNetwork({}), resolve: () => new Promise<string[]>(() => {}) };
  const service = await startService(t, { LIGHTHOUSE_TIMEOUT: '1' }, silent);
  const problem = await audit(service, 'http://silent.example.com/');
  assert.deepEqual([problem.status, problem.code], [504, 'lighthouse_timeout']);
});
