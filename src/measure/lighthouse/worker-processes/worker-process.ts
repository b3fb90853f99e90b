import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import type { Duplex } from 'node:stream';
import type { Seen } from '../../../contract/access/seen.ts';
import { channelFile } from '../messages.ts';

/** Failure of a worker, as plain data from another process. */
export class WorkerFailure extends Error {
  readonly during: 'start' | 'launch' | 'audit';
  readonly code: string | undefined;
  /** URL of the document that failed, if the failure concerns one. */
  readonly url: string | undefined;
  readonly #seen: Seen | undefined;

  constructor(during: WorkerFailure['during'], message: string, code?: string, url?: string, seen?: Seen) {
    super(message);
    this.url = url;
    this.#seen = seen;
    this.name = 'WorkerFailure';
    this.during = during;
    this.code = code;
  }

  /** The page as the browser showed it, if it needs a login. No log lists it. */
  get seen(): Seen | undefined {
    return this.#seen;
  }
}

export type User = { uid: number; gid: number };

export type WorkerStart = {
  /** Program that Node runs. */
  program: string;
  user: User | undefined;
  /** Folder with the compiled code of the program. */
  compiledCode: string | undefined;
};

const maxErrorText = 4_000;
/** Max size of a worker's standard error, which is usually empty. */
const maxErrorBytes = 1024 * 1024;

/** Returns only the necessary environment variables, because the service's contain keys. */
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
 * Starts a Node program in a process of its own, with a pipe to it.
 * @param onEnd called once with the reason: the process could not start, or has ended
 * @param onFlood called if it writes too much to its standard error
 * @throws an error that the system reports immediately
 */
export function startWorkerProcess(
  { program, user, compiledCode }: WorkerStart,
  { onEnd, onFlood }: { onEnd: (message: string, code?: string) => void; onFlood: () => void },
) {
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
    // All pipes are missing if the system has too many open files.
    /** Pipe for orders and replies; undefined if the system has too many open files. */
    pipe: (child.stdio as typeof child.stdio | undefined)?.[channelFile] as Duplex | undefined,
    /** Settles when the process has ended, or could not start. */
    exited,
    /** Returns the end of its standard error. */
    errorText: keepErrorText(child, onFlood),
    kill: (): void => void child.kill('SIGKILL'),
  };
}
export type WorkerProcess = ReturnType<typeof startWorkerProcess>;
