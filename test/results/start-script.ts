import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Arrivals, createArrivals } from '../support/arrivals.ts';
import type { Scope } from '../support/start-service.ts';

export type StartedScript = { child: ChildProcess; lines: Arrivals<string>; ended: Promise<unknown> };

/** Runs a script of this folder as a process that is killed when the scope ends. */
export function startScript(scope: Scope, name: string, ...args: readonly string[]): StartedScript {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createArrivals<string>();
  const reader = createInterface(child.stdout).on('line', line => lines.add(line));
  // Waits for the end of the output, too, so that no line is still on its way.
  const ended = Promise.all([once(child, 'exit'), once(reader, 'close')]);
  scope.after(() => void child.kill('SIGKILL'));
  return { child, lines, ended };
}
