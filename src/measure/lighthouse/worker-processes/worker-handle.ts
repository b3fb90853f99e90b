import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunFacts } from '../../../contract/stored/run-facts.ts';
import { type Allowance, type PipeWire, toPipeWire } from '../../pipe-wire.ts';
import { openPort, type Port, type PortMessage } from '../../port.ts';
import type { AuditLimits } from '../audit-limits.ts';
import type { OnStage, WorkerCaller, WorkerOrder } from '../messages.ts';
import { type AskedPhase, readMessage, type WorkerSide } from '../replies.ts';
import { createWorkerBrowsers, type NoteProcess, type WorkerBrowsers } from './worker-browsers.ts';
import { startWorkerProcess, WorkerFailure, type WorkerProcess, type WorkerStart } from './worker-process.ts';

/** Result of an order. */
export type WorkerResult = { bytes: Buffer } & RunFacts;

/** Callbacks during an order. */
export type OrderHooks = {
  onStage?: OnStage | undefined;
  /** Called when a rest starts or ends: the load waits for the network or the page is quiet, and needs no CPU. */
  onRest?: ((change: WorkerSide['notices']['rest']) => void) | undefined;
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

const nothing = Buffer.alloc(0);

/** Messages that a worker may send in each phase. Results of heavy pages take several megabytes. */
const phases = {
  starting: { may: ['ready'], allowance: { bytes: 1_000, messages: 1 } },
  resting: { may: [], allowance: { bytes: 0, messages: 0 } },
  working: {
    may: ['browser', 'login', 'spare', 'ask', 'stage', 'rest', 'pulse', 'answer', 'failure'],
    allowance: { bytes: 64 * 2 ** 20, messages: 1_000 },
  },
  answered: { may: ['spare', 'idle'], allowance: undefined },
} as const satisfies Record<string, { may: readonly string[]; allowance: Allowance | undefined }>;

const toKind = (message: PortMessage): string => {
  if ('notice' in message) return message.notice;
  if ('call' in message) return message.name;
  return 'answer' in message ? 'answer' : 'failure';
};

/**
 * The service's side of one worker process, which carries out one order at a time. A worker that failed to start, was
 * killed, ended or broke a rule is never used again: `isUsable` remains false.
 */
export class WorkerHandle {
  readonly #settings: WorkerSettings;
  readonly #process: WorkerProcess;
  readonly #wire: PipeWire | undefined;
  readonly #port: Port<WorkerCaller> | undefined;
  readonly #browsers: WorkerBrowsers;
  readonly #ready = Promise.withResolvers<void>();
  #phase: keyof typeof phases = 'starting';
  #isSilent = false;
  #isUsable = true;
  #hooks: OrderHooks = {};
  /** Settles when the last order's browser, or the whole worker, has ended. */
  #idle = Promise.withResolvers<void>();
  orders = 0;

  private constructor(settings: WorkerSettings) {
    this.#settings = settings;
    this.#ready.promise.catch(() => {});
    this.#process = startWorkerProcess(settings, {
      onEnd: (message, code) => this.#end(message, code),
      onFlood: () => this.#breakOff('it wrote too much to stderr'),
    });
    const { pid, pipe, exited } = this.#process;
    if (pid) void exited.then(settings.noteProcess(pid));
    void exited.then(() => this.#idle.resolve());
    this.#browsers = createWorkerBrowsers(pid, settings, browser =>
      this.#breakOff(`it called process ${browser} its browser`),
    );
    this.#wire =
      pipe &&
      toPipeWire(pipe, {
        read: readMessage,
        admit: message => this.#admit(message),
        onBreach: what => this.#breakOff(what),
        // The process exits at about the same time, and its exit explains more.
        onClose: () => void this.kill(),
      });
    this.#port = this.#wire && this.#openPort(this.#wire);
    this.#enter('starting');
  }

  #openPort(wire: PipeWire): Port<WorkerCaller> {
    return openPort<WorkerCaller, WorkerSide>(wire, {
      onNotice: {
        ready: () => {
          this.#enter('resting');
          this.#ready.resolve();
        },
        browser: ({ pid }) => this.#browsers.started(pid),
        login: ({ pid }) => this.#browsers.loginStarted(pid),
        spare: ({ pid }) => this.#browsers.spareStarted(pid),
        stage: ({ stage }) => this.#hooks.onStage?.(stage),
        rest: change => this.#hooks.onRest?.(change),
        pulse: ({ isSilent }) => {
          this.#isSilent = isSilent;
        },
        idle: () => {
          this.#enter('resting');
          this.#browsers.ended();
          this.#idle.resolve();
        },
      },
      onCall: {
        ask: async ({ phase }) => {
          await this.#hooks.onAsk?.(phase);
          return { data: null };
        },
      },
      toFailure: () => null,
      fromFailure: ({ during, message, code, url, seen }) => new WorkerFailure(during, message, code, url, seen),
    });
  }

  /** @throws WorkerFailure `start` if the process cannot run or import its modules; the signal's reason */
  static async start(settings: WorkerSettings, signal: AbortSignal): Promise<WorkerHandle> {
    const { startMs } = settings.limits;
    const ends = AbortSignal.any([signal, AbortSignal.timeout(startMs)]);
    const handle = WorkerHandle.#create(settings);
    const onAbort = () => handle.#letGo(ends.reason);
    ends.addEventListener('abort', onAbort, { once: true });
    try {
      if (ends.aborted) onAbort();
      await handle.#ready.promise;
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

  /** Some failures are thrown immediately, such as root not being allowed to become another user. */
  static #create(settings: WorkerSettings): WorkerHandle {
    try {
      return new WorkerHandle(settings);
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      throw new WorkerFailure('start', message, code);
    }
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
  async run(order: WorkerOrder, signal: AbortSignal, hooks: OrderHooks = {}): Promise<WorkerResult> {
    this.orders += 1;
    this.#isSilent = false;
    const port = this.#port;
    const onAbort = () => void this.kill(signal.reason);
    if (signal.aborted) onAbort();
    signal.throwIfAborted();
    // A worker can end while it waits for an order.
    if (!this.#isUsable || !port) throw new WorkerFailure('audit', 'the audit worker has ended');
    this.#hooks = hooks;
    this.#idle = Promise.withResolvers();
    void this.#process.exited.then(() => this.#idle.resolve());
    signal.addEventListener('abort', onAbort, { once: true });
    this.#enter('working');
    try {
      const answered = port.call('carryOut', order);
      hooks.onPausable?.(isPaused => port.notify('pause', { isPaused }));
      const { data, bytes = nothing } = await answered;
      return { bytes, ...data };
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  whenIdle(): Promise<void> {
    return this.#idle.promise;
  }

  /**
   * Ends browser and worker, and waits until both have ended: first by closing the pipe, then by killing both.
   * @param reason error of the running order; if absent, how the process ends
   */
  async kill(reason?: unknown): Promise<void> {
    this.#isUsable = false;
    if (reason === undefined) this.#wire?.close();
    else this.#port?.close(reason);
    const { exited } = this.#process;
    await Promise.race([exited, delay(this.#settings.limits.politeMs, undefined, { ref: false })]);
    this.#killNow();
    await exited;
  }

  #enter(phase: keyof typeof phases): void {
    this.#phase = phase;
    const { allowance } = phases[phase];
    if (allowance) this.#wire?.allow(allowance);
  }

  /** @throws if the worker may not send this message now */
  #admit(message: PortMessage): void {
    const kind = toKind(message);
    const may: readonly string[] = phases[this.#phase].may;
    if (!may.includes(kind)) throw new Error(`it sent '${kind}' while ${this.#phase}`);
    if (kind !== 'answer' && kind !== 'failure') return;
    this.#enter('answered');
    const late = setTimeout(() => this.#breakOff('it did not end its browser'), this.#settings.limits.idleMs);
    void this.#idle.promise.then(() => clearTimeout(late));
  }

  /** Ends a worker that can no longer be trusted. */
  #breakOff(what: string): void {
    if (!this.#isUsable) return;
    this.#settings.log('a worker was killed', { worker: this.pid, reason: what });
    const message = 'the audit worker broke the protocol and was killed';
    this.#ready.reject(new WorkerFailure('start', message));
    this.#letGo(new WorkerFailure('audit', message));
  }

  #end(message: string, code?: string): void {
    this.#isUsable = false;
    this.#browsers.kill();
    this.#ready.reject(new WorkerFailure('start', `${message}\n${this.#process.errorText()}`.trim(), code));
    this.#port?.close(new WorkerFailure('audit', message, code));
  }

  /**
   * Kills the worker without closing the pipe first: it has no browser yet, or cannot be trusted to end its browser.
   */
  #letGo(reason: unknown): void {
    this.#isUsable = false;
    this.#port?.close(reason);
    this.#killNow();
  }

  #killNow(): void {
    this.#browsers.kill();
    this.#process.kill();
  }
}
