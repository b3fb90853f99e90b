/**
 * One typed port between this process and its threads and processes. Each end calls the other, which answers with a
 * value or a failure, and sends notices, which have no answer. An aborted call is cancelled at the other end.
 */
import type { MessagePort } from 'node:worker_threads';

/** Messages of one end: its calls with their answers, its notices, and the failures of calls to it. */
export type PortSide = {
  readonly calls: Readonly<Record<string, { readonly order: unknown; readonly answer: unknown }>>;
  readonly notices: Readonly<Record<string, unknown>>;
  /** Failure of a call that the other end made. */
  readonly failure: unknown;
};

/** A message on its way. The bytes of an answer follow it. */
export type PortMessage =
  | { readonly notice: string; readonly data: unknown }
  | { readonly call: number; readonly name: string; readonly data: unknown }
  | { readonly answer: number; readonly data: unknown; readonly bytes?: number }
  | { readonly failure: number; readonly data: unknown }
  | { readonly cancel: number };

/** An answer and its bytes. */
export type PortAnswer<T> = { readonly data: T; readonly bytes?: Buffer | undefined };

/** Carries messages between two ends. */
export type Wire = {
  send(message: PortMessage, bytes?: Buffer): void;
  /** @param onMessage throws if the message answers no call */
  listen(onMessage: (message: PortMessage, bytes: Buffer) => void): void;
  close(): void;
};

type NameIn<T> = keyof T & string;

export type PortOptions<Ours extends PortSide, Theirs extends PortSide> = {
  onNotice: { readonly [N in NameIn<Theirs['notices']>]: (data: Theirs['notices'][N]) => void };
  onCall: {
    readonly [N in NameIn<Theirs['calls']>]: (
      order: Theirs['calls'][N]['order'],
      signal: AbortSignal,
    ) => Promise<PortAnswer<Theirs['calls'][N]['answer']>>;
  };
  /** Converts an error of `onCall` to plain data, and a failure of the other end to an error. */
  toFailure: (error: unknown) => Ours['failure'];
  fromFailure: (failure: Theirs['failure']) => Error;
};

export type Port<Ours extends PortSide> = {
  /**
   * An abort of the signal tells the other end to cancel the call, which it then answers at once.
   * @throws an error of `fromFailure`; the signal's reason; the reason of `close`
   */
  call<N extends NameIn<Ours['calls']>>(
    name: N,
    order: Ours['calls'][N]['order'],
    signal?: AbortSignal,
  ): Promise<PortAnswer<Ours['calls'][N]['answer']>>;
  notify<N extends NameIn<Ours['notices']>>(name: N, data: Ours['notices'][N]): void;
  /** Ends the port. Open and later calls fail with this reason. */
  close(reason: unknown): void;
};

const nothing = Buffer.alloc(0);

export function openPort<Ours extends PortSide, Theirs extends PortSide>(
  wire: Wire,
  { onNotice, onCall, toFailure, fromFailure }: PortOptions<Ours, Theirs>,
): Port<Ours> {
  const open = new Map<number, PromiseWithResolvers<PortAnswer<never>>>();
  const running = new Map<number, AbortController>();
  let calls = 0;
  let closed: { reason: unknown } | undefined;

  async function carryOut(id: number, name: string, order: unknown): Promise<void> {
    const cancelling = new AbortController();
    running.set(id, cancelling);
    try {
      const { data, bytes } = await (onCall[name] as PortOptions<Ours, PortSide>['onCall'][string])(
        order,
        cancelling.signal,
      );
      wire.send({ answer: id, data, ...(bytes ? { bytes: bytes.length } : {}) }, bytes);
    } catch (error) {
      wire.send({ failure: id, data: toFailure(error) });
    } finally {
      running.delete(id);
    }
  }

  /** @throws if no such call is open */
  function take(id: number): PromiseWithResolvers<PortAnswer<never>> {
    const call = open.get(id);
    if (!call) throw new Error('it answered a call that is not open');
    open.delete(id);
    return call;
  }

  wire.listen((message, bytes) => {
    // The wire between threads delivers what was queued before it was closed.
    if (closed) return;
    if ('notice' in message) onNotice[message.notice]?.(message.data as never);
    else if ('call' in message) void carryOut(message.call, message.name, message.data);
    else if ('cancel' in message) running.get(message.cancel)?.abort();
    else if ('answer' in message) take(message.answer).resolve({ data: message.data as never, bytes });
    else take(message.failure).reject(fromFailure(message.data));
  });

  return {
    async call(name, order, signal) {
      signal?.throwIfAborted();
      if (closed) throw closed.reason;
      calls += 1;
      const id = calls;
      const ended = Promise.withResolvers<PortAnswer<never>>();
      open.set(id, ended);
      const onAbort = () => wire.send({ cancel: id });
      signal?.addEventListener('abort', onAbort, { once: true });
      wire.send({ call: id, name, data: order });
      try {
        return await ended.promise;
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      } finally {
        signal?.removeEventListener('abort', onAbort);
      }
    },
    notify: (notice, data) => wire.send({ notice, data }),
    close(reason) {
      closed = { reason };
      wire.close();
      for (const { reject } of open.values()) reject(reason);
      open.clear();
    },
  };
}

/** Connects two threads. */
export const toThreadWire = (port: MessagePort): Wire => ({
  send: message => port.postMessage(message),
  listen: onMessage => void port.on('message', (message: PortMessage) => onMessage(message, nothing)),
  close: () => port.close(),
});
