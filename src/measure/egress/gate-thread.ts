/**
 * Runs egress proxies in their own thread, so that traffic of pages does not delay other requests. This is the
 * service's side.
 */
import { extname } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { AnalysisError, fromPlainError } from '../../contract/errors.ts';
import { openPort, toThreadWire } from '../port.ts';
import type { Targets } from '../targets/policy.ts';
import { DialError } from './dial.ts';
import type { Gate } from './egress-proxy.ts';
import type { GateCaller, GateServer, GateSettings, NewGate } from './messages.ts';
import type { RefusalNote } from './reach.ts';

export type GateThreadSettings = {
  targets: Targets;
  /** Returns the port of this service. */
  ownPort: () => number;
  /** Whether clients may be on other machines, so that facts about private hosts must be hidden from them. */
  hidesInside: boolean;
  /** Called with the true reason for every refusal, for the log. */
  note: (refusal: RefusalNote) => void;
};

/** File of the thread, with the extension of this module: TypeScript in the checkout, JavaScript in the package. */
const threadFile = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);

const toEnded = (cause?: unknown) =>
  new AnalysisError('lighthouse_unavailable', 'The egress proxy of the audit stopped. Retry.', { cause });

const fromFailure = ({ message, reason }: GateServer['failure']): Error =>
  reason ? new DialError(reason, message) : new Error(message);

/** Connects to one gate. @param ended aborts when the thread ends, with the error to report */
async function connectGate(
  messages: MessagePort,
  { ownPort, note }: Pick<GateThreadSettings, 'ownPort' | 'note'>,
  ended: AbortSignal,
): Promise<Gate> {
  const exhausted = new AbortController();
  const port = openPort<GateCaller, GateServer>(toThreadWire(messages), {
    onNotice: { exhausted: error => exhausted.abort(fromPlainError(error)), refused: note },
    onCall: {},
    toFailure: () => null,
    fromFailure,
  });
  let isClosed = false;
  const close = (reason = toEnded()) => {
    isClosed = true;
    ended.removeEventListener('abort', onEnded);
    port.close(reason);
  };
  const onEnded = () => close(ended.reason);
  ended.addEventListener('abort', onEnded);
  if (ended.aborted) onEnded();
  let isOpen = false;
  const { data: proxyUrl } = await port.call('listen', null).catch(error => {
    close();
    throw error;
  });

  return {
    proxyUrl,
    get isUsable() {
      return !isClosed;
    },
    // An open gate still answers after `close`, because an audit then asks why it failed.
    close: () => (isOpen ? port.notify('close', null) : close()),
    async open({ signal, ...departure }) {
      await port.call('open', { ...departure, ownPort: ownPort() }, signal);
      isOpen = true;
      return {
        exhausted: AbortSignal.any([exhausted.signal, ended]),
        about: async url => (await port.call('about', { url })).data,
        close: () => close(),
      };
    },
  };
}

export function createGateThread({ targets, hidesInside, ...settings }: GateThreadSettings) {
  let running: { worker: Worker; ended: AbortSignal } | undefined;

  function start(): NonNullable<typeof running> {
    const workerData: GateSettings = { targets, hidesInside };
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
    /** Opens a gate, and starts the thread if necessary. @throws AnalysisError `lighthouse_unavailable` */
    async openGate(): Promise<Gate> {
      running ??= start();
      const { worker, ended } = running;
      const { port1, port2 } = new MessageChannel();
      const order: NewGate = { port: port2 };
      worker.postMessage(order, [port2]);
      return connectGate(port1, settings, ended);
    },
    async close(): Promise<void> {
      await running?.worker.terminate();
    },
  };
}
export type GateThread = ReturnType<typeof createGateThread>;
