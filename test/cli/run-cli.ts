/** The command as its users start it: a process with arguments, streams and an exit code. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectRoot } from '../contract/source-files.ts';
import { childEnvironment, readAll } from '../support/start-process.ts';
import type { Scope } from '../support/start-service.ts';

type Start = {
  readonly environment?: Readonly<Record<string, string>>;
  /** What the standard input brings. */
  readonly input?: string;
  /** Whether more may come. */
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

export const runCli = (scope: Scope, args: readonly string[], start: Start = {}): Promise<CliEnd> =>
  endOf(startCli(scope, args, start));
