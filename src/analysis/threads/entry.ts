/** Exports the tasks for the thread pool. Result bytes are transferred to the calling thread instead of copied. */
import Tinypool from 'tinypool';
import * as tasks from './tasks.ts';

export * from './tasks.ts';

/**
 * Wraps a result for transfer: `threads.ts` receives it as `value`, and this thread loses `bytes`. Small buffers belong
 * to a pool and are copied.
 */
const handOver = <T>(value: T, bytes: Uint8Array): T => {
  if (bytes.byteLength !== bytes.buffer.byteLength) return value;
  return Tinypool.move({
    get [Tinypool.transferableSymbol]() {
      return bytes.buffer;
    },
    get [Tinypool.valueSymbol]() {
      return value;
    },
  } as never) as T;
};

export function drawReport(order: Parameters<typeof tasks.drawReport>[0]) {
  const drawn = tasks.drawReport(order);
  return drawn && handOver(drawn, drawn.html);
}

export function readWireAnswer(order: Parameters<typeof tasks.readWireAnswer>[0]) {
  const read = tasks.readWireAnswer(order);
  return 'failure' in read ? read : handOver(read, read.lighthouseResult);
}
