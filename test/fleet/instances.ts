/** Instances of a fleet as processes that a test can kill, pause and stop. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Arrivals, createArrivals } from '../support/arrivals.ts';
import { childEnvironment } from '../support/start-process.ts';
import type { Scope } from '../support/start-service.ts';

export type InstanceProcess = {
  readonly url: string;
  readonly child: ChildProcess;
  /** The pages whose audit it started. */
  readonly audits: Arrivals<string>;
  /** The pages whose audit was cancelled. */
  readonly aborted: Arrivals<string>;
  /** Settles with the exit code; null if the process was killed. */
  readonly exited: Promise<number | null>;
};

const script = fileURLToPath(new URL('run-instance.ts', import.meta.url));

export async function startInstance(
  scope: Scope,
  databaseUrl: string,
  role: 'all' | 'api' | 'worker',
  environment: Record<string, string> = {},
): Promise<InstanceProcess> {
  const env = { ...childEnvironment(), DATABASE_URL: databaseUrl, ROLE: role, ...environment };
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  scope.after(() => void child.kill('SIGKILL'));
  const lines = createArrivals<string>();
  const audits = createArrivals<string>();
  const aborted = createArrivals<string>();
  createInterface(child.stdout).on('line', line => {
    const [word = '', page = ''] = line.split(' ');
    if (word === 'audit') audits.add(page);
    else if (word === 'aborted') aborted.add(page);
    else lines.add(line);
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const [url] = await Promise.race([
    lines.waitFor(1),
    exited.then(code => Promise.reject(new Error(`the instance ended with ${code}`))),
  ]);
  return { url: url ?? '', child, audits, aborted, exited };
}

export type Answer = { status: number; body: { code?: string; id?: string; environment?: { attempts?: number } } };

/** A request without an answer after a minute counts as hanging. */
const hangsMs = 60_000;

export async function ask({ url }: { url: string }, page: string): Promise<Answer> {
  const target = `${url}/lighthouse?categories=performance&url=${encodeURIComponent(page)}`;
  const response = await fetch(target, { signal: AbortSignal.timeout(hangsMs) });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}
