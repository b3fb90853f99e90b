/**
 * Runs egress proxies in their own thread, so that traffic of pages does not delay other requests. This is the
 * service's side.
 */
import { extname } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { AnalysisError, fromPlainError } from '../../contract/errors.ts';
import type { Targets } from '../targets/policy.ts';
import { DialError } from './dial.ts';
import type { Departure, EgressFacts } from './egress-proxy.ts';
import type { RefusalNote } from './refusals.ts';
import type { GateOrder, GateReply, NewGate, ThreadSettings } from './thread/messages.ts';

/** The parts of `Egress` (egress-proxy.ts) that work from another thread. */
type DistantEgress = {
  readonly exhausted: AbortSignal;
  /**
   * Returns facts of the audit. It still works after the gate was closed, until `close` is called here. @throws
   * AnalysisError `lighthouse_unavailable`
   */
  about(url: string): Promise<EgressFacts>;
  close(): void;
};

export type DistantGate = {
  readonly proxyUrl: string;
  /** @throws the errors of `Gate` in egress-proxy.ts; AnalysisError `lighthouse_unavailable` if the thread has ended */
  open(departure: Departure): Promise<DistantEgress>;
  /** False once the thread has ended, or the connection to the gate was closed. */
  readonly isUsable: boolean;
  close(): void;
};

export type GateThreadSettings = {
  targets: Targets;
  /** Returns the port of this service. */
  ownPort: () => number;
  /** Whether clients may be on other machines, so that facts about private hosts must be hidden from them. */
  hidesInside: boolean;
  /** Called with the true reason for every refusal, for the log. */
  note: (refusal: RefusalNote) => void;
};

export type GateThread = {
  /** Opens a gate, and starts the thread if necessary. @throws AnalysisError `lighthouse_unavailable` */
  openGate(): Promise<DistantGate>;
  close(): Promise<void>;
};

/** File of the thread, with the extension of this module: TypeScript in the checkout, JavaScript in the package. */
const threadFile = new URL(`./thread/thread${extname(import.meta.url)}`, import.meta.url);

const toEnded = (cause?: unknown) =>
  new AnalysisError('lighthouse_unavailable', 'The egress proxy of the audit stopped. Retry.', { cause });

const toError = ({ message, reason }: Extract<GateReply, { type: 'failed' }>): Error =>
  reason ? new DialError(reason, message) : new Error(message);

/** Connects to one gate. @param ended aborts when the thread ends, with the error to report */
async function connectGate(
  port: MessagePort,
  { ownPort, note }: Pick<GateThreadSettings, 'ownPort' | 'note'>,
  ended: AbortSignal,
): Promise<DistantGate> {
  const send = (order: GateOrder) => port.postMessage(order);
  const exhausted = new AbortController();
  const questions = new Map<number, (facts: EgressFacts) => void>();
  let asked = 0;
  /** The pending step: listening or opening. */
  let step = Promise.withResolvers<string>();

  const onReply: { [T in GateReply['type']]: (reply: Extract<GateReply, { type: T }>) => void } = {
    listening: ({ proxyUrl }) => step.resolve(proxyUrl),
    opened: () => step.resolve(''),
    failed: reply => step.reject(toError(reply)),
    answer: ({ question, facts }) => questions.get(question)?.(facts),
    exhausted: ({ error }) => exhausted.abort(fromPlainError(error)),
    refused: ({ refusal }) => note(refusal),
  };
  port.on('message', (reply: GateReply) => (onReply[reply.type] as (reply: GateReply) => void)(reply));

  const closed = new AbortController();
  const over = AbortSignal.any([ended, closed.signal]);
  /** @throws if the thread has ended or the gate was closed */
  async function unlessOver<T>(work: Promise<T>): Promise<T> {
    over.throwIfAborted();
    const { promise, reject } = Promise.withResolvers<never>();
    const onOver = () => reject(over.reason);
    over.addEventListener('abort', onOver, { once: true });
    return Promise.race([work, promise]).finally(() => over.removeEventListener('abort', onOver));
  }

  const ask = (url: string): Promise<EgressFacts> => {
    const { promise, resolve } = Promise.withResolvers<EgressFacts>();
    asked += 1;
    const question = asked;
    questions.set(question, resolve);
    send({ type: 'ask', question, url });
    return unlessOver(promise).finally(() => questions.delete(question));
  };

  const close = () => {
    closed.abort(toEnded());
    port.close();
  };
  let isOpen = false;
  const proxyUrl = await unlessOver(step.promise).catch(error => {
    close();
    throw error;
  });

  return {
    proxyUrl,
    get isUsable() {
      return !over.aborted;
    },
    // An open gate still answers after `close`, because an audit then asks why it failed.
    close: () => (isOpen ? send({ type: 'close' }) : close()),
    async open({ startUrl, signal }) {
      signal.throwIfAborted();
      step = Promise.withResolvers();
      const onAbort = () => send({ type: 'cancel' });
      signal.addEventListener('abort', onAbort, { once: true });
      send({ type: 'open', startUrl, ownPort: ownPort() });
      try {
        await unlessOver(step.promise);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
      isOpen = true;
      return { exhausted: AbortSignal.any([exhausted.signal, ended]), about: ask, close };
    },
  };
}

type Running = { worker: Worker; ended: AbortSignal };

export function createGateThread({ targets, hidesInside, ...settings }: GateThreadSettings): GateThread {
  let running: Running | undefined;

  function start(): Running {
    const workerData: ThreadSettings = { targets, hidesInside };
    const worker = new Worker(threadFile, { workerData, name: 'egress' });
    const end = new AbortController();
    const onEnd = (cause?: unknown) => {
      if (running?.worker === worker) running = undefined;
      end.abort(toEnded(cause));
    };
    worker.once('error', onEnd).once('exit', () => onEnd());
    // The thread must not keep the process alive if the service was not closed.
    worker.unref();
    return { worker, ended: end.signal };
  }

  return {
    async openGate() {
      running ??= start();
      const { worker, ended } = running;
      const { port1, port2 } = new MessageChannel();
      const order: NewGate = { port: port2 };
      worker.postMessage(order, [port2]);
      return connectGate(port1, settings, ended);
    },
    async close() {
      await running?.worker.terminate();
    },
  };
}
