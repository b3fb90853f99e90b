import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientDisconnected } from '../server/client-signal.ts';
import { isBytes, type JsonPart, type JsonParts } from './json-parts.ts';

/** Buffers pieces of responses: in memory up to a limit for all responses together, beyond it in a file. */

/** Yields the buffered pieces; can be called any number of times. */
export type HeldParts = () => AsyncIterable<JsonPart>;

export type Holder = {
  /** @throws ClientDisconnected if the holder is closed */
  hold(parts: JsonParts): Promise<HeldParts>;
  close(): Promise<void>;
};

/** Smaller pieces stay in memory: writing them would cost more. */
const minFileBytes = 1024;

/** Opens a file without a name, which disappears when it is closed or the process ends. */
async function openUnnamed(folder: string): Promise<FileHandle> {
  const path = join(folder, `rangelight-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

async function writeBytes(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

async function readBytes(file: FileHandle, length: number, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, position);
  if (bytesRead < length) throw new Error('a held piece is shorter than it was');
  return buffer;
}

/** @param maxBytes memory limit for all holders together */
export function createHolders({ maxBytes, folder = tmpdir() }: { maxBytes: number; folder?: string }) {
  let inMemory = 0;

  function openHolder(): Holder {
    let taken = 0;
    let file: Promise<FileHandle> | undefined;
    let end = 0;
    let isClosed = false;

    async function holdBytes(bytes: Buffer): Promise<() => Promise<Buffer>> {
      if (bytes.length < minFileBytes) return async () => bytes;
      if (inMemory + bytes.length <= maxBytes) {
        inMemory += bytes.length;
        taken += bytes.length;
        return async () => bytes;
      }
      file ??= openUnnamed(folder);
      const handle = await file;
      const position = end;
      end += bytes.length;
      await writeBytes(handle, bytes, position);
      return () => readBytes(handle, bytes.length, position);
    }

    async function holdPart(part: JsonPart): Promise<() => Promise<JsonPart>> {
      if (isBytes(part)) return holdBytes(part);
      const held = await holdBytes(part.deflated);
      return async () => ({ ...part, deflated: await held() });
    }

    return {
      async hold(parts) {
        const held: (() => Promise<JsonPart>)[] = [];
        for (const part of parts) {
          if (isClosed) throw new ClientDisconnected();
          held.push(await holdPart(part));
        }
        return async function* () {
          for (const read of held) yield await read();
        };
      },
      async close() {
        if (isClosed) return;
        isClosed = true;
        inMemory -= taken;
        // If the file could not be opened, the call that needed it has already failed.
        await (await file?.catch(() => undefined))?.close();
      },
    };
  }

  return { open: openHolder, bytesInMemory: () => inMemory };
}
