/** The service's end of the pipe to a worker: sends orders, and receives a limited number of replies. */
import type { Duplex } from 'node:stream';
import { createLines, type Pause, type Permission, toLine, type WorkerOrder, type WorkerReply } from '../messages.ts';
import { readReply } from './reply-schema.ts';

const nothing = Buffer.alloc(0);

/** Max number of bytes and replies that a worker may send until the next allowance. */
export type Allowance = { bytes: number; replies: number };

export type Channel = {
  send(order: WorkerOrder | Permission | Pause): void;
  /** Replaces the allowance. */
  allow(allowance: Allowance): void;
  /** Closes the pipe. The worker then ends its browser and itself. No further replies are read. */
  close(): void;
};

/**
 * @param pipe the worker's `channelFile`
 * @param onReply called with each reply, and with the bytes of a result
 * @param onBreach called once if the worker broke a rule; the channel is closed then
 * @param onClose called when the worker has closed its end
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
  // Writing to a worker that has ended fails. Its exit is reported elsewhere.
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
