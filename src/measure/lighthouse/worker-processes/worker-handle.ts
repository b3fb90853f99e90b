import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AuditLimits } from '../audit-limits.ts';
import type { AskedPhase, OnStage, RunFacts, WorkerOrder, WorkerReply } from '../messages.ts';
import { createWorkerBrowsers, type NoteProcess, type WorkerBrowsers } from './worker-browsers.ts';
import { type Allowance, type Channel, openChannel } from './worker-channel.ts';
import { startWorkerProcess, WorkerFailure, type WorkerProcess, type WorkerStart } from './worker-process.ts';

/** Result of an order. */
export type WorkerResult = { bytes: Buffer } & RunFacts;

/** Callbacks during an order. */
export type OrderHooks = {
  onStage?: OnStage | undefined;
  /** Called when the load starts or stops waiting for the network. While it waits, it needs no CPU. */
  onRest?: ((isAtRest: boolean) => void) | undefined;
  /** Resolves when the phase may start. A rejection has no effect, because the order's signal ends the order. */
  onAsk?: ((phase: AskedPhase) => Promise<void>) | undefined;
  /** Called at the start, with a function that pauses and resumes the browser. */
  onPausable?: ((pause: (isPaused: boolean) => void) => void) | undefined;
};

/**
 * Program of a worker, with the file extension of this module: TypeScript in the checkout, JavaScript in the package.
 */
export const workerProgram = fileURLToPath(new URL(`../worker/worker${extname(import.meta.url)}`, import.meta.url));

export type WorkerSettings = WorkerStart & {
  noteProcess: NoteProcess;
  onBrowserStart?: (() => void) | undefined;
  limits: Pick<AuditLimits, 'startMs' | 'idleMs' | 'politeMs'>;
  log: (event: string, facts: Record<string, unknown>) => void;
};

/** Replies that a worker may send in each phase. Results of heavy pages take several megabytes. */
const phases = {
  starting: { may: ['ready'], allowance: { bytes: 1_000, replies: 1 } },
  resting: { may: [], allowance: { bytes: 0, replies: 0 } },
  working: {
    may: ['browser', 'spare', 'ask', 'stage', 'rest', 'pulse', 'result', 'failed'],
    allowance: { bytes: 64 * 2 ** 20, replies: 1_000 },
  },
  answered: { may: ['spare', 'idle'], allowance: undefined },
} as const satisfies Record<string, { may: readonly WorkerReply['type'][]; allowance: Allowance | undefined }>;

/**
 * The service's side of one worker process, which carries out one order at a time. A worker that failed to start, was
 * killed, ended or broke a rule is never used again: `isUsable` remains false.
 */
export class WorkerHandle {
  readonly #settings: WorkerSettings;
  readonly #process: WorkerProcess;
  readonly #channel: Channel | undefined;
  readonly #browsers: WorkerBrowsers;
  #phase: keyof typeof phases = 'starting';
  #isSilent = false;
  #isUsable = true;
  #onReply: ((reply: WorkerReply, bytes: Buffer) => void) | undefined;
  #onEnd: ((failure: WorkerFailure) => void) | undefined;
  /** Settles when the last order's browser, or the whole worker, has ended. */
  #idle = Promise.resolve();
  orders = 0;

  private constructor(settings: WorkerSettings) {
    this.#settings = settings;
    this.#process = startWorkerProcess(settings, {
      onEnd: (message, code) => this.#end(message, code),
      onFlood: () => this.#breakOff('it wrote too much to stderr'),
    });
    const { pid, pipe, exited } = this.#process;
    if (pid) void exited.then(settings.noteProcess(pid));
    this.#browsers = createWorkerBrowsers(pid, settings, browser =>
      this.#breakOff(`it called process ${browser} its browser`),
    );
    this.#channel =
      pipe &&
      openChannel(pipe, {
        onReply: (reply, bytes) => this.#hear(reply, bytes),
        onBreach: what => this.#breakOff(what),
        // The process exits at about the same time, and its exit explains more.
        onClose: () => void this.kill(),
      });
    this.#enter('starting');
  }

  /** @throws WorkerFailure `start` if the process cannot run or import its modules; the signal's reason */
  static async start(settings: WorkerSettings, signal: AbortSignal): Promise<WorkerHandle> {
    const { startMs } = settings.limits;
    const ends = AbortSignal.any([signal, AbortSignal.timeout(startMs)]);
    const handle = WorkerHandle.#create(settings);
    const onAbort = () => handle.#letGo();
    ends.addEventListener('abort', onAbort, { once: true });
    try {
      if (ends.aborted) onAbort();
      await handle.#heardReady();
      return handle;
    } catch (error) {
      signal.throwIfAborted();
      if (ends.aborted)
        throw new WorkerFailure('start', `the worker was not ready within ${startMs / 1000} s`, 'ETIMEDOUT');
      throw error;
    } finally {
      ends.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Starts the process. Some failures are thrown immediately, such as root not being allowed to become another user.
   */
  static #create(settings: WorkerSettings): WorkerHandle {
    try {
      return new WorkerHandle(settings);
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      throw new WorkerFailure('start', message, code);
    }
  }

  #heardReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onReply = () => {
        this.#enter('resting');
        resolve();
      };
      this.#onEnd = ({ message, code }) =>
        reject(new WorkerFailure('start', `${message}\n${this.#process.errorText()}`.trim(), code));
    });
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Whether a spare browser waits for the next order. */
  get hasSpare(): boolean {
    return this.#browsers.hasSpare;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Whether the page of the running order has not answered for several seconds. */
  get isPageSilent(): boolean {
    return this.#isSilent;
  }

  /**
   * Carries out one order and returns the worker's result: JSON text, with facts about the run. An abort kills the
   * worker and its browser.
   * @throws WorkerFailure; the signal's reason
   */
  run(
    order: WorkerOrder,
    signal: AbortSignal,
    { onStage, onRest, onAsk, onPausable }: OrderHooks = {},
  ): Promise<WorkerResult> {
    this.orders += 1;
    this.#isSilent = false;
    const idle = Promise.withResolvers<void>();
    this.#idle = idle.promise;
    void this.#process.exited.then(() => idle.resolve());
    return new Promise<WorkerResult>((resolve, reject) => {
      const onAbort = () => {
        reject(signal.reason);
        void this.kill();
      };
      const settle = (conclude: () => void) => {
        signal.removeEventListener('abort', onAbort);
        conclude();
      };
      const answer = (conclude: () => void) => {
        settle(conclude);
        this.#enter('answered');
        const late = setTimeout(() => this.#breakOff('it did not end its browser'), this.#settings.limits.idleMs);
        void this.#idle.then(() => clearTimeout(late));
      };
      this.#onEnd = failure => settle(() => reject(failure));
      const answers: { [T in WorkerReply['type']]: (reply: Extract<WorkerReply, { type: T }>, bytes: Buffer) => void } =
        {
          ready: () => {},
          browser: ({ pid }) => this.#browsers.started(pid),
          spare: ({ pid }) => this.#browsers.spareStarted(pid),
          ask: ({ phase }) => void this.#permit(phase, onAsk),
          stage: ({ stage }) => onStage?.(stage),
          rest: ({ isAtRest }) => onRest?.(isAtRest),
          pulse: ({ isSilent }) => {
            this.#isSilent = isSilent;
          },
          result: ({ type: _, bytes: __, ...facts }, bytes) => answer(() => resolve({ bytes, ...facts })),
          failed: ({ during, message, code, url }) =>
            answer(() => reject(new WorkerFailure(during, message, code, url))),
          idle: () => {
            this.#enter('resting');
            this.#browsers.ended();
            idle.resolve();
          },
        };
      this.#onReply = (reply, bytes) =>
        (answers[reply.type] as (reply: WorkerReply, bytes: Buffer) => void)(reply, bytes);
      if (signal.aborted) return onAbort();
      // A worker can end while it waits for an order.
      if (!this.#isUsable) return reject(new WorkerFailure('audit', 'the audit worker has ended'));
      signal.addEventListener('abort', onAbort, { once: true });
      this.#enter('working');
      this.#channel?.send(order);
      onPausable?.(isPaused => this.#channel?.send({ pause: isPaused }));
    });
  }

  whenIdle(): Promise<void> {
    return this.#idle;
  }

  async #permit(phase: AskedPhase, onAsk: OrderHooks['onAsk']): Promise<void> {
    try {
      await onAsk?.(phase);
    } catch {
      return;
    }
    this.#channel?.send({ begin: phase });
  }

  /** Ends browser and worker, and waits until both have ended: first by closing the pipe, then by killing both. */
  async kill(): Promise<void> {
    this.#isUsable = false;
    this.#channel?.close();
    const { exited } = this.#process;
    await Promise.race([exited, delay(this.#settings.limits.politeMs, undefined, { ref: false })]);
    this.#killNow();
    await exited;
  }

  #enter(phase: keyof typeof phases): void {
    this.#phase = phase;
    const { allowance } = phases[phase];
    if (allowance) this.#channel?.allow(allowance);
  }

  #hear(reply: WorkerReply, bytes: Buffer): void {
    const may: readonly WorkerReply['type'][] = phases[this.#phase].may;
    if (may.includes(reply.type)) this.#onReply?.(reply, bytes);
    else this.#breakOff(`it sent '${reply.type}' while ${this.#phase}`);
  }

  /** Ends a worker that can no longer be trusted. */
  #breakOff(what: string): void {
    if (!this.#isUsable) return;
    this.#settings.log('a worker was killed', { worker: this.pid, reason: what });
    this.#letGo();
    this.#onEnd?.(new WorkerFailure('audit', 'the audit worker broke the protocol and was killed'));
  }

  #end(message: string, code?: string): void {
    this.#isUsable = false;
    this.#browsers.kill();
    this.#onEnd?.(new WorkerFailure('audit', message, code));
  }

  /**
   * Kills the worker without closing the pipe first: it has no browser yet, or cannot be trusted to end its browser.
   */
  #letGo(): void {
    this.#isUsable = false;
    this.#channel?.close();
    this.#killNow();
  }

  #killNow(): void {
    this.#browsers.kill();
    this.#process.kill();
  }
}
