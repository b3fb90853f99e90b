/** The service as a process of its own, for what only a process has: signals, an exit code, a log. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { projectRoot } from '../contract/source-files.ts';
import { createArrivals } from './arrivals.ts';
import { compiledCodeFolder } from './compiled-code.ts';
import type { Scope } from './start-service.ts';

type Start = {
  args?: readonly string[];
  environment?: Record<string, string>;
  /** Flags of Node itself. */
  nodeArgs?: readonly string[];
  /** What starts Node. */
  command?: readonly string[];
};

/** For a process that audits nothing: it does not try the browser at its start, which takes two seconds of a processor. */
export const withoutBrowser = { CHROME_PATH: '/no/such/chrome' };

/** What a process gets of ours: what finds programs and the browser, and where compiled code is kept, which saves a second. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  return {
    PATH,
    HOME,
    XDG_CACHE_HOME,
    DATA_DIR: 'none',
    LIGHTHOUSE_SPARE: 'off',
    NODE_COMPILE_CACHE: compiledCodeFolder,
  };
}

export function startProcess(
  scope: Scope,
  { args = [], environment = {}, nodeArgs = [], command = [] }: Start = {},
): ChildProcess {
  const [program = '', ...words] = [...command, process.execPath, ...nodeArgs, 'src/service/main.ts', ...args];
  const child = spawn(program, words, {
    cwd: projectRoot,
    env: { ...childEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  scope.after(() => void child.kill('SIGKILL'));
  return child;
}

export const readAll = async (stream: NodeJS.ReadableStream | null): Promise<string> => {
  let text = '';
  for await (const chunk of stream ?? []) text += chunk;
  return text;
};

const toLines = (stream: NodeJS.ReadableStream | null) => {
  assert.ok(stream);
  const lines = createArrivals<string>();
  createInterface(stream).on('line', line => lines.add(line));
  return lines;
};

/** What a line of the log says of the start: where the service listens, and with what it measures. */
export const readGreeting = (line: string): { url: string; msg: string } | undefined =>
  /"msg":"Rangelight: open /.test(line) ? JSON.parse(line) : undefined;

/** A service that listens on a free port, and every line it has said on either stream. */
export async function startListening(scope: Scope, { args = [], ...start }: Start = {}) {
  const child = startProcess(scope, { ...start, args: ['--port', '0', ...args] });
  const [output, errors] = [toLines(child.stdout), toLines(child.stderr)];
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const [line = ''] = await Promise.race([
    output.waitFor(1, line => readGreeting(line) !== undefined),
    exited.then(code => assert.fail(`the service ended with ${code}: ${errors.all.join('\n')}`)),
  ]);
  const { url = '', msg: greeting = '' } = readGreeting(line) ?? {};
  return { url, greeting, child, output, errors, exited };
}
