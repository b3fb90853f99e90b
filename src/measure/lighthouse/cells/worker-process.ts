import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import type { Duplex } from 'node:stream';
import { channelFile } from '../messages.ts';

/** What a worker could not do, as plain data from the other side of the process boundary. */
export class WorkerFailure extends Error {
  readonly during: 'start' | 'launch' | 'audit';
  readonly code: string | undefined;
  /** The document that failed, where one did. */
  readonly url: string | undefined;

  constructor(during: WorkerFailure['during'], message: string, code?: string, url?: string) {
    super(message);
    this.url = url;
    this.name = 'WorkerFailure';
    this.during = during;
    this.code = code;
  }
}

export type User = { uid: number; gid: number };

export type WorkerStart = {
  /** What Node runs. */
  program: string;
  user: User | undefined;
  /** A folder with compiled code of the program. */
  compiledCode: string | undefined;
};

export type WorkerProcess = {
  readonly pid: number | undefined;
  /** Where orders go and replies come from; undefined if the system had no files left for it. */
  readonly pipe: Duplex | undefined;
  /** Settles when the process is gone, or never was. */
  readonly exited: Promise<unknown>;
  /** The end of what it has written to its standard error. */
  errorText(): string;
  kill(): void;
};

const maxErrorText = 4_000;
/** A healthy worker says nothing on its standard error. */
const maxErrorBytes = 1024 * 1024;

/** A short list, never the whole of ours: keys stay in the service. */
const workerEnvironment = (compiledCode: string | undefined): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  LANG: process.env.LANG ?? 'en_US.UTF-8',
  HOME: tmpdir(),
  TMPDIR: tmpdir(),
  ...(compiledCode === undefined ? {} : { NODE_COMPILE_CACHE: compiledCode }),
});

function keepErrorText(child: ChildProcess, onFlood: () => void): () => string {
  let text = '';
  let bytes = 0;
  child.stderr?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxErrorBytes) onFlood();
    else text = (text + chunk.toString()).slice(-maxErrorText);
  });
  return () => text;
}

/**
 * Starts a program of Node's in a process of its own, with a pipe to it.
 * @param onEnd told why there is no such process, once: it could not be started, or it has ended
 * @param onFlood told when it writes to its standard error without end
 * @throws what keeps it from being started, where the system says so at once
 */
export function startWorkerProcess(
  { program, user, compiledCode }: WorkerStart,
  { onEnd, onFlood }: { onEnd: (message: string, code?: string) => void; onFlood: () => void },
): WorkerProcess {
  const child = spawn(process.execPath, [program], {
    env: workerEnvironment(compiledCode),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    ...user,
  });
  const exited = once(child, 'exit').catch(() => undefined);
  child.once('error', (error: NodeJS.ErrnoException) => onEnd(error.message, error.code));
  child.once('exit', (code, signal) => onEnd(`the worker ended (${signal ?? `exit code ${code}`})`));
  return {
    pid: child.pid,
    // There are no pipes at all when the system has no files left.
    pipe: (child.stdio as typeof child.stdio | undefined)?.[channelFile] as Duplex | undefined,
    exited,
    errorText: keepErrorText(child, onFlood),
    kill: () => void child.kill('SIGKILL'),
  };
}
