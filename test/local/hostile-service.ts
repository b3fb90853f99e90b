/**
 * A service whose workers break the rules, and what is seen of them from outside. Nothing is really sent to a process that
 * is not a descendant of this one.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { descendantsOf, whyNoProcessTree } from '../leak/process-tree.ts';
import { createArrivals } from '../support/arrivals.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import type { afterAnswer, beforeReady, withOrder } from '../support/audits/hostile-worker.ts';
import type { LogLine } from '../support/captured-log.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { moveTemporaryFiles } from '../support/temporary-files.ts';
import { until } from '../support/until.ts';

const stranger = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { detached: true, stdio: 'ignore' });
after(() => void stranger.kill('SIGKILL'));

/** Records signals to processes that do not descend from this one instead of sending them, to protect the machine. */
const signalled: number[] = [];
const { kill } = process;
mock.method(process, 'kill', (pid: number, signal?: string | number) => {
  const isOwn = descendantsOf(process.pid).some(each => each.pid === Math.abs(pid) && each.pid !== stranger.pid);
  if (!isOwn) signalled.push(pid);
  return isOwn && kill.call(process, pid, signal);
});

const program = fileURLToPath(new URL('../support/audits/hostile-worker.ts', import.meta.url));

/** A service with such workers, and what its log says of those that were killed. */
async function startHostile(scope: Scope, workerProgram = program) {
  const killed = createArrivals<LogLine>();
  const write = (text: string) => {
    const line: LogLine = JSON.parse(text);
    if (line.msg === 'a worker was killed') killed.add(line);
  };
  const limits = { idleMs: 1_000, politeMs: 100, retryMs: 3_600_000 };
  const log = pino({ level: 'info' }, { write });
  // No audit ends by itself while a test waits.
  const settings = { LIGHTHOUSE_TIMEOUT: '3600' };
  const service = await startService(scope, settings, undefined, { log, audits: { workerProgram, limits } });
  const audit = <Body>(name: string, init?: RequestInit) => {
    const url = `http://127.0.0.1:1234/?do=${encodeURIComponent(name)}&pid=${stranger.pid}`;
    return ask<Body>(service, withQuery('/lighthouse', { url, categories: 'performance' }), init);
  };
  return { ...service, killed, audit };
}

export const folder = await moveTemporaryFiles({ after });
export const service = await startHostile({ after });

export const isRunning = (pid: unknown) => descendantsOf(process.pid).some(each => each.pid === pid);

/** The log line of the next worker that is killed. */
async function killedSince(before: number, { killed } = service): Promise<LogLine> {
  const line = (await killed.waitFor(before + 1)).at(-1) ?? {};
  assert.ok(line.worker && line.reason, 'the log says which and why');
  await until(() => !isRunning(line.worker));
  return line;
}

/** Asserts that only the worker was killed and that the service still works. */
export async function assertUnharmed(): Promise<void> {
  assert.deepEqual(signalled, []);
  assert.equal(stranger.exitCode ?? stranger.signalCode, null);
  await until(async () => (await ask<Health>(service, '/health')).body.lighthouse.running === 0);
}

/** The service's notes of processes to kill after its own death. */
export const notes = async (): Promise<string[]> => {
  const [home = ''] = await readdir(folder);
  return readdir(join(folder, home, 'processes')).catch(() => []);
};

export function testOrders(names: readonly (keyof typeof withOrder)[]): void {
  for (const name of names)
    test(`a worker that sends ${name} is killed, and its audit is lighthouse_unavailable`, async t => {
      if (whyNoProcessTree) return t.skip(whyNoProcessTree);
      const before = service.killed.all.length;
      const { status, body } = await service.audit<Problem>(name);
      assert.deepEqual([status, body.code], [503, 'lighthouse_unavailable'], body.detail);
      await killedSince(before);
      assert.equal((await ask<Health>(service, '/health/ready')).status, 200, 'one worker says nothing of the machine');
      await assertUnharmed();
      assert.deepEqual(await notes(), []);
    });
}

export function testAfterAnswer(names: readonly (keyof typeof afterAnswer)[]): void {
  for (const name of names)
    test(`a worker that sends ${name} has answered, and is killed`, async t => {
      if (whyNoProcessTree) return t.skip(whyNoProcessTree);
      const before = service.killed.all.length;
      const { status, body } = await service.audit<Result>(name);
      const { worker } = await killedSince(before);
      assert.deepEqual([status, body.environment.user_agent], [200, `worker ${worker}`]);
      await assertUnharmed();
      assert.deepEqual(await notes(), []);
    });
}

export function testBeforeReady(names: readonly (keyof typeof beforeReady)[]): void {
  for (const name of names)
    test(`a worker that sends ${name} is killed before it has started`, async t => {
      if (whyNoProcessTree) return t.skip(whyNoProcessTree);
      const links = await mkdtemp(join(folder, 'links-'));
      // The worker's user must be able to read the folder.
      await chmod(links, 0o755);
      await symlink(program, join(links, `${name}.ts`));
      const early = await startHostile(t, join(links, `${name}.ts`));
      const { status, body } = await early.audit<Problem>('nothing');
      assert.deepEqual([status, body.code], [503, 'lighthouse_unavailable'], body.detail);
      await killedSince(0, early);
      assert.equal((await ask<Health>(early, '/health/ready')).status, 503);
      await rm(links, { recursive: true });
      await assertUnharmed();
    });
}
