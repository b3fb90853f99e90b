/** Repeats of a disturbed load in a real pool. The test writes the disturbance into the reading of each load. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { AuditOptions, AuditRequest } from '../../src/measure/lighthouse/pool.ts';
import type { JudgedPage, ReadPage } from '../../src/measure/lighthouse/read-page.ts';
import { createOwnPool, readOwnPage } from '../support/audits/create-own-pool.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { until } from '../support/until.ts';

/** The pool writes all of its files here, so the test sees which ones remain. */
const scratch = await mkdtemp(join(tmpdir(), 'rangelight-test-'));
await chmod(scratch, 0o755);
process.env.TMPDIR = scratch;
const foldersLeft = () =>
  readdirSync(scratch).flatMap(home => readdirSync(join(scratch, home)).filter(name => name.startsWith('audit-')));

const readOr = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process has ended.
    return '';
  }
};
const browsersLeft = () =>
  process.platform === 'linux'
    ? readdirSync('/proc').filter(pid => readOr(`/proc/${pid}/cmdline`).includes(`--user-data-dir=${scratch}`))
    : [];

let documents = 0;
const site = await startLocalServer({ after: hook => after(hook) }, ({ url }, response) => {
  if (url !== '/') return void response.setHeader('content-type', 'text/css').end('');
  documents += 1;
  response.setHeader('content-type', 'text/html');
  response.end(`<!doctype html><title>Load</title><link rel=stylesheet href=/load-${documents}.css><h1>Load</h1>`);
});
const pool = createOwnPool({ repeats: 2, concurrency: 2 });
after(async () => {
  await pool.close(0);
  await rm(scratch, { recursive: true, force: true });
});

const request = {
  url: `${site.url}/`,
  strategy: 'mobile',
  categories: ['performance'],
  profile: 'lighthouse',
  locale: 'en-US',
} as const;

type Read = JudgedPage & { load: string | undefined; concurrentAudits: number };

/** A reader under which the loads of a page waited for a CPU for these times in ms, one after the other. */
function readDisturbed(...waits: readonly number[]): ReadPage<Read> {
  const left = [...waits];
  return async (bytes, conditions) => {
    const page = await readOwnPage(bytes, conditions);
    if ('failure' in page) return page;
    const waitedMs = left.shift() ?? assert.fail('there were more loads');
    const { environment, metrics } = page.result;
    const kinds: 'processor_wait'[] = waitedMs > 0 ? ['processor_wait'] : [];
    return {
      load: /load-\d+/.exec(Buffer.from(bytes).toString())?.[0],
      concurrentAudits: conditions.concurrentAudits,
      result: {
        metrics,
        environment: { ...environment, processor_wait: { main_thread_ms: waitedMs } },
        disturbance: { kinds, denied: [], performance: null, total_blocking_time: null },
      },
    };
  };
}

const never = new AbortController().signal;

/** @returns the answer, the numbers of the loads in order, and the stages */
async function measure(
  waits: readonly number[],
  options: AuditOptions = {},
  signal = never,
  asked: AuditRequest = request,
) {
  const before = documents;
  const stages: string[] = [];
  const audit = await pool.audit(asked, readDisturbed(...waits), signal, {
    ...options,
    onProgress: progress => {
      if (progress.event === 'progress') stages.push(progress.stage);
      options.onProgress?.(progress);
    },
  });
  return { ...audit, stages, loads: documents - before, first: before + 1 };
}

test('a disturbed load is repeated alone, and returned with the artifacts of the repeat', async () => {
  const other = pool.audit(request, readDisturbed(0), never);
  const { value, artifacts, repeated, stages } = await measure([300, 0], { keepArtifacts: true });
  await other;
  assert.equal(repeated, 1);
  assert.equal(stages.filter(stage => stage === 'repeating').length, 1);
  assert.ok(stages.indexOf('repeating') < stages.lastIndexOf('loading'), stages.join());
  assert.equal(value.concurrentAudits, 0, 'it was alone');
  assert.ok(artifacts, 'nothing was kept');
  const files = pool.filesOf(artifacts) ?? assert.fail('they are gone');
  const networkLog = readFileSync(files.networkLog, 'utf8');
  assert.deepEqual([...new Set(networkLog.match(/load-\d+/g))], [value.load]);
  await pool.release(artifacts);
  await until(() => foldersLeft().length === 0);
});

test('the earlier load is returned, with its own artifacts, if the repeat was disturbed more', async () => {
  const { value, artifacts, repeated, loads, first } = await measure([300, 400], { keepArtifacts: true });
  assert.deepEqual([value.load, repeated, loads], [`load-${first}`, 1, 2]);
  assert.ok(artifacts, 'nothing was kept');
  const files = pool.filesOf(artifacts) ?? assert.fail('they are gone');
  assert.match(readFileSync(files.networkLog, 'utf8'), new RegExp(`load-${first}\\b`));
  await until(() => foldersLeft().length === 1);
  await pool.release(artifacts);
  await until(() => foldersLeft().length === 0);
});

test('an audit that has the machine to itself is repeated, too', async () => {
  const { repeated, value } = await measure([300, 100, 0], {}, never, { ...request, exclusive: true });
  assert.deepEqual([repeated, value.result?.environment.processor_wait], [2, { main_thread_ms: 0 }]);
});

test('an abort during the repeat leaves no slot, browser or folder behind', async () => {
  const leaving = new AbortController();
  const gone = new Error('gone');
  let isRepeating = false;
  const measured = measure(
    [300, 0],
    {
      keepArtifacts: true,
      onProgress(progress) {
        if (progress.event !== 'progress') return;
        isRepeating ||= progress.stage === 'repeating';
        if (isRepeating && progress.stage === 'loading') leaving.abort(gone);
      },
    },
    leaving.signal,
  );
  await assert.rejects(measured, gone);
  await until(() => foldersLeft().length === 0 && browsersLeft().length === 0 && pool.status().running === 0);
  assert.equal((await measure([0])).repeated, 0, 'the next audit runs');
});
