/** The process itself: what it says, what stops it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { Health } from '../../src/http/schemas.ts';
import { ask } from '../ask.ts';
import { projectRoot } from '../contract/source-files.ts';
import type { Scope } from '../start-service.ts';

function startProcess(scope: Scope, args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, ['src/main.ts', ...args], {
    cwd: projectRoot,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  scope.after(() => void child.kill('SIGKILL'));
  return child;
}

const readAll = async (stream: NodeJS.ReadableStream | null): Promise<string> => {
  let text = '';
  for await (const chunk of stream ?? []) text += chunk;
  return text;
};

const firstLineOf = async (child: ChildProcess): Promise<string> => {
  assert.ok(child.stdout);
  const [line] = await once(createInterface(child.stdout), 'line');
  return String(line);
};

test('the first line says where to open the service and what it measures with; SIGTERM ends it', async t => {
  const child = startProcess(t, ['--port', '0'], { LOG_LEVEL: 'silent' });
  const line = await firstLineOf(child);
  const [, url = ''] = /open (http:\/\/127\.0\.0\.1:\d+)/.exec(line) ?? [];
  assert.match(line, /remote analyser: the embedded analyser/);
  const { status, body } = await ask<Health>({ url }, '/health');
  assert.equal(status, 200);
  assert.ok(line.includes(`local: Lighthouse ${body.lighthouse.version} in ${body.lighthouse.browser}`), line);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
});

test('wrong settings stop the start with one message that names every fault', async t => {
  const child = startProcess(t, ['--error-pages', 'xml', '--no-such-flag', '1'], {
    PORT: 'eighty',
    LIGHTHOUSE_CONCURRENCY: '3',
  });
  const [message, [code]] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
  assert.equal(code, 2);
  for (const fault of [/PORT: .*'eighty'/, /LIGHTHOUSE_CONCURRENCY: .*from 1 to 2.*'3'/, /no-such-flag/])
    assert.match(message, fault);
});

test('a wrong PSI_ENDPOINT is not repeated: it may hold a key', async t => {
  const child = startProcess(t, [], { PSI_ENDPOINT: 'nonsense?key=AIza-not-a-real-key' });
  const [message, [code]] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
  assert.equal(code, 2);
  assert.match(message, /PSI_ENDPOINT/);
  assert.doesNotMatch(message, /AIza/);
});

test('a port that is taken stops the start with a sentence', async t => {
  const first = startProcess(t, ['--port', '0'], { LOG_LEVEL: 'silent' });
  const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(await firstLineOf(first)) ?? [];
  const second = startProcess(t, ['--port', port]);
  const [message, [code]] = await Promise.all([readAll(second.stderr), once(second, 'exit')]);
  assert.equal(code, 1);
  assert.match(message, /cannot listen on 127\.0\.0\.1:\d+/);
  first.kill('SIGTERM');
  await once(first, 'exit');
});
