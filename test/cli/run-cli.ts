/** The command as its users start it: a process with arguments, streams and an exit code. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { runCommand } from '../../src/cli/run-command.ts';
import { projectRoot } from '../contract/source-files.ts';
import { childEnvironment, readAll } from '../support/start-process.ts';
import type { Scope } from '../support/start-service.ts';

type Start = {
  readonly environment?: Readonly<Record<string, string>>;
  /** The text on standard input. */
  readonly input?: string;
  /** Whether standard input stays open after that text. */
  readonly isInputOpen?: boolean;
};

export function startCli(
  scope: Scope,
  args: readonly string[],
  { environment = {}, input = '', isInputOpen = false }: Start = {},
): ChildProcess {
  const child = spawn(process.execPath, ['src/cli/start.ts', ...args], {
    cwd: projectRoot,
    env: { ...childEnvironment(), ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  scope.after(() => void child.kill('SIGKILL'));
  child.stdin?.on('error', () => {});
  if (!isInputOpen) child.stdin?.end(input);
  return child;
}

export type CliEnd = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export async function endOf(child: ChildProcess): Promise<CliEnd> {
  const [stdout, stderr, [code]] = await Promise.all([
    ...[readAll(child.stdout), readAll(child.stderr)],
    once(child, 'exit') as Promise<[number | null]>,
  ] as const);
  return { code, stdout, stderr };
}

/** Runs the command as a process, for tests of what only a process has. */
export const runCliProcess = (scope: Scope, args: readonly string[], start: Start = {}): Promise<CliEnd> =>
  endOf(startCli(scope, args, start));

/**
 * The same command in this process, without what start.ts adds: it is cancelled when its scope ends. A process takes half
 * a second of a processor.
 */
export async function runCli(
  scope: Scope,
  args: readonly string[],
  { environment = {}, input = '' }: Start = {},
): Promise<CliEnd> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const ended = new AbortController();
  scope.after(() => ended.abort());
  const texts = Promise.all([readAll(stdout), readAll(stderr)]);
  const code = await runCommand(args, {
    env: { ...childEnvironment(), ...environment },
    stdin: Readable.from([input], { objectMode: false }),
    stdout,
    stderr,
    signal: ended.signal,
  });
  stdout.end();
  stderr.end();
  const [out, err] = await texts;
  return { code, stdout: out, stderr: err };
}
