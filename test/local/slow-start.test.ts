/** Contract section 8: clients that leave, and deadlines that come, while the worker of their audit still starts. */
import assert from 'node:assert/strict';
import { watch } from 'node:fs';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { descendantsOf, whyNoProcessTree } from '../leak/process-tree.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';
import { moveTemporaryFiles } from '../support/temporary-files.ts';
import { readUntil } from '../support/until.ts';

const workerProgram = fileURLToPath(new URL('../support/audits/slow-worker.ts', import.meta.url));
const target = withQuery('/lighthouse', { url: 'http://127.0.0.1:1234/', categories: 'performance' });

/** A service whose workers become ready when the test opens the gate. */
async function startSlow(t: TestContext, settings: Record<string, string> = {}) {
  const folder = await moveTemporaryFiles(t);
  await chmod(folder, 0o1777);
  const service = await startService(t, settings, undefined, { audits: { workerProgram } });
  const workers = async () => (await readdir(folder)).filter(name => name.startsWith('worker-'));
  const local = async () => (await ask<Health>(service, '/health')).body.lighthouse;
  return {
    ...service,
    folder,
    workers,
    local,
    openGate: () => writeFile(join(folder, 'gate'), ''),
    audit: <Body>(init?: RequestInit) => ask<Body>(service, target, init),
    /** Settles as soon as `count` workers have started. */
    async begun(count: number): Promise<void> {
      const changes = watch(folder);
      const wait = Promise.withResolvers<void>();
      const look = async () => (await workers()).length >= count && wait.resolve();
      changes.on('change', look);
      await look();
      await wait.promise;
      changes.close();
    },
    untilFree: () => readUntil(local, ({ running }) => running === 0),
  };
}

async function leaveWhileStarting(service: Awaited<ReturnType<typeof startSlow>>): Promise<void> {
  const leaving = new AbortController();
  const answer = service.audit({ signal: leaving.signal });
  answer.catch(() => {});
  await service.begun(1);
  leaving.abort();
  await service.untilFree();
}

test('a client that disconnects while a worker starts frees the slot immediately, and the next audit uses that worker', async t => {
  const service = await startSlow(t, { LIGHTHOUSE_CONCURRENCY: '1' });
  for (let time = 1; time <= 3; time += 1) await leaveWhileStarting(service);
  const workers = await service.workers();
  assert.equal(workers.length, 1, 'the one that starts is waited for, again and again');
  const answer = service.audit<Result>();
  await service.openGate();
  const { status, body } = await answer;
  assert.deepEqual([status, body.environment.user_agent], [200, workers[0]?.replace('-', ' ')]);
  assert.equal((await service.workers()).length, 1);
});

test('a deadline while a worker starts is reported immediately, and the worker becomes idle for another audit', async t => {
  const service = await startSlow(t, { LIGHTHOUSE_TIMEOUT: '1' });
  const { status, body } = await service.audit<Problem>();
  assert.deepEqual([status, body.code], [504, 'lighthouse_timeout']);
  await service.untilFree();
  await service.openGate();
  assert.equal((await service.audit<Result>()).status, 200);
  assert.equal((await service.workers()).length, 1);
});

test('a service that stops while a worker starts does not wait for it, and leaves no process behind', async t => {
  if (whyNoProcessTree) return t.skip(whyNoProcessTree);
  const service = await startSlow(t);
  await leaveWhileStarting(service);
  const answer = service.audit<Problem>();
  await readUntil(service.local, ({ running }) => running > 0);
  await service.close(0);
  const { status, body } = await answer;
  assert.deepEqual([status, body.code], [503, 'shutting_down']);
  assert.deepEqual(
    descendantsOf(process.pid).filter(({ command }) => command.includes(workerProgram)),
    [],
  );
  assert.deepEqual(
    (await readdir(service.folder)).filter(name => name.startsWith('rangelight-')),
    [],
  );
});
