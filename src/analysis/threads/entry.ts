/** The tasks as the thread offers them: bytes that it made go over to the thread that asked, and are not copied. */
import Tinypool from 'tinypool';
import * as tasks from './tasks.ts';

export * from './tasks.ts';

/** What `threads.ts` gets as `value`, with `bytes` as a part of it that this thread loses. Small ones are of a pool, and copied. */
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

export function readWireAnswer(order: Parameters<typeof tasks.readWireAnswer>[0]) {
  const read = tasks.readWireAnswer(order);
  return 'failure' in read ? read : handOver(read, read.lighthouseResult);
}
