/** The start of the process: its output, and what ends it. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import { settingTable } from '../../src/settings/setting-table.ts';
import { projectRoot } from '../contract/source-files.ts';
import { ask } from '../support/asking/ask.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import { readAll, readGreeting, startListening, startProcess, withoutBrowser } from '../support/start-process.ts';
import { until } from '../support/until.ts';

test('standard output is only JSON lines, whatever the log level, and standard error is empty', async t => {
  for (const [level, count] of [
    ['info', 1],
    ['silent', 0],
  ] as const) {
    const url = await findClosedPort();
    const args = ['--port', new URL(url).port];
    const child = startProcess(t, { args, environment: { LOG_LEVEL: level, ...withoutBrowser } });
    const texts = Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'exit')]);
    await until(() =>
      ask({ url }, '/health').then(
        () => true,
        () => false,
      ),
    );
    child.kill('SIGTERM');
    const [output, errors] = await texts;
    const lines = output.split('\n').filter(Boolean);
    for (const line of lines) assert.equal(typeof JSON.parse(line).msg, 'string');
    assert.equal(lines.filter(readGreeting).length, count, output);
    assert.equal(errors, '');
  }
});

test('in a terminal the start prints where the service is, what it measures with, and how to stop it', async t => {
  if (spawnSync('script', ['--version']).status !== 0)
    return t.skip('skipped: there is no script(1) here that makes a terminal');
  // `exec` is necessary: a remaining shell would also receive Ctrl-C, and script(1) would report its exit code.
  const command = `exec ${process.execPath} src/service/main.ts --port 0 --data-dir none`;
  const args = ['--quiet', '--return', '--flush', '--command', command, '/dev/null'];
  const child = spawn('script', args, { cwd: projectRoot, stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (line === 'Ctrl-C stops it.') child.stdin.write('\u0003');
  }
  const [code] = await ended;
  assert.match(lines[0] ?? '', /^Rangelight: open http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(lines[1] ?? '', /^PSI: .* · local: Lighthouse /);
  assert.equal(lines[2], 'Ctrl-C stops it.');
  assert.ok(!lines.join('').includes('{'), 'a terminal shows no JSON');
  assert.equal(code, 0, 'Ctrl-C ends it in good order');
});

test('the first line says where to open the service and what it measures with, and SIGTERM ends it', async t => {
  const { url, greeting: line, child, exited } = await startListening(t);
  assert.match(line, /PSI: PageSpeed Insights settings on this machine/);
  const { status, body } = await ask<Health>({ url }, '/health');
  assert.equal(status, 200);
  assert.ok(line.includes(`local: Lighthouse ${body.lighthouse.version} in ${body.lighthouse.browser}`), line);
  child.kill('SIGTERM');
  assert.equal(await exited, 0);
});

test('invalid settings stop the start with one message that lists every fault', async t => {
  const child = startProcess(t, {
    args: ['--error-pages', 'xml', '--no-such-flag', '1'],
    environment: { PORT: 'eighty', LIGHTHOUSE_CONCURRENCY: '3' },
  });
  const [message, [code]] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
  assert.equal(code, 2);
  for (const fault of [/PORT: .*'eighty'/, /LIGHTHOUSE_CONCURRENCY: .*from 1 to 2.*'3'/, /no-such-flag/])
    assert.match(message, fault);
});

test('a wrong PSI_ENDPOINT is not repeated, because it may contain a key', async t => {
  const child = startProcess(t, { environment: { PSI_ENDPOINT: 'nonsense?key=AIza-not-a-real-key' } });
  const [message, [code]] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
  assert.equal(code, 2);
  assert.match(message, /PSI_ENDPOINT/);
  assert.doesNotMatch(message, /AIza/);
});

test('a port in use stops the start with a sentence', async t => {
  const first = await startListening(t, { environment: withoutBrowser });
  const second = startProcess(t, { args: ['--port', new URL(first.url).port] });
  const [message, [code]] = await Promise.all([readAll(second.stderr), once(second, 'exit')]);
  assert.equal(code, 1);
  assert.match(message, /cannot listen on 127\.0\.0\.1:\d+/);
  first.child.kill('SIGTERM');
  await first.exited;
});

test('--help lists every setting and --version prints the version; neither starts anything', async t => {
  for (const [flag, expected] of [
    ['--help', Object.keys(settingTable)],
    ['--version', ['2.0.0']],
  ] as const) {
    const child = startProcess(t, { args: [flag, '--no-such-flag'], environment: { PORT: 'eighty' } });
    const [text, [code]] = await Promise.all([readAll(child.stdout), once(child, 'exit')]);
    assert.equal(code, 0);
    for (const word of expected) assert.ok(text.includes(word), word);
    assert.doesNotMatch(text, /`|open http/);
  }
});

test('a CHROME_PATH that is not a program is reported in the first line', async t => {
  const { greeting, child, exited } = await startListening(t, { environment: { CHROME_PATH: '/no/such/chrome' } });
  assert.match(greeting, /local: none \(CHROME_PATH \/no\/such\/chrome is not a program\)$/);
  child.kill('SIGTERM');
  assert.equal(await exited, 0);
});

test('a service that others can reach without a key says what is open to them', async t => {
  const warned = (lines: readonly string[]) => lines.some(line => line.includes('without API_KEYS'));
  for (const [environment, isWarned] of [
    [{ HOST: '0.0.0.0' }, true],
    [{ HOST: '0.0.0.0', API_KEYS: 'a-key-of-some-client' }, false],
    [{}, false],
  ] as [Record<string, string>, boolean][]) {
    const { child, exited, output } = await startListening(t, { environment: { ...environment, ...withoutBrowser } });
    child.kill('SIGTERM');
    assert.equal(await exited, 0);
    assert.equal(warned(output.all), isWarned, JSON.stringify(environment));
  }
});
