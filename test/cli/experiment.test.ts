/** `rangelight experiment` against a service whose loads have times of the test's own. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { AnalysisError } from '../../src/contract/errors.ts';
import type { ExperimentAnswer } from '../../src/contract/experiments/answer.ts';
import { createTimedPool, isBlocking } from '../support/audits/timed-pool.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { readAll } from '../support/start-process.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { runCli } from './run-cli.ts';

const page = 'http://127.0.0.1:4321/page';

type Audit = Parameters<typeof isBlocking>[0];

/** @param toMs Largest Contentful Paint of a load of the variant; the page has 2000 */
async function start(scope: Scope, toMs: (audit: Audit) => number | null) {
  const { pool, loads } = createTimedPool(audit => (isBlocking(audit) || audit.url !== page ? toMs(audit) : 2000));
  const { url } = await startService(scope, { TARGETS: 'any' }, undefined, { pool });
  const runAt = (server: string, ...args: string[]) =>
    runCli(scope, ['experiment', page, '--block', 'ads.example', '--server', server, ...args]);
  return { url, loads, run: (...args: string[]) => runAt(url, ...args), runAt };
}

test('the plan and the progress come first, then one sentence for each variant', async t => {
  const { run, loads } = await start(t, () => 1500);
  const { code, stdout, stderr } = await run('--metric', 'LCP');
  assert.equal(code, 0, stderr);
  assert.match(
    stdout.replaceAll('\u00a0', ' ').replaceAll(/\s+/g, ' '),
    /^✓ better variant 1 Better: Largest Contentful Paint is 500 ms lower than on the page \(\d+\.?\d* % interval, 9 pairs\)\. ads\.example matched nothing in any load/,
  );
  assert.match(
    stderr,
    /^With 9 pairs, about 3 minutes, .*\nThrottling is simulated, as usual: .*\n.*\n1 of 27 to 42 loads\n/,
  );
  assert.match(stderr, /\n27 of 27 to 42 loads\n$/);
  assert.equal(loads.length, 27);
});

test("a worse variant exits with 1, and --json prints the service's answer", async t => {
  const { run } = await start(t, () => 2600);
  const { code, stdout, stderr } = await run('--json', '--quiet', '--variant', 'two', '--block', 'b.js');
  const answer = JSON.parse(stdout) as ExperimentAnswer;
  assert.deepEqual([code, stderr, answer.state], [1, '', 'succeeded']);
  assert.deepEqual(
    answer.variants.map(({ name, status }) => [name, status]),
    [
      ['variant 1', 'worse'],
      ['two', 'worse'],
    ],
  );
});

test('--html writes the report, to a file or instead of the table', async t => {
  const { run } = await start(t, () => 1500);
  const file = join(makeScratchFolder(t), 'report.html');
  const { code, stdout, stderr } = await run('--quiet', '--html', file);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /better/);
  assert.match(await readFile(file, 'utf8'), /<h1>.*Experiment on/);
  assert.match((await run('--quiet', '--html', '-')).stdout, /^<!doctype html>/);
});

test('an experiment is followed after its connection was cut, and its address is in the plan', async t => {
  const { url, loads, runAt } = await start(t, () => 1500);
  let follows = 0;
  const proxy = await startLocalServer(t, async (request, response) => {
    const { url: path = '', method = 'GET', headers } = request;
    if (path.endsWith('/events')) follows += 1;
    if (path.endsWith('/events') && follows === 1) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      response.destroy();
      return;
    }
    const body = method === 'POST' ? await readAll(request) : null;
    const sent = { 'content-type': 'application/json', accept: headers.accept ?? '' };
    const answer = await fetch(`${url}${path}`, { method, headers: sent, body });
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  });
  const { code, stderr } = await runAt(proxy.url);
  assert.deepEqual([code, follows, loads.length], [0, 2, 27], stderr);
  assert.match(stderr, /\nThe experiment is at http:\/\/127\.0\.0\.1:\d+\/\?experiment=[\da-f-]{36}\n/);
});

test('a variant that was never measured exits with 3, even if another one was', async t => {
  const { run } = await start(t, audit => {
    if (audit.url !== page) throw new AnalysisError('page_error', 'The page returned status 500.');
    return 1500;
  });
  const { code, stdout, stderr } = await run('--variant', 'preview', '--variant-url', 'http://127.0.0.1:4321/b');
  assert.equal(code, 3, stderr);
  assert.match(stdout, /better.*undecided {2}preview/s);
  assert.match(stderr, /\npreview: too few of its loads were measured to compare it with the page\.\n$/);
});

test('an experiment without its metric ends after three blocks, exits with 3, and names the metric', async t => {
  const { run, loads } = await start(t, () => null);
  const { code, stdout } = await run('--quiet');
  assert.deepEqual([code, loads.length], [3, 9]);
  assert.match(stdout.replaceAll(/\s+/g, ' '), / Loads without Largest Contentful Paint: 3 of 3\. /);
});

test('a change that the service rejects is a wrong command, with its sentence', async t => {
  const { run, loads } = await start(t, () => 2000);
  const { code, stdout, stderr } = await run('--block', '*');
  assert.deepEqual([code, stdout, loads.length], [2, '', 0]);
  assert.match(stderr, /this pattern matches every URL/);
});
