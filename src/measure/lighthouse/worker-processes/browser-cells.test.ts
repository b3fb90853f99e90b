import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualLimits } from '../audit-limits.ts';
import { createAuditRunner } from '../audit-runner.ts';
import { createSandbox } from '../browser/sandbox.ts';
import type { AuditFolders } from '../folders/audit-folders.ts';
import { createCells } from './browser-cells.ts';
import { createWorkers } from './workers.ts';

/** test/local/slow-start.test.ts tests cells with real workers. */

const sandbox = createSandbox({ mode: 'off', loopbackOnly: true, isRoot: false, warn: () => {} });
const browser = { executablePath: '/nowhere', env: {}, sandbox: false };
const gone = new Error('gone');

test('an abort while a folder is created takes effect immediately, and the folder is removed later', async () => {
  const { promise: made, resolve: make } = Promise.withResolvers<string>();
  const removed: string[] = [];
  const folders: AuditFolders = {
    create: () => made,
    toShortPath: async folder => folder,
    remove: async folder => void removed.push(folder),
    noteProcess: () => () => {},
    sweep: async () => {},
    close: async () => {},
  };
  const [limits, log] = [usualLimits, () => {}] as const;
  const workers = createWorkers({ sandbox, folders, limits, program: '/nowhere', log });
  const openGate = () => assert.fail('there is no folder yet');
  const cells = createCells({ workers, folders, openGate, sandbox, limits, hasSpare: false, log });
  const leaving = new AbortController();
  const opened = cells.open(browser, leaving.signal);
  leaving.abort(gone);
  await assert.rejects(opened, gone);
  assert.deepEqual(removed, []);
  const closed = cells.close(new Error('the end'));
  make('/a/folder');
  await closed;
  assert.deepEqual(removed, ['/a/folder']);
});

test('an abort while the browser is unpacked takes effect immediately', async () => {
  const runner = createAuditRunner({
    machineId: '0123456789abcdef',
    processors: 2,
    loadsAtOnce: 1,
    browser: { name: 'none', description: 'a browser that is never unpacked', prepare: () => new Promise(() => {}) },
    sandbox,
    openGate: () => assert.fail('there is no browser yet'),
    timeoutMs: 1_000_000,
    log: () => {},
  });
  const leaving = new AbortController();
  const audit = { url: 'http://127.0.0.1/', strategy: 'mobile', profile: 'psi', categories: [], locale: 'en' } as const;
  const { result, cleared } = runner.start({ audit, readPage: async () => ({}) }, leaving.signal);
  await new Promise(setImmediate);
  leaving.abort(gone);
  await assert.rejects(result, gone);
  await cleared;
  assert.equal(runner.status().available, true, 'a client that leaves says nothing of the machine');
  await runner.close();
});
