/** Carries the messages of a port over a pipe to another process, which may send only so much. */
import type { Duplex } from 'node:stream';
import type { PortMessage, Wire } from './port.ts';

const nothing = Buffer.alloc(0);
const lineEnd = 0x0a;

/**
 * Assembles lines from received pieces, and the bytes that follow a line.
 * @param onLine returns how many bytes follow the line; undefined if another line follows
 */
function createLines(
  onLine: (line: string) => number | undefined,
  onBytes: (bytes: Buffer) => void,
): (chunk: Buffer) => void {
  /** Pieces of the current line. */
  let pieces: Buffer[] = [];
  /** Bytes that follow a line; undefined while a line is read. `arrived` is the number received so far. */
  let following: Buffer | undefined;
  let arrived = 0;

  const endBytes = () => {
    if (!following || arrived < following.length) return;
    const bytes = following;
    following = undefined;
    onBytes(bytes);
  };

  /** @returns the rest of the chunk, which belongs to the next line or bytes */
  function takeFrom(chunk: Buffer): Buffer {
    if (following) {
      const piece = chunk.subarray(0, following.length - arrived);
      following.set(piece, arrived);
      arrived += piece.length;
      endBytes();
      return chunk.subarray(piece.length);
    }
    const end = chunk.indexOf(lineEnd);
    pieces.push(end === -1 ? chunk : chunk.subarray(0, end));
    if (end === -1) return chunk.subarray(chunk.length);
    const line = Buffer.concat(pieces).toString();
    pieces = [];
    const length = onLine(line);
    // Another thread parses these bytes. Shared memory avoids a copy, which would block the event loop.
    if (length !== undefined) following = Buffer.from(new SharedArrayBuffer(length));
    arrived = 0;
    endBytes();
    return chunk.subarray(end + 1);
  }

  return chunk => {
    let rest = chunk;
    while (rest.length > 0) rest = takeFrom(rest);
  };
}

/** Max number of bytes and messages that the other end may send until the next allowance. */
export type Allowance = { readonly bytes: number; readonly messages: number };

export type PipeOptions = {
  /** Reads a line of JSON. @throws if it is not a message of the other end */
  read?: (line: string) => PortMessage;
  /** Called before each message takes effect. @throws if the message is not allowed now */
  admit?: (message: PortMessage) => void;
  /** Called once if the other end broke a rule; the pipe is closed then. */
  onBreach?: (what: string) => void;
  /** Called when the other end has closed the pipe. */
  onClose: () => void;
};

export type PipeWire = Wire & {
  /** Replaces the allowance, which is unlimited at the start. */
  allow(allowance: Allowance): void;
};

/** Connects two processes by lines of JSON. The bytes of an answer follow its line. */
export function toPipeWire(
  pipe: Duplex,
  { read = JSON.parse, admit = () => {}, onBreach = () => {}, onClose }: PipeOptions,
): PipeWire {
  let left: Allowance = { bytes: Number.POSITIVE_INFINITY, messages: Number.POSITIVE_INFINITY };
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
  const readLine = (line: string): PortMessage | undefined => {
    try {
      return isOpen ? read(line) : undefined;
    } catch {
      breakOff(`it sent an invalid message: ${JSON.stringify(line.slice(0, 100))}`);
      return undefined;
    }
  };

  // Writing to a process that has ended fails. Its exit is reported elsewhere.
  pipe.on('error', () => {});
  pipe.on('close', () => {
    if (isOpen) onClose();
  });

  return {
    send(message, bytes) {
      if (!pipe.writable) return;
      pipe.write(`${JSON.stringify(message)}\n`);
      if (bytes) pipe.write(bytes);
    },
    listen(onMessage) {
      let heard: PortMessage | undefined;
      const deliver = (message: PortMessage, bytes: Buffer) => {
        try {
          admit(message);
          onMessage(message, bytes);
        } catch (error) {
          breakOff(error instanceof Error ? error.message : String(error));
        }
      };
      const takeLine = (line: string): number | undefined => {
        left = { ...left, messages: left.messages - 1 };
        if (left.messages < 0) breakOff('it sent a message when none was due');
        heard = readLine(line);
        if (!heard) return undefined;
        const length = 'answer' in heard ? heard.bytes : undefined;
        if (length === undefined) deliver(heard, nothing);
        return length;
      };
      const takePiece = createLines(takeLine, bytes => {
        if (isOpen && heard) deliver(heard, bytes);
      });
      pipe.on('data', (chunk: Buffer) => {
        left = { ...left, bytes: left.bytes - chunk.length };
        if (left.bytes < 0) breakOff('it sent more than the limit');
        else if (isOpen) takePiece(chunk);
      });
    },
    allow(allowance) {
      left = allowance;
    },
    close,
  };
}
