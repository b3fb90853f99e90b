/** What tells the results of analysers apart in the cache: what they are, never where they happen to listen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameThread } from '../../test/support/audits/same-thread.ts';
import { createEmbeddedAnalyser } from './embedded-analyser.ts';
import { toPsiServer } from './psi/call.ts';
import { createPsiAnalyser } from './psi/client.ts';

const unused = (): never => assert.fail('nothing is measured');
const local = { audit: unused, filesOf: unused, release: unused };

const embedded = (host: string, ...versions: string[]): string =>
  createEmbeddedAnalyser({ local, threads: sameThread, host: () => host, versions, keepsArtifacts: false }).identity;

const remote = (settings: { psiEndpoint?: string; psiApiKey?: string }): string => {
  const server = toPsiServer({ psiEndpoint: undefined, psiApiKey: undefined, ...settings });
  assert.ok(server);
  const limits = { timeoutMs: 1, concurrency: 1, ratePerMinute: 1 };
  return createPsiAnalyser({ server, threads: sameThread, ...limits }).identity;
};

test('the embedded analyser is named by its versions, on whatever port it listens', () => {
  assert.equal(embedded('127.0.0.1:8000', 'Lighthouse 13'), embedded('127.0.0.1:9000', 'Lighthouse 13'));
  assert.notEqual(embedded('127.0.0.1:8000', 'Lighthouse 13'), embedded('127.0.0.1:8000', 'Lighthouse 14'));
});

test('a PSI server is named by its host and path, without secrets', () => {
  const name = remote({ psiEndpoint: 'https://me:hunter2@psi.example/v5/run?key=secret' });
  assert.equal(name, 'custom · psi.example/v5/run');
  assert.notEqual(remote({ psiEndpoint: 'https://other.example/v5/run' }), name);
  assert.equal(remote({ psiApiKey: 'secret' }), 'google');
});
