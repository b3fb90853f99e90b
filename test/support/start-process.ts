/** The service as a process of its own, for what only a process has: signals, an exit code, a log. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createArrivals } from './arrivals.ts';
import { projectRoot } from './contract/source-files.ts';
import type { Scope } from './start-service.ts';

type Start = {
  args?: readonly string[];
  environment?: Record<string, string>;
  /** Flags of Node itself. */
  nodeArgs?: readonly string[];
  /** What starts Node. */
  command?: readonly string[];
};

export function startProcess(
  scope: Scope,
  { args = [], environment = {}, nodeArgs = [], command = [] }: Start = {},
): ChildProcess {
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  const [program = '', ...words] = [...command, process.execPath, ...nodeArgs, 'src/main.ts', ...args];
  const child = spawn(program, words, {
    cwd: projectRoot,
    env: { PATH, HOME, XDG_CACHE_HOME, ...environment },
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

/** A service that listens on a free port, and every line it has said on either stream. */
export async function startListening(scope: Scope, { args = [], ...start }: Start = {}) {
  const child = startProcess(scope, { ...start, args: ['--port', '0', ...args] });
  const [output, errors] = [toLines(child.stdout), toLines(child.stderr)];
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const isGreeting = (line: string) => line.startsWith('Rangelight: open ');
  const [greeting = ''] = await Promise.race([
    output.waitFor(1, isGreeting),
    exited.then(code => assert.fail(`the service ended with ${code}: ${errors.all.join('\n')}`)),
  ]);
  const [url = ''] = /http:\/\/\S+/.exec(greeting) ?? [];
  return { url, greeting, child, output, errors, exited };
}
