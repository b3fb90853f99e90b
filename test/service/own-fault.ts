/** Asserts how a process ends after an unforeseen error. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startListening } from '../support/start-process.ts';

/** @param code code that fails in the process with `an unforeseen fault` */
export async function assertEndsInOrder(t: TestContext, kind: string, code: string): Promise<void> {
  const fault = `process.on('SIGUSR2', () => { ${code} })`;
  const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(fault)}`];
  const fake = await startFakePsi(t);
  const release = fake.hold();
  const service = await startListening(t, { nodeArgs, environment: { PSI_ENDPOINT: fake.endpoint } });
  const { child, output, exited } = service;
  const running = ask<Result>(service, withQuery('/psi', { url: 'https://example.com/', strategy: 'mobile' }));
  await fake.calls.waitFor(1);
  child.kill('SIGUSR2');
  const [line = ''] = await output.waitFor(1, text => text.includes('an unforeseen fault'));
  const { level, msg } = JSON.parse(line);
  assert.deepEqual([level, msg], [60, kind]);
  assert.equal((await ask(service, '/health/ready')).status, 503);
  release();
  assert.equal((await running).status, 200);
  assert.equal(await exited, 1);
}
