/** The service's end of the pipe to a worker: orders go out, replies come in, and no more of them than is allowed. */
import type { Duplex } from 'node:stream';
import { createLines, type Permission, toLine, type WorkerOrder, type WorkerReply } from '../messages.ts';
import { readReply } from './reply-schema.ts';

const nothing = Buffer.alloc(0);

/** What a worker may send until it is allowed more. */
export type Allowance = { bytes: number; replies: number };

export type Channel = {
  send(order: WorkerOrder | Permission): void;
  /** In place of what was allowed before. */
  allow(allowance: Allowance): void;
  /** Lets go of the worker, which then ends its browser and itself. Nothing is heard of it any more. */
  close(): void;
};

/**
 * @param pipe the worker's `channelFile`
 * @param onReply told each reply, a result with its bytes
 * @param onBreach told once what the worker sent that it may not; the channel is closed then
 * @param onClose told when the worker has closed its end
 */
export function openChannel(
  pipe: Duplex,
  {
    onReply,
    onBreach,
    onClose,
  }: { onReply: (reply: WorkerReply, bytes: Buffer) => void; onBreach: (what: string) => void; onClose: () => void },
): Channel {
  let left: Allowance = { bytes: 0, replies: 0 };
  let isOpen = true;

  const close = () => {
    isOpen = false;
    pipe.destroy();
  };
  const breakOff = (what: string) => {
    if (!isOpen) return;
    close();
    onBreach(what);
  };
  const readLine = (line: string): WorkerReply | undefined => {
    try {
      return readReply(line);
    } catch {
      breakOff(`it sent an invalid reply: ${JSON.stringify(line.slice(0, 100))}`);
      return undefined;
    }
  };
  let result: WorkerReply | undefined;
  const takeReply = (line: string): number | undefined => {
    if (!isOpen) return undefined;
    left.replies -= 1;
    if (left.replies < 0) breakOff('it sent a reply when none was due');
    const reply = isOpen ? readLine(line) : undefined;
    if (reply?.type === 'result') {
      result = reply;
      return reply.bytes;
    }
    if (reply) onReply(reply, nothing);
    return undefined;
  };
  const takePiece = createLines(takeReply, bytes => {
    if (isOpen && result) onReply(result, bytes);
  });

  pipe.on('data', (chunk: Buffer) => {
    left.bytes -= chunk.length;
    if (left.bytes < 0) breakOff('it sent more than the limit');
    else if (isOpen) takePiece(chunk);
  });
  // What is written to a worker that is gone fails; its end is heard of elsewhere.
  pipe.on('error', () => {});
  pipe.on('close', () => {
    if (isOpen) onClose();
  });

  return {
    send: order => void pipe.write(toLine(order)),
    allow(allowance) {
      left = { ...allowance };
    },
    close,
  };
}
