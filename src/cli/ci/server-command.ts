/** Starts the project's own server before the measurements, and ends it with all its children. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Conditions } from '../../contract/conditions/conditions.ts';

export type StartedServer = { stop(): Promise<void> };

type StartOrder = {
  readonly command: string;
  readonly url: string;
  readonly timeout?: number;
  readonly conditions?: Pick<Partial<Conditions>, 'certificates' | 'hosts'> | undefined;
  /** Whether the site may run already, as in Lighthouse CI. Otherwise another site could be measured unnoticed. */
  readonly mayRun?: boolean;
};

const pollMs = 250;
const politeMs = 5000;
const keptCharacters = 2000;

/** Returns the code of a TLS fault, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. A server that is not up yet refuses. */
function tlsFaultOf(error: unknown): string | undefined {
  const code = error instanceof Error && error.cause instanceof Error && 'code' in error.cause ? error.cause.code : '';
  return /CERT|TLS|SSL|VERIFY|SIGNATURE/.test(String(code)) ? String(code) : undefined;
}

/** Returns the URL at the address that the conditions give its host. */
function toAddress(url: string, hosts: Partial<Conditions>['hosts']): string {
  const target = new URL(url);
  const address = hosts?.[target.hostname];
  if (address === undefined) return url;
  // An address may have a port of its own.
  target.host = address;
  return target.href;
}

/** @throws Error if the server responds with an invalid certificate that no condition accepts; the signal's reason */
async function isAnswering({ url, conditions = {} }: StartOrder, signal: AbortSignal): Promise<boolean> {
  const { certificates, hosts } = conditions;
  const address = toAddress(url, hosts);
  try {
    const { body } = await fetch(address, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(5000)]),
      redirect: 'manual',
    });
    await body?.cancel();
    return true;
  } catch (error) {
    signal.throwIfAborted();
    const fault = tlsFaultOf(error);
    if (fault === undefined) return false;
    if (certificates || address !== url) return true;
    throw new Error(
      `${url} responds, but its HTTPS connection fails (${fault}). Serve the site over http, or with a certificate that this machine trusts (NODE_EXTRA_CA_CERTS).`,
    );
  }
}

/** Signals the process tree. Windows has no process groups, so `taskkill` ends the tree there. */
function signalAll({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has already ended.
  }
}

const isGroupAlive = (pid: number): boolean => {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function stopAll(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  signalAll(child, 'SIGTERM');
  const until = performance.now() + politeMs;
  while (process.platform !== 'win32' && isGroupAlive(child.pid) && performance.now() < until) await sleep(50);
  signalAll(child, 'SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Runs a command, and kills its group when descriptor 3 closes: when this process ends, even by SIGKILL. */
const guarded = '{ cat; kill -s KILL -- -$$; } <&3 >/dev/null 2>&1 & exec 3<&-; eval "$1"';

function spawnCommand(command: string, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): ChildProcess {
  if (process.platform === 'win32') return spawn(command, { cwd, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  // The command gets its own process group, so that its children end with it.
  const options = { cwd, env, detached: true };
  return spawn('/bin/sh', ['-c', guarded, 'sh', command], { ...options, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
}

/**
 * Starts the command in this folder, and waits until its URL responds.
 * @returns undefined if the site runs already, and may
 * @throws Error with a sentence that contains the command's last output; the signal's reason
 */
export async function startServerCommand(
  order: StartOrder,
  { cwd, env, signal }: { cwd: string; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<StartedServer | undefined> {
  const { command, url, timeout = 60, mayRun = false } = order;
  if (await isAnswering(order, signal)) {
    if (mayRun) return undefined;
    throw new Error(
      `Something already responds at ${url} before the server command started: stop it, or leave "server" out.`,
    );
  }
  const child = spawnCommand(command, { cwd, env });
  // A second Ctrl-C exits while the group is being stopped, and a detached group would survive.
  const killAll = () => signalAll(child, 'SIGKILL');
  process.once('exit', killAll);
  const stop = () => stopAll(child).finally(() => process.off('exit', killAll));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', text => {
      output = `${output}${text}`.slice(-keptCharacters);
    });
  let ended: string | undefined;
  child.once('error', error => {
    ended = error.message;
  });
  child.once('exit', (code, name) => {
    // A command may start the site in the background.
    if (code !== 0 || !mayRun) ended = name === null ? `with code ${code}` : `by ${name}`;
  });
  const tail = () => (output.trim() === '' ? '' : ` Its last output:\n${output.trim()}`);
  try {
    const until = performance.now() + 1000 * timeout;
    while (!(await isAnswering(order, signal))) {
      if (ended !== undefined) throw new Error(`The server command ended ${ended} before ${url} responded.${tail()}`);
      if (performance.now() > until) throw new Error(`${url} did not respond within ${timeout} s.${tail()}`);
      await sleep(pollMs, undefined, { signal });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
