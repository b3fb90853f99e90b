import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { WorkerOrder, WorkerReply } from './messages.ts';
import type { OnStage } from './stages.ts';

export type User = { uid: number; gid: number };

/** Remembers a process for whoever comes after us; the returned function forgets it. */
export type NoteProcess = (pid: number) => () => void;

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

/** In the form we are in ourselves: TypeScript in the checkout, JavaScript in the package. */
const workerPath = fileURLToPath(new URL(`./worker${extname(import.meta.url)}`, import.meta.url));

/** Imports take about a second; a worker that is not ready by then will not be. */
const startDeadlineMs = 60_000;
const maxErrorText = 4000;
/** What a worker gets to end its browser and itself before both are ended by force. */
const politeMs = 2_000;

/** A short list, never the whole of ours: keys stay in the service. */
const workerEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  LANG: process.env.LANG ?? 'en_US.UTF-8',
  HOME: tmpdir(),
  TMPDIR: tmpdir(),
});

/**
 * The parent's side of one worker process. It carries out one order at a time. A worker that failed to start, was
 * killed or ended is never used again: `isUsable` turns false for good.
 */
export class WorkerHandle {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #noteProcess: NoteProcess;
  #errorText = '';
  #browser: { pid: number; forget: () => void } | undefined;
  #isSilent = false;
  #isUsable = true;
  #onReply: ((reply: WorkerReply) => void) | undefined;
  #onEnd: ((failure: WorkerFailure) => void) | undefined;
  /** Settles when the last order's browser is gone, or the whole worker is. */
  #idle = Promise.resolve();
  orders = 0;

  private constructor(user: User | undefined, noteProcess: NoteProcess) {
    this.#noteProcess = noteProcess;
    this.#child = fork(workerPath, [], {
      env: workerEnvironment(),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      ...user,
    });
    this.#exited = Promise.race([once(this.#child, 'exit'), once(this.#child, 'error')]).catch(() => undefined);
    if (this.#child.pid) void this.#exited.then(noteProcess(this.#child.pid));
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#errorText = (this.#errorText + chunk.toString()).slice(-maxErrorText);
    });
    this.#child.on('message', (reply: WorkerReply) => this.#hear(reply));
    this.#child.on('error', error => this.#end(error.message));
    this.#child.on('exit', (code, signal) => this.#end(`the worker ended (${signal ?? `exit code ${code}`})`));
  }

  /** @throws WorkerFailure `start` when the process cannot run or import what it needs */
  static async start(user: User | undefined, noteProcess: NoteProcess): Promise<WorkerHandle> {
    const handle = new WorkerHandle(user, noteProcess);
    const late = setTimeout(() => void handle.kill(), startDeadlineMs);
    try {
      await handle.#heardReady();
      return handle;
    } finally {
      clearTimeout(late);
    }
  }

  #heardReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onReply = reply => reply.type === 'ready' && resolve();
      this.#onEnd = failure => reject(new WorkerFailure('start', `${failure.message}\n${this.#errorText}`.trim()));
    });
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether the page of the running order has not answered for some seconds. */
  get isPageSilent(): boolean {
    return this.#isSilent;
  }

  /**
   * Carries out one order and gives the Lighthouse result as JSON text. An abort kills the worker and its browser:
   * it never only stops waiting.
   * @throws WorkerFailure; the signal's reason when it was aborted
   */
  run(order: WorkerOrder, signal: AbortSignal, onStage: OnStage = () => {}): Promise<string> {
    this.orders += 1;
    this.#isSilent = false;
    const idle = Promise.withResolvers<void>();
    this.#idle = idle.promise;
    void this.#exited.then(() => idle.resolve());
    return new Promise<string>((resolve, reject) => {
      const onAbort = () => {
        reject(signal.reason);
        void this.kill();
      };
      const settle = (conclude: () => void) => {
        signal.removeEventListener('abort', onAbort);
        conclude();
      };
      this.#onEnd = failure => settle(() => reject(failure));
      const answers: { [T in WorkerReply['type']]: (reply: Extract<WorkerReply, { type: T }>) => void } = {
        ready: () => {},
        browser: ({ pid }) => {
          this.#browser = { pid, forget: this.#noteProcess(pid) };
        },
        stage: ({ stage }) => onStage(stage),
        pulse: ({ isSilent }) => {
          this.#isSilent = isSilent;
        },
        result: ({ lhr }) => settle(() => resolve(lhr)),
        failed: ({ during, message, code, url }) => settle(() => reject(new WorkerFailure(during, message, code, url))),
        idle: () => {
          this.#forgetBrowser();
          idle.resolve();
        },
      };
      this.#onReply = reply => (answers[reply.type] as (reply: WorkerReply) => void)(reply);
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#child.send(order, error => error && this.#end(error.message));
    });
  }

  whenIdle(): Promise<void> {
    return this.#idle;
  }

  /** Ends browser and worker and waits until both are gone: first by letting go of the worker, then by force. */
  async kill(): Promise<void> {
    this.#isUsable = false;
    if (this.#child.connected) this.#child.disconnect();
    await Promise.race([this.#exited, delay(politeMs, undefined, { ref: false })]);
    this.#killBrowser();
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #hear(reply: WorkerReply): void {
    this.#onReply?.(reply);
  }

  #end(message: string): void {
    this.#isUsable = false;
    this.#killBrowser();
    this.#onEnd?.(new WorkerFailure('audit', message));
  }

  #killBrowser(): void {
    if (this.#browser) killGroup(this.#browser.pid);
    this.#forgetBrowser();
  }

  #forgetBrowser(): void {
    this.#browser?.forget();
    this.#browser = undefined;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
