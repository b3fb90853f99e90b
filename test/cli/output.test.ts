/** Results that cannot be written, and readers that close the pipe. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { projectRoot } from '../contract/source-files.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { readAll } from '../support/start-process.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { endOf, startCli } from './run-cli.ts';

const fake = await startFakePsi({ after });
fake.answerWith(call => ({ body: toPsiBody(call) }));
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint });
const remote = ['localhost/one', '--psi', '--server', service.url, '--quiet'];
const folder = mkdtempSync(join(tmpdir(), 'rangelight output '));
after(() => rmSync(folder, { recursive: true }));

/** A device that fails every write as a full disk does. */
const fullDevice = '/dev/full';
const whyNoFullDevice = existsSync(fullDevice) ? undefined : `skipped: there is no ${fullDevice}`;

async function runOnFullDisk(scope: Scope, args: readonly string[]) {
  const full = openSync(fullDevice, 'w');
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['src/cli/start.ts', ...args], {
    cwd: projectRoot,
    env: { PATH, HOME },
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  scope.after(() => void child.kill('SIGKILL'));
  const [stderr, [code]] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
  return { code, stderr };
}

for (const args of [['--json'], ['--ndjson'], ['--html', '-'], [], ['--json', '--assert', 'seo>100']])
  test(`a result that cannot be written exits with 3 and a sentence: ${args.join(' ') || 'as a table'}`, async t => {
    if (whyNoFullDevice) return t.skip(whyNoFullDevice);
    const { code, stderr } = await runOnFullDisk(t, [...remote, ...args]);
    assert.equal(code, 3);
    const told = stderr.trimEnd().split('\n').at(-1) ?? '';
    assert.match(told, /^The result cannot be written to standard output: ENOSPC: /);
    assert.equal(stderr.split(told).length, 2);
  });

test('a version that cannot be written exits with 3, too, and a report is still written if the result is lost', async t => {
  if (whyNoFullDevice) return t.skip(whyNoFullDevice);
  assert.equal((await runOnFullDisk(t, ['--version'])).code, 3);
  const file = join(folder, 'beside.html');
  const { code, stderr } = await runOnFullDisk(t, [...remote, '--json', '--html', file]);
  assert.deepEqual([code, existsSync(file)], [3, true]);
  assert.match(stderr, /^Written: .*\nThe result cannot/);
});

test('a reader that closes the pipe does not change the exit code', async t => {
  for (const [args, wanted] of [
    [['--json'], 0],
    [['--ndjson'], 0],
    [['--assert', 'seo>100'], 1],
  ] as const) {
    const child = startCli(t, [...remote, ...args]);
    child.stdout?.destroy();
    const [stderr, [code]] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
    assert.deepEqual([code, stderr], [wanted, '']);
  }
  // The same command with a reader that stays.
  assert.notEqual((await endOf(startCli(t, [...remote, '--json']))).stdout, '');
});
