/** The service as a process, for tests of signals, the exit code and the log. */
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
  /** Node's own flags. */
  nodeArgs?: readonly string[];
  /** The command that starts Node. */
  command?: readonly string[];
};

/** For a process without audits: it does not try the browser at its start, which takes 2 s of CPU time. */
export const withoutBrowser = { CHROME_PATH: '/no/such/chrome' };

/** The variables a child inherits: those that locate programs, the browser and cached compiled code (saves 1 s). */
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

/** Parses the log line of the start, which contains the service's URL; undefined for any other line. */
export const readGreeting = (line: string): { url: string; msg: string } | undefined =>
  /"msg":"Rangelight: open /.test(line) ? JSON.parse(line) : undefined;

/** Starts a service on a free port and collects its lines on both streams. */
export async function startListening(scope: Scope, { args = [], ...start }: Start = {}) {
  const child = startProcess(scope, { ...start, args: ['--port', '0', ...args] });
  const [output, errors] = [toLines(child.stdout), toLines(child.stderr)];
  // Closed means that all output has been read, too.
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const [line = ''] = await Promise.race([
    output.waitFor(1, line => readGreeting(line) !== undefined),
    exited.then(code => assert.fail(`the service ended with ${code}: ${errors.all.join('\n')}`)),
  ]);
  const { url = '', msg: greeting = '' } = readGreeting(line) ?? {};
  return { url, greeting, child, output, errors, exited };
}
